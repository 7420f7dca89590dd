// Passes, then the search of every workflow and document; what is refused is shrunk and named.
//
// SPDX-License-Identifier: Apache-2.0
#include "judge/judge.hpp"

#include <algorithm>

#include "codec/op.hpp"
#include "judge/index.hpp"
#include "judge/passes.hpp"
#include "judge/search.hpp"
#include "judge/shrink.hpp"
#include "judge/subjects.hpp"
#include "stile/types.hpp"

namespace stile::conformance::judge {
namespace {

class Judging {
 public:
  Judging(const History& history, const Options& options)
      : history_(history), options_(options), index_(history), left_(options.most_steps + 200 * history.events.size()) {
    verdict_.notes = history.notes;
    verdict_.clock = calibrate(history);
    count();
  }

  Verdict run() {
    const Calibration& clock = verdict_.clock;
    if (clock.contradicts)
      verdict_.notes.push_back(
          "the store's clock did not go with the recorder's: only what the store told of time is judged");
    if (options_.passes) pass();
    if (options_.search) {
      search_workflows();
      search_documents();
    }
    return std::move(verdict_);
  }

 private:
  void count() {
    Counts& counts = verdict_.counts;
    counts.operations = history_.events.size();
    counts.workflows = index_.workflows().size();
    counts.documents = index_.documents().size();
    std::vector<std::size_t> kinds(STILE_OP_COUNT + 1), statuses(64);
    for (const Event& event : history_.events) {
      counts.in_doubt += event.in_doubt();
      ++kinds[event.kind];
      if (event.status >= 0) ++statuses[static_cast<std::size_t>(event.status)];
    }
    for (std::uint32_t kind = 1; kind < kinds.size(); ++kind)
      if (kinds[kind] != 0) counts.operation[std::string(codec::op_name(kind))] = kinds[kind];
    for (std::size_t status = 0; status < statuses.size(); ++status)
      if (statuses[status] != 0) counts.status[name_of(static_cast<Status>(status))] = statuses[status];
  }

  void search_workflows() {
    const Calibration& clock = verdict_.clock;
    Pages pages{options_.most_on_pages};
    auto listed = items_of_lists(index_, clock, pages);
    for (std::size_t w = 0; w < listed.size(); ++w) {
      const Group& group = index_.workflows()[w];
      auto items = items_of_workflow(index_, clock, group);
      items.insert(items.end(), listed[w].begin(), listed[w].end());
      if (!listed[w].empty()) put_in_order(items);
      bool seldom = !index_.lost_receives().empty() || !index_.trims().empty();
      decide<WorkflowState>(Finding::Of::workflow, group, items, seldom,
                            [&] { return unseen_of_workflow(index_, clock, group); });
    }
    tell_left_out(pages, "list", "workflows");
  }

  void search_documents() {
    Pages pages{options_.most_on_pages};
    auto documents = items_of_documents(index_, verdict_.clock, pages);
    for (std::size_t d = 0; d < documents.size(); ++d)
      decide<DocumentState>(Finding::Of::document, index_.documents()[d], documents[d], false,
                            [] { return std::vector<Item>{}; });
    tell_left_out(pages, "scan", "documents");
  }

  void tell_left_out(const Pages& pages, const char* operation, const char* subjects) {
    if (pages.left_out == 0) return;
    ++verdict_.counts.undecided;
    verdict_.findings.push_back({"undecided",
                                 std::to_string(pages.left_out) + " answers of " + operation +
                                     " were not judged: those before them speak of " + std::to_string(pages.subjects) +
                                     " " + subjects + " already, there or not, and more is too much to remember",
                                 Text::none,
                                 Finding::Of::store,
                                 {}});
  }

  void pass() {
    Court court(index_, verdict_.clock, options_);
    run_passes(court);
    verdict_.findings = std::move(court.findings);
    for (const auto& [ids, count] : court.counts())
      if (count > options_.most_findings)
        verdict_.notes.push_back(ids + ": " + std::to_string(count - options_.most_findings) +
                                 " further findings are not shown");
  }

  /// seldom: something may have touched the subject that is in no item of its own.
  template <class State, class Unseen>
  void decide(Finding::Of of, const Group& group, std::vector<Item>& items, bool seldom, Unseen unseen) {
    // Most histories need nothing unseen: what may have happened beside them is looked at only where they do.
    std::size_t first = std::min(options_.step_cap, std::max(options_.step_cap / 20, left_ / 8));
    Outcome outcome = search_in<State>(items, seldom ? first : options_.step_cap);
    if (outcome.kind != Outcome::Kind::linear && seldom && left_ > 0) {
      auto more = unseen();
      spend(more.size() / 8);
      items.insert(items.end(), more.begin(), more.end());
      put_in_order(items);
      outcome = search_in<State>(items, options_.step_cap);
    }
    if (outcome.kind == Outcome::Kind::linear) return;
    if (outcome.kind == Outcome::Kind::undecided) {
      ++verdict_.counts.undecided;
      if (may_find("undecided"))
        verdict_.findings.push_back({"undecided",
                                     "no order was found or ruled out in " + std::to_string(outcome.steps) + " steps",
                                     group.subject,
                                     of,
                                     {}});
      return;
    }
    if (!may_find("order")) return;
    Core core = shrink<State>(history_, items, outcome, std::min<std::size_t>({options_.step_cap, left_, 1'000'000}));
    verdict_.findings.push_back(finding(of, group, items, core));
  }

  template <class State>
  Outcome search_in(std::span<const Item> items, std::size_t cap) {
    // What is left when little is left is enough for what is plain.
    constexpr std::size_t plain = 4;
    Outcome outcome = search<State>(history_, items, std::min(cap, std::max(left_, plain * items.size())));
    verdict_.counts.steps += outcome.steps;
    spend(outcome.steps);
    return outcome;
  }
  void spend(std::size_t steps) { left_ -= std::min(left_, steps); }

  bool may_find(const std::string& kind) { return ++found_[kind] <= options_.most_findings; }

  std::uint32_t number_of(const Event& event) const {
    return static_cast<std::uint32_t>(&event - history_.events.data());
  }

  /// The contradiction, and who was granted the fences and given the receipts that it speaks of.
  Finding finding(Finding::Of of, const Group& group, const std::vector<Item>& items, const Core& core) const {
    const Item& blocked = items[core.outcome.blocked];
    Finding out{core.outcome.reason.ids,
                "no order explains these answers: " + std::string(codec::op_name(blocked.event->kind)) +
                    " fits nowhere, " + core.outcome.reason.text,
                group.subject,
                of,
                {}};
    for (std::uint32_t i : core.items) out.events.push_back(number_of(*items[i].event));
    out.events.push_back(number_of(*blocked.event));
    for (std::size_t i = 0, n = out.events.size(); i < n; ++i) {
      const Asked& asked = history_.events[out.events[i]].asked;
      if (const Owner* owner = index_.owner(asked.receipt)) out.events.push_back(owner->event);
      for (const Item& item : items)
        if (asked.fence.number != 0 && item.event->ok() && grants_lease(*item.event) &&
            item.told->fence == asked.fence) {
          out.events.push_back(number_of(*item.event));
          break;
        }
    }
    std::sort(out.events.begin(), out.events.end());
    out.events.erase(std::unique(out.events.begin(), out.events.end()), out.events.end());
    return out;
  }

  const History& history_;
  const Options& options_;
  Index index_;
  Verdict verdict_;
  std::map<std::string, std::size_t> found_;
  std::size_t left_;  ///< steps
};

}  // namespace

Verdict judge(const History& history, const Options& options) { return Judging(history, options).run(); }

}  // namespace stile::conformance::judge

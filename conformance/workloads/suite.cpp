// Plays trials of a workload until enough happened, judges each, and makes a failure as small as it gets.
//
// SPDX-License-Identifier: Apache-2.0
#include "workloads/suite.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "check.hpp"
#include "judge/judge.hpp"
#include "workloads/composed.hpp"
#include "workloads/stage.hpp"
#include "workloads/tally.hpp"

namespace stile::conformance {
namespace {

using namespace workloads;
using Steady = std::chrono::steady_clock;

constexpr unsigned usual_trials = 40;
constexpr std::chrono::seconds usual_time{3};       ///< after which no trial is begun, but the first and those needed
constexpr unsigned most_doublings = 4;              ///< of a workload that was too gentle
constexpr unsigned tries_of_one = 40;               ///< where a failing trial is asked for again
constexpr std::chrono::seconds time_to_shrink{12};  ///< for smaller trials of the same seed

/// A trial with what came of it.
struct Played {
  Trouble trouble;
  std::vector<std::string> ids;  ///< of the findings
  std::string text;
  std::string reason;
  boost::json::object judged;
  Tally tally;
  std::size_t operations = 0;
  std::string file;
  bool of_whole = false;  ///< found in what the callers asked, not in what the store was asked for it
  Amount amount;

  bool failed() const { return !trouble.text.empty() || !text.empty(); }
};

void add_ids(std::vector<std::string>& to, const std::string& ids) {
  for (std::size_t begin = 0; begin < ids.size();) {
    std::size_t end = std::min(ids.find(' ', begin), ids.size());
    std::string id = ids.substr(begin, end - begin);
    bool known = std::find(to.begin(), to.end(), id) != to.end();
    if (id != "undecided" && !known) to.push_back(id);
    begin = end + 1;
  }
}

class Playing {
 public:
  Playing(const Workload& workload, const Target& target)
      : workload_(workload), target_(target), sharing_(sharing_of(target)) {}

  Outcome run() {
    if (target_.sequence != 0) return repeat();
    const auto begun = Steady::now();
    const Duration time = target_.time.count() != 0 ? target_.time : usual_time * static_cast<int>(target_.scale);
    const std::uint64_t trials = target_.time.count() != 0 ? UINT64_MAX : usual_trials * target_.scale;
    for (trial_ = 1; trial_ <= trials && (trial_ == 1 || Steady::now() - begun < time); ++trial_)
      if (auto failure = one(workload_.amount)) return *failure;
    cut_ = target_.time.count() != 0 && target_.time < usual_time && trial_ <= usual_trials;
    Amount amount = workload_.amount;
    for (unsigned doubling = 0; !missing().empty() && doubling < most_doublings; ++doubling, ++trial_) {
      amount.rounds *= 2;
      if (auto failure = one(amount)) return *failure;
    }
    return judged();
  }

 private:
  std::uint64_t seed_of_trial() const { return target_.seed * 1'000'003 + trial_; }

  Played play_one(const Amount& amount) {
    Played played;
    played.amount = amount;
    played.file = target_.folder + "/" + workload_.name + "-" + std::to_string(++files_) + ".jsonl";
    const Trial trial{&workload_, amount, seed_of_trial(), played.file};
    played.trouble = play(trial, target_, sharing_);
    if (std::filesystem::exists(trial.history)) judge_trial(played, trial);
    return played;
  }

  static void judge_trial(Played& played, const Trial& trial) {
    try {
      const judge::History history = judge::read_history(std::vector{trial.history});
      judge::Options options;
      options.most_findings = 3;
      played.operations = history.events.size();
      take(played, judge::judge(history, options), history);
      if (!std::filesystem::exists(trial.whole())) {
        played.tally = tally(history);
        return;
      }
      const judge::History whole = judge::read_history(std::vector{trial.whole()});
      played.tally = tally(whole);
      const bool unjudged = played.text.empty();
      take(played, judge_whole(whole, history, options), whole);
      played.of_whole = unjudged && !played.text.empty();
    } catch (const judge::BadHistory& bad) {  // a store that answers what no answer is
      played.text = std::string("the history cannot be judged: ") + bad.what() + "\n";
    }
  }

  /// The first verdict that is none of a good store is told.
  static void take(Played& played, const judge::Verdict& verdict, const judge::History& history) {
    if (verdict.accepted() || !played.text.empty()) return;
    for (const judge::Finding& finding : verdict.findings) add_ids(played.ids, finding.ids);
    played.text = judge::verdict_text(verdict, history);
    played.reason = verdict.findings.front().ids + ": " + verdict.findings.front().what;
    played.judged = judge::verdict_json(verdict, history);
  }

  /// The recorded files of a trial, which nobody wants any more.
  static void remove(const Played& played) {
    std::filesystem::remove(played.file);
    std::filesystem::remove(Trial::whole_of(played.file));
  }

  std::optional<Outcome> one(const Amount& amount) {
    Played played = play_one(amount);
    if (played.failed()) return failure(std::move(played));
    for (const auto& [what, count] : played.tally) seen_[what] += count;
    operations_ += played.operations;
    remove(played);
    return std::nullopt;
  }

  /// A trial that failed once, by its number: threads do not meet alike twice, so it is tried more often.
  Outcome repeat() {
    trial_ = target_.sequence;
    for (unsigned i = 0; i < tries_of_one; ++i)
      if (auto failure = one(workload_.amount)) return *failure;
    return judged();
  }

  Outcome failure(Played played) {
    const std::size_t operations = played.operations;
    if (played.trouble.text.empty()) shrink(played);
    Outcome outcome{Verdict::failed, {}, played.ids, std::max<std::uint64_t>(1, operations_ + operations), trial_};
    for (const std::string& id : played.trouble.ids) add_ids(outcome.ids, id);
    outcome.reason = played.trouble.text.empty() ? played.reason : played.trouble.text;
    outcome.text = "trial " + std::to_string(trial_) + ": " + played.amount.text(sharing_.processes) + "; " +
                   std::to_string(played.operations) + " operations were recorded\n";
    if (!played.trouble.text.empty()) outcome.text += played.trouble.text + "\n";
    outcome.text += played.text;
    outcome.text += "threads never meet twice alike: the command below plays this trial up to " +
                    std::to_string(tries_of_one) +
                    " times, and may pass; then give it again, or without --sequence\n"
                    "for as long as you like (--time 10m)\n";
    outcome.judged = std::move(played.judged);
    name_files(outcome, played);
    outcome.faults = shown();
    return outcome;
  }

  /// The file that shows what was found comes first, with how it is looked at again.
  static void name_files(Outcome& outcome, const Played& played) {
    if (!std::filesystem::exists(played.file)) return;
    const std::string whole = Trial::whole_of(played.file);
    outcome.history = played.of_whole ? whole : played.file;
    if (played.of_whole) {
      outcome.text += "found in what the callers asked and were told, whose lines are named above: " + whole +
                      "\nheld against what the store was asked for it, by op_id and by when: " + played.file +
                      "\nonly a run looks at the two together: stile-conformance judge may accept each alone\n";
      return;
    }
    outcome.text += "recorded in " + played.file + " (stile-conformance judge looks at it again)\n";
    if (std::filesystem::exists(whole))
      outcome.text += "what the callers asked, before it was composed of that: " + whole + "\n";
  }

  /// Fewer callers, fewer rounds, fewer names, the smallest first; the first that fails by one of the same promises.
  void shrink(Played& played) {
    const auto until = Steady::now() + time_to_shrink;
    const Amount& whole = played.amount;
    for (unsigned part : {16u, 8u, 4u, 2u}) {
      for (unsigned threads : {1u, whole.threads}) {
        Amount less = whole;
        less.rounds = std::max(4u, whole.rounds / part);
        less.threads = threads;
        less.workflows = std::max(1u, part > 4 ? 1 : whole.workflows / 2);
        for (int tries = 0; tries < 3; ++tries) {
          if (Steady::now() > until) return;
          Played smaller = play_one(less);
          bool same = std::any_of(smaller.ids.begin(), smaller.ids.end(), [&](const std::string& id) {
            return std::find(played.ids.begin(), played.ids.end(), id) != played.ids.end();
          });
          remove(same ? played : smaller);
          if (!same) continue;
          played = std::move(smaller);
          return;
        }
      }
    }
  }

  std::string missing() const {
    std::string text;
    for (const Need& need : workload_.needs) {
      auto found = seen_.find(need.what);
      std::uint64_t count = found == seen_.end() ? 0 : found->second;
      if (count < need.least)
        text += (text.empty() ? "" : ", ") + need.what + " " + std::to_string(count) + " times, and " +
                std::to_string(need.least) + " are wanted";
    }
    return text;
  }

  Tally shown() const {
    Tally counts;
    for (const Need& need : workload_.needs)
      if (auto found = seen_.find(need.what); found != seen_.end()) counts[need.what] = found->second;
    return counts;
  }

  Outcome judged() const {
    Outcome outcome;
    outcome.counted = operations_;
    outcome.faults = shown();
    outcome.cut = cut_;
    std::string lacks = missing();
    if (lacks.empty()) return outcome;
    outcome.verdict = Verdict::failed;
    outcome.text = "too gentle: nothing is proved by what did not happen. In " + std::to_string(operations_) +
                   " operations: " + lacks;
    return outcome;
  }

  const Workload& workload_;
  const Target& target_;
  Sharing sharing_;
  std::uint64_t trial_ = 1;
  unsigned files_ = 0;
  bool cut_ = false;
  Tally seen_;
  std::uint64_t operations_ = 0;
};

bool can_be_played(const Workload& workload, const Facts& facts) {
  bool effects = facts.can("effects:sql") || facts.can("effects:lua");
  return (!workload.effects || effects) &&
         std::all_of(workload.operations.begin(), workload.operations.end(),
                     [&](const std::string& operation) { return facts.does(operation); });
}

}  // namespace

void add_workload_checks(const Target& target) {
  for (const Workload& workload : all_workloads()) {
    if (!can_be_played(workload, target.facts)) continue;
    Check check;
    check.suite = "Concurrent";
    check.name = workload.name;
    check.ids = workload.ids;
    check.about = workload.about;
    check.level = 2;
    check.random = true;
    check.limit = std::chrono::seconds{180} + usual_time * static_cast<int>(target.scale) * 3;
    check.run = [&workload](const Target& store) { return Playing(workload, store).run(); };
    add_check(std::move(check));
  }
}

}  // namespace stile::conformance

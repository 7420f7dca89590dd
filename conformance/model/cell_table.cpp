// Bringing workflows to a state and playing the cells there.
//
// SPDX-License-Identifier: Apache-2.0
#include "model/cell_table.hpp"

#include <algorithm>
#include <set>

namespace stile::conformance::model {

namespace {

/// How many cells are played before everything is compared.
constexpr std::size_t between_looks = 16;
constexpr std::size_t shown_at_most = 12;
/// How often a table is begun anew that real time made impossible to follow.
constexpr int tries = 5;

/// A workflow id for a cell; none is a prefix of another.
std::string id_of(std::size_t number) {
  std::string digits = std::to_string(number);
  return "c" + std::string(5 - digits.size(), '0') + digits;
}

class Table {
 public:
  Table(const State& state, const Target& target)
      : state_(state), trial_(target, target.fresh_namespace()), stage_(trial_) {}

  Outcome play() {
    try {
      // One workflow first, to see which cells there are in this state.
      reach({"probe"});
      if (!failed()) choose();
      for (std::size_t i = 0; i < chosen_.size() && !failed(); i += between_looks) look_at(i);
      if (!failed() && state_.trims) trim();
    } catch (const Differs& differs) {
      fail("afterwards", "", differs);
    }
    if (played_ == 0 && !failed()) fail("no cell", "", {{{{}, "nothing was played in this state"}}});
    outcome_.counted = played_;
    return outcome_;
  }

 private:
  bool failed() const { return outcome_.verdict == Verdict::failed; }

  void fail(const std::string& what, const std::string& about, const Differs& differs) {
    outcome_.verdict = Verdict::failed;
    if (++failures_ > shown_at_most) return;
    outcome_.text += state_.name + ": " + what + "\n";
    if (failures_ == 1 && !differs.differences.empty())
      outcome_.reason = what + ": " + describe(differs.differences.front());
    for (std::size_t i = 0; i < differs.differences.size(); ++i) {
      const Difference& each = differs.differences[i];
      if (i < shown_at_most) outcome_.text += "  " + describe(each) + "\n";
      outcome_.ids.insert(outcome_.ids.end(), each.ids.begin(), each.ids.end());
    }
    std::sort(outcome_.ids.begin(), outcome_.ids.end());
    outcome_.ids.erase(std::unique(outcome_.ids.begin(), outcome_.ids.end()), outcome_.ids.end());
    if (failures_ == 1) outcome_.text += trial_.transcript(about);
  }

  void say(const std::vector<std::pair<std::string, json::object>>& requests, const std::vector<std::string>& names) {
    std::vector<Differs> found;
    stage_.say(requests, found);
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (!found[i].differences.empty()) fail(names[i], requests[i].first, found[i]);
    }
  }

  /// Brings workflows to the state, side by side.
  void reach(const std::vector<std::string>& ids) {
    for (const Step& step : state_.steps) {
      std::vector<std::pair<std::string, json::object>> requests;
      for (const std::string& id : ids) requests.emplace_back(id, *step.make(stage_, id));
      say(requests, std::vector<std::string>(requests.size(), "on the way to the state"));
      if (failed()) return;
      if (step.then_pass != 0) trial_.pass(step.then_pass);
    }
  }

  void choose() {
    const std::vector<Cell>& all = cells(state_.of);
    for (std::size_t i = 0; i < all.size(); ++i) {
      std::optional<json::object> request = all[i].make(stage_, "probe");
      if (request && trial_.does(*request) && trial_.determines(*request)) chosen_.push_back(i);
    }
    std::vector<std::string> ids;
    for (std::size_t i : chosen_) ids.push_back(id_of(i));
    reach(ids);
    if (!failed()) trial_.compare(ids);
  }

  /// Plays some cells side by side, then compares: what a cell changed besides shows here.
  void look_at(std::size_t first) {
    std::vector<std::pair<std::string, json::object>> requests;
    std::vector<std::string> names, ids;
    for (std::size_t i = first; i < std::min(first + between_looks, chosen_.size()); ++i) {
      const Cell& cell = cells(state_.of)[chosen_[i]];
      std::string id = id_of(chosen_[i]);
      std::optional<json::object> request = cell.make(stage_, id);
      if (!request || !trial_.determines(*request)) continue;
      requests.emplace_back(id, *request);
      names.push_back(cell.name);
      ids.push_back(id);
    }
    say(requests, names);
    played_ += requests.size();
    if (failed()) return;
    try {
      trial_.compare(ids);
    } catch (const Differs& differs) {
      std::string some;
      for (std::size_t i = 0; i < names.size(); ++i) some += "\n  " + ids[i] + ": " + names[i];
      fail("after these cells:" + some, id_in(differs, ids), differs);
    }
  }

  /// The workflow that a difference speaks of, so that only its lines are shown.
  static std::string id_in(const Differs& differs, const std::vector<std::string>& ids) {
    for (const Difference& each : differs.differences) {
      for (const std::string& id : ids) {
        if (each.text.find(id) != std::string::npos) return id;
      }
    }
    return "";
  }

  /// T1 to T5: what is left of the table once everything finished has gone.
  void trim() {
    for (int calls = 0; calls < 1000; ++calls) {
      json::object answer = trial_.say({{"op", "trim"}, {"older_than", 0}, {"limit", 100}});
      trial_.compare({});
      if (!Said(answer).flag("more")) break;
    }
    json::object again = trial_.say({{"op", "trim"}, {"older_than", 0}});
    trial_.compare_everything();
    played_ += 2;
  }

  const State& state_;
  Trial trial_;
  Stage stage_;
  Outcome outcome_;
  std::vector<std::size_t> chosen_;
  std::size_t played_ = 0;
  std::size_t failures_ = 0;
};

}  // namespace

bool reachable(const State& state, const Target& target) {
  Part part = state.of == Of::document     ? Part::documents
              : state.of == Of::checkpoint ? Part::documents_and_records
                                           : Part::all;
  return target.facts.part >= part && std::all_of(state.needs.begin(), state.needs.end(),
                                                  [&](const std::string& need) { return target.facts.can(need); });
}

Outcome play_state(const State& state, const Target& target) {
  for (int i = 0; i < tries; ++i) {
    try {
      return Table(state, target).play();
    } catch (const Ambiguous&) {
      // By a real clock: so much ended inside one call that it cannot be followed. Another time it can.
    }
  }
  return {Verdict::failed, "too much ends inside one call: this machine is too slow for this table", {}, 0};
}

}  // namespace stile::conformance::model

// Making the cell table and the random sequences known to the runner.
//
// SPDX-License-Identifier: Apache-2.0
#include "model/model_suite.hpp"

#include "check.hpp"
#include "model/cell_table.hpp"
#include "model/random.hpp"

namespace stile::conformance {

namespace {

constexpr std::size_t blocks = 10;
/// Sequences of a run at scale 1: where the clock stands still nothing waits, so there may be many.
constexpr std::size_t sequences_without_waiting = 2000;
constexpr std::size_t sequences_with_waiting = 100;
/// After this a block draws no further sequence, and shrinks no further.
constexpr Duration time_without_waiting = std::chrono::seconds{30};
constexpr Duration time_with_waiting = std::chrono::seconds{6};

}  // namespace

void register_model_suites(const Target& target) {
  if (target.facts.part == Part::nothing) return;
  for (const model::State& state : model::states()) {
    if (!model::reachable(state, target)) continue;
    Check check;
    check.suite = "CellTable";
    check.name = state.name;
    check.ids = model::split_ids(state.ids + " R2");
    check.about = "every operation on a workflow that is " + state.name + ", with every kind of receipt and fence";
    check.limit = std::chrono::seconds{120};
    check.run = [state](const Target& store) { return model::play_state(state, store); };
    add_check(std::move(check));
  }
  bool waits = !target.facts.can("manual_clock");
  std::size_t each = (waits ? sequences_with_waiting : sequences_without_waiting) * target.scale / blocks;
  Duration time = (waits ? time_with_waiting : time_without_waiting) * static_cast<int>(target.scale);
  const std::size_t enough = each / target.scale;
  const Duration by_itself = time / static_cast<std::int64_t>(target.scale);
  for (std::size_t block = 0; block < blocks; ++block) {
    Check check;
    check.suite = "Random";
    check.name = std::to_string(block);
    check.ids = model::split_ids("R1 R2 S4");
    check.about = "random sequences of operations against the model";
    check.limit = time * 3 + std::chrono::seconds{60};
    check.random = true;
    check.run = [=](const Target& store) {
      const bool timed = store.time.count() != 0;
      Outcome outcome = model::play_many(store, block, timed ? SIZE_MAX : each, timed ? store.time : time);
      outcome.cut = timed && store.time < by_itself && outcome.counted < enough;
      return outcome;
    };
    add_check(std::move(check));
  }
}

}  // namespace stile::conformance

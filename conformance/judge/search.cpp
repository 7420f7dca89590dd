// The search: depth first over orders, one operation a step; what is done and what is held is remembered, with the
// earliest store time it was reached at, since an earlier time allows whatever a later one does.
//
// SPDX-License-Identifier: Apache-2.0
#include "judge/search.hpp"

#include <algorithm>
#include <vector>

#include "judge/facts.hpp"
#include "judge/order.hpp"
#include "judge/rules.hpp"
#include "judge/seen.hpp"

namespace stile::conformance::judge {
namespace {

template <class State>
class Search {
 public:
  Search(const History& history, std::span<const Item> items, std::size_t cap)
      : history_(history), items_(items), cap_(cap), order_(history, items), facts_(history, items) {}

  Outcome run() {
    frames_.push_back({State{}, State{}.hash(), -never, {}, {}, nobody, 0, 0, false, {}, {}});
    gather(frames_.back());
    while (order_.open() > 0) {
      if (outcome_.steps > cap_ || candidates_.size() > most_candidates) return end(Outcome::Kind::undecided);
      Frame& frame = frames_.back();
      if (frame.cursor == candidates_.size()) {
        if (frames_.size() == 1) return end(Outcome::Kind::refused);
        back();
      } else if (frame.tried && !frame.ways.next()) {
        ++frame.cursor;
        frame.ways = {};
        frame.tried = false;
      } else {
        frame.tried = true;
        attempt(frame);
      }
    }
    return end(Outcome::Kind::linear);
  }

 private:
  static constexpr std::uint32_t nobody = UINT32_MAX;
  static constexpr Reason too_late{"A11", "the store's clock had gone past the time it can have happened at"};
  static constexpr std::size_t most_candidates = 50'000'000;  // of all frames, so that memory is bounded
  struct Frame {
    State state;
    Hash held;           ///< of the state
    Time time;           ///< the earliest store time at which the order so far can be over
    Hash placed;         ///< of operations that have an end
    Doubtful doubtful;   ///< those that have none
    std::uint32_t item;  ///< that was placed last
    std::size_t begin;   ///< of its candidates
    std::size_t cursor;
    bool tried;
    Order::Next next;
    Ways ways;
  };

  void gather(Frame& frame) {
    frame.begin = frame.cursor = candidates_.size();
    frame.next = order_.gather(candidates_);
    outcome_.steps += frame.next.looked_at / 64;
  }

  void back() {
    order_.put_back(frames_.back().item);
    candidates_.resize(frames_.back().begin);
    frames_.pop_back();
  }

  /// An item applied to a state that was reached at a time; false, with the reason, where it does not fit.
  bool place(std::uint32_t i, State& state, Time& time, Ways& ways, Reason& reason) {
    const Item& item = items_[i];
    const Event& event = *item.event;
    if (item.optional && order_.bounded(i) && ways.choose()) return true;  // left out
    Step step{history_,
              facts_,
              event,
              event.asked,
              *item.told,
              item,
              Window(std::max(time, item.when.earliest), item.when.latest),
              ways,
              reason,
              event.ok(),
              item.looks};
    if (!step.window.possible() || !apply(state, step) || !step.window.possible()) return false;
    if (!step.looks) time = step.window.from();
    return true;
  }

  void attempt(Frame& frame) {
    std::uint32_t i = candidates_[frame.cursor];
    outcome_.steps += 1 + (candidates_.size() - frame.begin) / 64 + frame.state.weight();
    // Time goes on along an order: what happened later than another must have happened does not come before it.
    if ((!items_[i].looks && items_[i].when.earliest > frame.next.deadline) || !order_.in_turn(i)) return;
    State state = frame.state;
    Time time = frame.time;
    Reason reason = too_late;
    if (!place(i, state, time, frame.ways, reason)) return refuse(frames_.size(), i == frame.next.blocking, i, reason);
    Hash held = state.hash();
    bool bounded = order_.bounded(i);
    if (!bounded && !order_.is_followed(i) && held == frame.held) return;  // what changes nothing may be left out
    if (may_wait(i, state, held, time)) return;
    if (is_dead_end(frame, i, state, time)) return;
    Hash placed = frame.placed;
    Doubtful doubtful = frame.doubtful;
    if (bounded)
      placed.toggle(Hash{}.add(i + 1));
    else
      doubtful.insert(std::lower_bound(doubtful.begin(), doubtful.end(), i), i);
    if (!seen_.is_news(Hash(held).add(placed.a).add(placed.b), doubtful, time, state.bound())) return;
    order_.lift(i);
    frames_.push_back({std::move(state), held, time, placed, std::move(doubtful), i, 0, 0, false, {}, {}});
    gather(frames_.back());
  }

  /// One of the others must have happened by then, or can have no place any more.
  bool is_dead_end(const Frame& frame, std::uint32_t i, const State& state, Time time) {
    for (std::size_t c = frame.begin; c < candidates_.size() && order_.bounded(candidates_[c]); ++c) {
      std::uint32_t other = candidates_[c];
      if (other == i || (time <= items_[other].when.latest && !is_hopeless(state, items_[other]))) continue;
      State tried = state;
      Ways ways;
      Reason reason = too_late;
      if (!place(other, tried, time, ways, reason)) refuse(frames_.size() + 1, true, other, reason);
      return true;
    }
    return false;
  }

  /// What has no end can as well come later where that makes no difference: it stands only right before something that
  /// it makes a difference to. Of two of them that make none to each other the one invoked first comes first.
  bool may_wait(std::uint32_t i, const State& reached, const Hash& held, Time time) {
    if (frames_.size() < 2) return false;
    std::uint32_t waiting = frames_.back().item;
    if (order_.bounded(waiting) || order_.of_one_batch(waiting, i)) return false;
    bool turned = order_.bounded(i) || (i < waiting && !order_.are_twins(i, waiting));
    const Frame& before = frames_[frames_.size() - 2];
    Reason unused;
    Ways ways;
    auto as_well = [&](const State& state, Time at) {
      return at <= time && state.bound() <= reached.bound() && state.hash() == held;
    };
    do {
      ++outcome_.steps;
      State state = before.state;
      Time at = before.time;
      if (!place(i, state, at, ways, unused) || at > time) continue;
      if (as_well(state, at)) return true;  // it left no trace
      if (!turned) continue;
      Ways then;
      do {
        State last = state;
        Time over = at;
        if (place(waiting, last, over, then, unused) && as_well(last, over)) return true;
      } while (then.next());
    } while (ways.next());
    return false;
  }

  void refuse(std::size_t depth, bool decisive, std::uint32_t item, Reason reason) {
    if (depth < outcome_.depth || (depth == outcome_.depth && (decisive_ || !decisive))) return;
    outcome_.depth = depth;
    outcome_.blocked = item;
    outcome_.reason = reason;
    decisive_ = decisive;
  }

  Outcome end(Outcome::Kind kind) {
    outcome_.kind = kind;
    if (outcome_.depth > 0) --outcome_.depth;
    return outcome_;
  }

  const History& history_;
  std::span<const Item> items_;
  std::size_t cap_;
  Order order_;
  Facts facts_;
  std::vector<std::uint32_t> candidates_;
  std::vector<Frame> frames_;
  Seen seen_;
  bool decisive_ = false;
  Outcome outcome_;
};

}  // namespace

template <class State>
Outcome search(const History& history, std::span<const Item> items, std::size_t cap) {
  return Search<State>(history, items, cap).run();
}

template Outcome search<WorkflowState>(const History&, std::span<const Item>, std::size_t);
template Outcome search<DocumentState>(const History&, std::span<const Item>, std::size_t);

}  // namespace stile::conformance::judge

// The search: depth first over orders, one operation a step; what is done and what is held is remembered, with the
// earliest store time it was reached at, since an earlier time allows whatever a later one does.
//
// SPDX-License-Identifier: Apache-2.0
#include "judge/search.hpp"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "judge/rules.hpp"

namespace stile::conformance::judge {
namespace {

template <class State>
class Search {
 public:
  Search(const History& history, std::span<const Item> items, std::size_t cap)
      : history_(history), items_(items), cap_(cap), done_(items.size(), false), follower_(items.size(), -1) {
    for (std::size_t i = 0; i < items.size(); ++i)
      if (items[i].before >= 0) follower_[static_cast<std::size_t>(items[i].before)] = static_cast<std::int32_t>(i);
    std::uint64_t next = 1;
    for (const Item& item : items) {
      doubt_.push_back(item.end < never ? 0 : next);
      if (item.end >= never) next <<= 1;
    }
    lay_out();
  }

  Outcome run() {
    frames_.push_back({State{}, State{}.hash(), -never, {}, 0, 0, 0, 0, false, never, 0, {}});
    gather(frames_.back());
    while (open_ > 0) {
      if (outcome_.steps > cap_) return end(Outcome::Kind::undecided);
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
  static constexpr std::uint32_t head = 0;
  struct Node {  // an invocation or an end, in a list by time from which what has its place is lifted
    std::uint32_t previous, next, item;
    bool ends;
  };
  struct Frame {
    State state;
    Hash held;               ///< of the state
    Time time;               ///< the earliest store time at which the order so far can be over
    Hash placed;             ///< of operations that have an end
    std::uint64_t doubtful;  ///< those that have none, each a bit
    std::uint32_t item;      ///< that was placed last
    std::size_t begin;       ///< of its candidates
    std::size_t cursor;
    bool tried;
    Time deadline;           ///< the store time by which one of its candidates must have happened
    std::uint32_t blocking;  ///< the item that must have its place first
    Ways ways;
  };

  struct Seen {
    std::uint64_t doubtful;
    Time time;
  };

  bool bounded(std::uint32_t item) const { return items_[item].end < never; }

  void lay_out() {
    struct Point {
      Time time;
      bool ends;
      std::uint32_t item;
    };
    std::vector<Point> points;
    for (std::uint32_t i = 0; i < items_.size(); ++i) {
      points.push_back({items_[i].invoke, false, i});
      if (bounded(i)) points.push_back({items_[i].end, true, i}), ++open_;
    }
    // At one instant nothing is before the other.
    std::stable_sort(points.begin(), points.end(), [](const Point& a, const Point& b) {
      return a.time != b.time ? a.time < b.time : a.ends < b.ends;
    });
    nodes_.resize(points.size() + 1);
    call_.resize(items_.size());
    end_.resize(items_.size());
    nodes_[head] = {static_cast<std::uint32_t>(points.size()), points.empty() ? head : 1, 0, false};
    for (std::uint32_t n = 1; n <= points.size(); ++n) {
      nodes_[n] = {n - 1, n == points.size() ? head : n + 1, points[n - 1].item, points[n - 1].ends};
      (points[n - 1].ends ? end_ : call_)[points[n - 1].item] = n;
    }
  }

  void lift(std::uint32_t item) {
    done_[item] = true;
    unlink(call_[item]);
    if (bounded(item)) unlink(end_[item]), --open_;
  }
  void put_back(std::uint32_t item) {
    if (bounded(item)) link(end_[item]), ++open_;
    link(call_[item]);
    done_[item] = false;
  }
  void unlink(std::uint32_t n) {
    nodes_[nodes_[n].previous].next = nodes_[n].next;
    nodes_[nodes_[n].next].previous = nodes_[n].previous;
  }
  void link(std::uint32_t n) {
    nodes_[nodes_[n].previous].next = n;
    nodes_[nodes_[n].next].previous = n;
  }

  /// What may come next: invoked before the first end that is left. First what must come first.
  void gather(Frame& frame) {
    frame.begin = frame.cursor = candidates_.size();
    std::uint32_t n = nodes_[head].next;
    for (; n != head && !nodes_[n].ends; n = nodes_[n].next) candidates_.push_back(nodes_[n].item);
    frame.blocking = n == head ? 0 : nodes_[n].item;
    bool timed = true;
    frame.deadline = never;
    for (std::size_t c = frame.begin; c < candidates_.size(); ++c) {
      if (!bounded(candidates_[c])) continue;
      timed = timed && items_[candidates_[c]].when.latest < never;
      frame.deadline = std::min(frame.deadline, items_[candidates_[c]].when.latest);
    }
    auto last = [&](std::uint32_t item) {
      return !bounded(item) ? never : timed ? items_[item].when.latest : items_[item].end;
    };
    std::stable_sort(candidates_.begin() + static_cast<std::ptrdiff_t>(frame.begin), candidates_.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return last(a) < last(b); });
  }

  void back() {
    put_back(frames_.back().item);
    candidates_.resize(frames_.back().begin);
    frames_.pop_back();
  }

  /// R3: those of one workflow or document in one batch take effect in their order.
  bool in_turn(std::uint32_t i) const {
    const Item& item = items_[i];
    for (std::int32_t p = item.before; p >= 0; p = items_[static_cast<std::size_t>(p)].before) {
      auto before = static_cast<std::uint32_t>(p);
      bool chained =
          p == item.before && item.event->asked.after_ok && items_[before].event->place + 1 == item.event->place;
      if (!done_[before] && (bounded(before) || (chained && !bounded(i)))) return false;
    }
    for (std::int32_t f = follower_[i]; f >= 0; f = follower_[static_cast<std::size_t>(f)])
      if (done_[static_cast<std::size_t>(f)]) return false;
    return true;
  }

  /// An item applied to a state that was reached at a time; false, with the reason, where it does not fit.
  bool place(std::uint32_t i, State& state, Time& time, Ways& ways, Reason& reason) {
    const Item& item = items_[i];
    const Event& event = *item.event;
    if (item.optional && bounded(i) && ways.choose()) return true;  // left out
    Step step{history_,   event,  event.asked,
              *item.told, item,   Window(std::max(time, item.when.earliest), item.when.latest),
              ways,       reason, event.ok()};
    if (!step.window.possible() || !apply(state, step) || !step.window.possible()) return false;
    if (!item.looks) time = step.window.from();
    return true;
  }

  void attempt(Frame& frame) {
    std::uint32_t i = candidates_[frame.cursor];
    ++outcome_.steps;
    // Time goes on along an order: what happened later than another must have happened does not come before it.
    if ((!items_[i].looks && items_[i].when.earliest > frame.deadline) || !in_turn(i)) return;
    State state = frame.state;
    Time time = frame.time;
    Reason reason{"A11", "the store's clock had gone past the time it can have happened at"};
    if (!place(i, state, time, frame.ways, reason)) return refuse(frame, i, reason);
    Hash held = state.hash();
    if (!bounded(i) && follower_[i] < 0 && held == frame.held) return;  // what changes nothing may be left out
    Hash placed = frame.placed;
    std::uint64_t doubtful = frame.doubtful | doubt_[i];
    if (doubt_[i] == 0) placed.toggle(Hash{}.add(i + 1));
    if (!is_news(Hash(held).add(placed.a).add(placed.b), doubtful, time)) return;
    lift(i);
    std::size_t here = candidates_.size();
    frames_.push_back({std::move(state), held, time, placed, doubtful, i, here, here, false, never, 0, {}});
    gather(frames_.back());
  }

  /// Where the same was held after the same operations: an earlier time allows whatever a later one does, and so do
  /// more that may yet land, being in doubt.
  bool is_news(const Hash& key, std::uint64_t doubtful, Time time) {
    std::vector<Seen>& before = memory_[key];
    for (const Seen& each : before)
      if ((each.doubtful & ~doubtful) == 0 && each.time <= time) return false;
    std::erase_if(before, [&](const Seen& each) { return (doubtful & ~each.doubtful) == 0 && time <= each.time; });
    before.push_back({doubtful, time});
    return true;
  }

  void refuse(const Frame& frame, std::uint32_t item, Reason reason) {
    std::size_t depth = frames_.size();
    bool decisive = item == frame.blocking;
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
  std::vector<bool> done_;
  std::vector<std::int32_t> follower_;
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> call_, end_, candidates_;
  std::vector<Frame> frames_;
  std::vector<std::uint64_t> doubt_;  // of the first 64 that have no end, their bits
  std::unordered_map<Hash, std::vector<Seen>, HashOfHash> memory_;
  std::size_t open_ = 0;
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

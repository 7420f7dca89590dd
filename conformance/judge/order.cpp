// The list of what is left, by time, and the twins among what has no end.
//
// SPDX-License-Identifier: Apache-2.0
#include "judge/order.hpp"

#include <algorithm>
#include <unordered_map>

#include "judge/hash.hpp"
#include "judge/state.hpp"

namespace stile::conformance::judge {
namespace {

/// All that a rule can see of what was asked, except when, and by which op_id.
Hash likeness(const History& history, const Item& item) {
  const Asked& asked = item.event->asked;
  Hash hash;
  auto text = [&](Text each) { hash.add(word(each)); };
  auto number = [&](std::int64_t each) { hash.add(static_cast<std::uint64_t>(each)); };
  hash.add(item.event->kind);
  for (Text each : {asked.key, item.unheard ? Text::unknown : asked.value, asked.receipt, asked.queue, asked.message_id,
                    asked.error, asked.version, asked.fence.stamp, item.receipt_op})
    text(each);
  for (std::int64_t each : {asked.fence.number, asked.ttl, asked.budget, asked.lease, asked.when.value, asked.after})
    number(each);
  for (std::uint32_t q = asked.queues.begin; q < asked.queues.end; ++q) text(history.queues[q]);
  hash.add(asked.queues.size());
  std::uint64_t flags = static_cast<std::uint64_t>(asked.condition);
  for (bool each : {asked.when.instant, asked.force, asked.cancel, asked.revive, asked.enqueue, asked.finished,
                    asked.release, asked.again, asked.acquire, asked.has_fence, asked.has_queue, asked.has_error,
                    asked.has_message_id, asked.has_key, asked.keep_ttl, item.optional})
    flags = flags << 1 | each;
  return hash.add(flags);
}

}  // namespace

Order::Order(const History& history, std::span<const Item> items)
    : items_(items), done_(items.size(), false), follower_(items.size(), -1) {
  for (std::size_t i = 0; i < items.size(); ++i)
    if (items[i].before >= 0) follower_[static_cast<std::size_t>(items[i].before)] = static_cast<std::int32_t>(i);
  lay_out();
  find_twins(history);
}

void Order::lay_out() {
  struct Point {
    Time time;
    bool ends;
    std::uint32_t item;
  };
  std::vector<Point> points;
  for (std::uint32_t i = 0; i < items_.size(); ++i) {
    if (!bounded(i)) continue;
    points.push_back({items_[i].invoke, false, i});
    points.push_back({items_[i].end, true, i});
    ++open_;
  }
  // At one instant nothing is before the other.
  std::stable_sort(points.begin(), points.end(),
                   [](const Point& a, const Point& b) { return a.time != b.time ? a.time < b.time : a.ends < b.ends; });
  nodes_.resize(points.size() + 1);
  call_.resize(items_.size());
  end_.resize(items_.size());
  nodes_[head] = {static_cast<std::uint32_t>(points.size()), points.empty() ? head : 1, 0, false};
  for (std::uint32_t n = 1; n <= points.size(); ++n) {
    nodes_[n] = {n - 1, n == points.size() ? head : n + 1, points[n - 1].item, points[n - 1].ends};
    (points[n - 1].ends ? end_ : call_)[points[n - 1].item] = n;
  }
}

void Order::find_twins(const History& history) {
  std::unordered_map<Hash, std::uint32_t, HashOfHash> known;
  twins_of_.resize(items_.size(), UINT32_MAX);
  for (std::uint32_t i = 0; i < items_.size(); ++i) {
    if (bounded(i)) continue;
    auto fresh = static_cast<std::uint32_t>(twins_.size());
    bool alone = !items_[i].nameless || items_[i].before >= 0 || follower_[i] >= 0;
    twins_of_[i] = alone ? fresh : known.try_emplace(likeness(history, items_[i]), fresh).first->second;
    if (twins_of_[i] == fresh) twins_.emplace_back();
    twins_[twins_of_[i]].items.push_back(i);
  }
}

void Order::lift(std::uint32_t item) {
  done_[item] = true;
  if (!bounded(item)) {
    ++twins_[twins_of_[item]].next;
    return;
  }
  unlink(call_[item]);
  unlink(end_[item]);
  --open_;
}

void Order::put_back(std::uint32_t item) {
  done_[item] = false;
  if (!bounded(item)) {
    --twins_[twins_of_[item]].next;
    return;
  }
  link(end_[item]);
  link(call_[item]);
  ++open_;
}

Order::Next Order::gather(std::vector<std::uint32_t>& candidates) const {
  auto begin = static_cast<std::ptrdiff_t>(candidates.size());
  std::uint32_t n = nodes_[head].next;
  Next next;
  bool timed = true;
  for (; n != head && !nodes_[n].ends; n = nodes_[n].next) {
    std::uint32_t item = nodes_[n].item;
    ++next.looked_at;
    timed = timed && items_[item].when.latest < never;
    next.deadline = std::min(next.deadline, items_[item].when.latest);
    if (in_turn(item)) candidates.push_back(item);
  }
  if (n == head) return {};
  next.blocking = nodes_[n].item;
  auto last = [&](std::uint32_t item) { return timed ? items_[item].when.latest : items_[item].end; };
  std::stable_sort(candidates.begin() + begin, candidates.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return last(a) < last(b); });
  Time end = items_[next.blocking].end;
  for (const Twins& twins : twins_) {
    if (items_[twins.items.front()].invoke > end) break;
    if (twins.next == twins.items.size()) continue;
    std::uint32_t item = twins.items[twins.next];
    if (items_[item].invoke <= end) candidates.push_back(item);
  }
  return next;
}

bool Order::in_turn(std::uint32_t i) const {
  const Item& item = items_[i];
  for (std::int32_t p = item.before; p >= 0; p = items_[static_cast<std::size_t>(p)].before) {
    auto before = static_cast<std::uint32_t>(p);
    bool chained =
        p == item.before && item.event->asked.after_ok && items_[before].event->place + 1 == item.event->place;
    if (!done_[before] && (bounded(before) || (chained && !bounded(i)))) return false;
    if (bounded(before)) break;  // it was in its turn itself
  }
  for (std::int32_t f = follower_[i]; f >= 0; f = follower_[static_cast<std::size_t>(f)]) {
    if (done_[static_cast<std::size_t>(f)]) return false;
    if (bounded(static_cast<std::uint32_t>(f))) break;  // nor is any that comes after it
  }
  return true;
}

bool Order::of_one_batch(std::uint32_t a, std::uint32_t b) const {
  const Event& one = *items_[a].event;
  const Event& other = *items_[b].event;
  return one.client == other.client && one.call == other.call;
}

}  // namespace stile::conformance::judge

// Deliveries, receipts, wakeups, cancel.
//
// SPDX-License-Identifier: Apache-2.0
#include <unordered_map>
#include <unordered_set>

#include "judge/passes.hpp"

namespace stile::conformance::judge {

bool is_delivery(const Event& event) { return event.kind == STILE_OP_RECEIVE && event.ok(); }

namespace {

/// What may make a wakeup, or put one back that is not counted on.
bool is_cause(const Event& event, const Told& told) {
  if (!event.ok() && !event.in_doubt()) return false;
  bool enqueues = event.kind == STILE_OP_ENQUEUE ||
                  ((event.kind == STILE_OP_SUPPLY || event.kind == STILE_OP_APPEND) && event.asked.enqueue);
  return enqueues && !(event.ok() && told.state == STILE_STATE_DEAD);
}

bool removes_wakeup(const Event& event) {
  return (event.ok() || event.in_doubt()) &&
         (event.kind == STILE_OP_CANCEL || (event.kind == STILE_OP_DISCARD && event.asked.cancel));
}

}  // namespace

void pass_deliveries(Court& court, const Group& group) {
  struct Flight {
    std::uint32_t event, longest;
    Time from, until;
    bool may_end;
  };
  std::unordered_map<Text, Flight> flights;
  bool removed = false;
  for (const Mark& mark : group.marks) {
    const Event& event = court.event(mark.event);
    removed = removed || removes_wakeup(event) ||
              (event.kind == STILE_OP_ACQUIRE && event.asked.force && (event.ok() || event.in_doubt()));
    if (!is_delivery(event) || event.asked.again) continue;
    Time until = mark.told->visible_at;
    flights.try_emplace(mark.told->receipt, Flight{mark.event, mark.event, until - event.asked.lease, until, false});
  }
  for (const Mark& mark : group.marks) {
    const Event& event = court.event(mark.event);
    auto found = flights.find(event.asked.receipt);
    if (found == flights.end() || !(event.ok() || event.in_doubt())) continue;
    if (is_answer(event.kind)) found->second.may_end = true;
    if (event.kind == STILE_OP_EXTEND && event.ok() && mark.told->visible_at > found->second.until)
      found->second.until = mark.told->visible_at, found->second.longest = mark.event;
  }
  if (removed) return;
  std::vector<Flight> by_time;
  for (const auto& [receipt, flight] : flights) by_time.push_back(flight);
  std::sort(by_time.begin(), by_time.end(),
            [](auto& a, auto& b) { return a.from != b.from ? a.from < b.from : a.event < b.event; });
  for (std::size_t i = 1; i < by_time.size(); ++i) {
    const Flight& before = by_time[i - 1];
    // Of two that were handed out in one tick nobody knows which was first.
    bool one_tick = by_time[i].from - before.from <= resolution;
    if (!before.may_end && !(one_tick && by_time[i].may_end) && by_time[i].from + resolution < before.until)
      court.find("D1 D4", "delivered while another delivery was live by the store's own clock", group,
                 {before.event, before.longest, by_time[i].event});
  }
}

void pass_receipts(Court& court, const Group& group) {
  std::unordered_map<Text, std::uint32_t> answered;
  Time newest = -never, cancelled = -never;  // when the latest delivery, the latest cancel that is over was asked
  const Mark* delivery = nullptr;
  std::uint32_t cancel = 0;
  auto past = [&](const Mark& mark) {
    const Event& event = court.event(mark.event);
    if (is_delivery(event) && !event.asked.again && event.invoke > newest) newest = event.invoke, delivery = &mark;
    bool cancels = event.kind == STILE_OP_CANCEL && event.ok() && mark.told->removed != 0;
    if (cancels && !court.index.is_repeated(event) && event.invoke > cancelled)
      cancelled = event.invoke, cancel = mark.event;
  };
  auto now = [&](const Mark& mark) {
    const Event& event = court.event(mark.event);
    bool answers = is_answer(event.kind);
    if (!event.ok() || (!answers && event.kind != STILE_OP_EXTEND)) return;
    const Owner* owner = court.index.owner(event.asked.receipt);
    Time given = owner ? court.event(owner->event).end : never;
    if (answers) {
      auto [first, fresh] = answered.try_emplace(event.asked.receipt, mark.event);
      const Event& other = court.event(first->second);
      bool same = event.asked.op_id != Text::none && event.asked.op_id == other.asked.op_id;
      if (!fresh && !same)
        court.find("D6", "one receipt was accepted in two answers", group, {owner->event, first->second, mark.event});
    }
    if (court.index.is_repeated(event)) return;
    if (delivery && newest > given && delivery->told->receipt != event.asked.receipt)
      court.find("D2", "accepted under a receipt that a newer delivery had replaced before", group,
                 {owner->event, delivery->event, mark.event});
    if (cancelled > given)
      court.find("C2", "accepted under a receipt whose wakeup was cancelled before", group,
                 {owner->event, cancel, mark.event});
  };
  sweep(court, group.marks, past, now);
}

namespace {

void never_after_cancel(Court& court, const Group& group) {
  std::vector<Mark> causes;
  std::vector<Time> latest_end;  // of the causes so far
  for (const Mark& mark : group.marks) {
    const Event& event = court.event(mark.event);
    if (!is_cause(event, *mark.told)) continue;
    causes.push_back(mark);
    latest_end.push_back(std::max(event.end, latest_end.empty() ? -never : latest_end.back()));
  }
  Time cancelled = -never;
  std::uint32_t cancel = 0;
  auto past = [&](const Mark& mark) {
    const Event& event = court.event(mark.event);
    if (event.ok() && removes_wakeup(event) && !court.index.is_repeated(event) && event.invoke > cancelled)
      cancelled = event.invoke, cancel = mark.event;
  };
  auto now = [&](const Mark& mark) {
    const Event& event = court.event(mark.event);
    if (!is_delivery(event) || cancelled == -never) return;
    auto after = std::partition_point(causes.begin(), causes.end(), [&](const Mark& cause) {
      return court.event(cause.event).invoke < event.returned;
    });
    bool caused =
        after != causes.begin() && latest_end[static_cast<std::size_t>(after - causes.begin()) - 1] > cancelled;
    if (!caused)
      court.find("C1", "delivered after cancel, and nothing was enqueued since", group, {cancel, mark.event});
  };
  sweep(court, group.marks, past, now);
}

/// W2, W3: what is delivered for the first time was enqueued, or put back by snooze; each once.
void no_more_than_causes(Court& court, const Group& group) {
  std::vector<std::uint32_t> first;
  std::vector<Time> causes;
  std::unordered_set<Text> receipts;
  for (const Mark& mark : group.marks) {
    const Event& event = court.event(mark.event);
    bool put_back = event.kind == STILE_OP_SNOOZE && (event.ok() || event.in_doubt());
    if (is_cause(event, *mark.told) || put_back) causes.push_back(event.invoke);
    if (is_delivery(event) && mark.told->delivery_count == 1 && receipts.insert(mark.told->receipt).second)
      first.push_back(mark.event);
  }
  std::sort(first.begin(), first.end(),
            [&](auto a, auto b) { return court.event(a).returned < court.event(b).returned; });
  for (std::size_t i = 0; i < first.size(); ++i)
    if (i >= causes.size() || causes[i] > court.event(first[i]).returned)
      return court.find("W2", "delivered more often than it was enqueued", group,
                        {first[i == 0 ? 0 : i - 1], first[i]});
}

bool looks_into(const Court& court, const Event& receive, Text queue) {
  const auto& queues = court.index.history().queues;
  Range asked = receive.asked.queues;
  if (asked.size() == 0) return queue == Text::none;
  return std::find(queues.begin() + asked.begin, queues.begin() + asked.end, queue) != queues.begin() + asked.end;
}

/// W1: enqueued, never delivered or removed, and a receive that waited long came back empty.
void none_lost(Court& court, const Group& group) {
  if (court.patient.empty() || !court.index.lost_receives().empty()) return;
  const Mark* last = nullptr;
  Text queue = Text::none;
  for (const Mark& mark : group.marks) {
    const Event& event = court.event(mark.event);
    if (event.ok() && event.asked.has_queue && is_cause(event, *mark.told)) queue = event.asked.queue;
    if (event.ok() && is_cause(event, *mark.told) && mark.told->has_visible_at) last = &mark;
  }
  if (!last) return;
  const Event& cause = court.event(last->event);
  for (const Mark& mark : group.marks) {
    const Event& event = court.event(mark.event);
    bool settles = is_delivery(event) || removes_wakeup(event) || is_answer(event.kind) || grants_lease(event);
    if (settles && event.end > cause.invoke) return;
  }
  Time due = std::max(cause.end, court.clock.known() ? last->told->visible_at - court.clock.least : never);
  for (std::uint32_t number : court.patient)
    if (court.event(number).invoke > due && looks_into(court, court.event(number), queue))
      return court.find("W1", "enqueued, and a receive that waited for long did not find it", group,
                        {last->event, number});
}

}  // namespace

void pass_wakeups(Court& court, const Group& group) {
  never_after_cancel(court, group);
  no_more_than_causes(court, group);
  none_lost(court, group);
}

void pass_batches(Court& court) {
  const History& history = court.index.history();
  std::unordered_map<Text, std::uint32_t> given;
  for (std::uint32_t i = 0; i < history.events.size(); ++i) {
    const Event& event = history.events[i];
    bool shows = is_answer(event.kind) || event.kind == STILE_OP_EXTEND;
    if (shows && event.ok() && !court.index.owner(event.asked.receipt))
      court.find("D2", "accepted under a receipt that nobody was given", Finding::Of::store, Text::none, {i});
    if (!is_delivery(event)) continue;
    auto deliveries = history.handed_out(event.told.deliveries);
    std::unordered_set<Text> workflows;
    for (const Told& each : deliveries) {
      if (!workflows.insert(each.workflow).second)
        court.find("D10 D1", "one workflow twice in one answer", Finding::Of::workflow, each.workflow, {i});
      auto [first, fresh] = given.try_emplace(each.receipt, i);
      const Event& other = history.events[first->second];
      bool resent = event.asked.op_id != Text::none && event.asked.op_id == other.asked.op_id;
      if (!fresh && !resent)
        court.find("D2", "one receipt was given twice", Finding::Of::workflow, each.workflow, {first->second, i});
    }
    if (!event.asked.again && static_cast<std::int64_t>(deliveries.size()) > event.asked.max)
      court.find("D10", "more deliveries than max", Finding::Of::store, Text::none, {i});
  }
}

}  // namespace stile::conformance::judge

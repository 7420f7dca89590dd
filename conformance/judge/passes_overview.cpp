// Watchers, the order of a backlog, and stats against list.
//
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <unordered_map>

#include "judge/passes.hpp"

namespace stile::conformance::judge {
namespace {

bool changes_nothing(const Event& event) {
  switch (event.kind) {
    case STILE_OP_LOAD:
    case STILE_OP_GET:
    case STILE_OP_SCAN:
    case STILE_OP_WATCH:
    case STILE_OP_INFO:
    case STILE_OP_STATS:
    case STILE_OP_LIST:
    case STILE_OP_RENDER:
    case STILE_OP_PREPARE: return true;
    default: return !event.ok() && !event.in_doubt();
  }
}

bool moves_clock(const History& history) {
  return std::any_of(history.events.begin(), history.events.end(),
                     [](const Event& event) { return event.kind == STILE_OP_ADVANCE; });
}

/// A record that was told of: its position, and when everybody could see it.
struct Seen {
  Time end;
  std::int64_t position;
  std::uint32_t event;
};

bool tells_position(const Event& event) {
  return event.ok() &&
         (event.kind == STILE_OP_RECORD || event.kind == STILE_OP_SUPPLY || event.kind == STILE_OP_APPEND ||
          event.kind == STILE_OP_TRANSACT || event.kind == STILE_OP_REBASE);
}

using Positions = std::unordered_map<Text, std::vector<Seen>>;

/// By workflow, in the order in which they were over, each with the highest position until then. Workflows that may
/// have been forgotten are left out: discard and trim are changes, too, but lower what there is.
Positions positions_told(const Court& court) {
  Positions all;
  for (const Group& group : court.index.workflows()) {
    if (may_forget(court, group)) continue;
    std::vector<Seen>& seen = all[group.subject];
    for (const Mark& mark : group.marks)
      if (tells_position(court.event(mark.event)))
        seen.push_back({court.event(mark.event).end, mark.told->position, mark.event});
    std::sort(seen.begin(), seen.end(), [](auto& a, auto& b) { return a.end < b.end; });
    for (std::size_t i = 1; i < seen.size(); ++i)
      if (seen[i].position < seen[i - 1].position)
        seen[i].position = seen[i - 1].position, seen[i].event = seen[i - 1].event;
  }
  return all;
}

}  // namespace

void pass_watches(Court& court) {
  const History& history = court.index.history();
  bool by_hand = moves_clock(history);
  Positions positions;
  for (std::uint32_t i = 0; i < history.events.size(); ++i) {
    const Event& event = history.events[i];
    if (event.kind != STILE_OP_WATCH || !event.ok() || event.told.woken) continue;
    if (positions.empty()) positions = positions_told(court);
    // It looked last when its wait was over, or at least once where it was ended early.
    Time wait_over = plus(event.invoke, event.asked.wait);
    Time looked = !by_hand && event.returned >= wait_over ? wait_over - resolution : event.invoke;
    for (const Watched& each : history.looked_after(event.asked.watched)) {
      auto found = positions.find(each.workflow);
      if (found == positions.end()) continue;
      const std::vector<Seen>& seen = found->second;
      auto after = std::partition_point(seen.begin(), seen.end(), [&](const Seen& one) { return one.end < looked; });
      if (after == seen.begin() || std::prev(after)->position <= each.after) continue;
      court.find("B14", "a record was there above what was read, and a watch did not tell of it", Finding::Of::workflow,
                 each.workflow, {std::prev(after)->event, i});
    }
  }
}

namespace {

/// What one caller took after everybody else was done.
struct Taken {
  Time due;
  std::uint32_t event;
};

/// When the last of those that change anything but by taking deliveries was over; never where something is in doubt.
Time all_made(const History& history) {
  Time end = -never;
  for (const Event& event : history.events) {
    bool takes = event.kind == STILE_OP_RECEIVE || event.kind == STILE_OP_ACK || event.kind == STILE_OP_ADVANCE;
    if (!takes && !changes_nothing(event)) end = std::max(end, event.end);
  }
  return end;
}

/// Of one queue: those whose one enqueue is known, in the order in which they were taken. Empty where several callers
/// took, or not all was due when the first was.
std::vector<Taken> backlog(const Court& court, Text queue, Time made) {
  std::vector<Taken> taken;
  Time due_by = never;
  for (const Group& group : court.index.workflows()) {
    const Mark *cause = nullptr, *delivery = nullptr;
    bool plain = true;
    for (const Mark& mark : group.marks) {
      const Event& event = court.event(mark.event);
      if (event.kind == STILE_OP_ENQUEUE && event.ok())
        plain = plain && cause == nullptr, cause = &mark;
      else if (is_delivery(event) && mark.told->queue == queue && !event.asked.acquire)
        plain = plain && delivery == nullptr && event.invoke > made, delivery = &mark;
      else
        plain = plain && (changes_nothing(event) || event.kind == STILE_OP_ACK);
    }
    if (!plain || !cause || !delivery || !cause->told->has_visible_at) continue;
    taken.push_back({cause->told->visible_at, delivery->event});
    due_by = std::min(due_by, delivery->told->visible_at - court.event(delivery->event).asked.lease);
  }
  // Those of one call may stand in it in any order.
  std::stable_sort(taken.begin(), taken.end(),
                   [](auto& a, auto& b) { return a.event != b.event ? a.event < b.event : a.due < b.due; });
  std::erase_if(taken, [&](const Taken& each) { return each.due > due_by; });
  for (std::size_t i = 1; i < taken.size(); ++i) {
    const Event& before = court.event(taken[i - 1].event);
    if (taken[i].event != taken[i - 1].event && before.returned > court.event(taken[i].event).invoke) return {};
  }
  return taken;
}

/// The longest chain in which each was due later than the next, though it was taken before it. Those of one partition
/// come in their order, so a chain has at most one of each.
std::vector<std::uint32_t> longest_fall(const std::vector<Taken>& taken) {
  std::vector<std::int32_t> before(taken.size(), -1);
  std::vector<std::size_t> ends;  // of the chains of each length, the one that ends with the latest due
  for (std::size_t i = 0; i < taken.size(); ++i) {
    auto longer = std::partition_point(ends.begin(), ends.end(),
                                       [&](std::size_t end) { return taken[end].due > taken[i].due + resolution; });
    if (longer != ends.begin()) before[i] = static_cast<std::int32_t>(*std::prev(longer));
    if (longer == ends.end())
      ends.push_back(i);
    else if (taken[i].due > taken[*longer].due)
      *longer = i;
  }
  std::vector<std::uint32_t> chain;
  for (std::int32_t i = ends.empty() ? -1 : static_cast<std::int32_t>(ends.back()); i >= 0;
       i = before[static_cast<std::size_t>(i)])
    chain.push_back(taken[static_cast<std::size_t>(i)].event);
  std::reverse(chain.begin(), chain.end());
  return chain;
}

}  // namespace

void pass_order(Court& court) {
  const History& history = court.index.history();
  std::int64_t partitions = 0;
  for (const Event& event : history.events) partitions = std::max(partitions, event.told.partitions);
  if (partitions == 0) return;
  Time made = all_made(history);
  std::vector<Text> queues;
  for (const Told& each : history.deliveries) queues.push_back(each.queue);
  std::sort(queues.begin(), queues.end());
  queues.erase(std::unique(queues.begin(), queues.end()), queues.end());
  for (Text queue : queues) {
    auto fall = longest_fall(backlog(court, queue, made));
    if (static_cast<std::int64_t>(fall.size()) <= partitions) continue;
    fall.resize(std::min<std::size_t>(fall.size(), static_cast<std::size_t>(partitions) + 1));
    court.find("W7",
               "taken by one caller from a backlog, these " + std::to_string(fall.size()) +
                   " come latest first, and there are " + std::to_string(partitions) + " partitions",
               Finding::Of::store, Text::none, {fall.front(), fall.back()});
  }
}

namespace {

/// The pages of a list from its first to its last, told while nothing changed.
struct Pages {
  Figures sum;
  std::vector<std::uint32_t> events;
  bool complete = false;
};

Pages last_pages(const History& history, Time quiet) {
  Pages pages;
  Text next = Text::none;
  for (std::uint32_t i = 0; i < history.events.size(); ++i) {
    const Event& event = history.events[i];
    if (event.kind != STILE_OP_LIST || !event.ok() || event.asked.narrowed || event.asked.prefix != Text::none)
      continue;
    if (event.invoke <= quiet) continue;
    if (event.asked.page_after == Text::none) pages = {};
    if (!pages.events.empty() && event.asked.page_after != next) return {};
    for (const Listed& each : history.workflows_on(event.told.listed)) {
      Figures& sum = pages.sum;
      sum.ready += each.state == STILE_STATE_READY || each.state == STILE_STATE_DELAYED;
      sum.in_flight += each.state == STILE_STATE_IN_FLIGHT;
      sum.dead += each.state == STILE_STATE_DEAD;
      sum.finished += each.finished;
      sum.workflows += 1;
      sum.records += each.records;
    }
    pages.events.push_back(i);
    next = event.told.next;
    pages.complete = !event.told.has_next;
  }
  return pages;
}

}  // namespace

void pass_figures(Court& court) {
  const History& history = court.index.history();
  Time quiet = -never;
  for (const Event& event : history.events)
    if (!changes_nothing(event)) quiet = std::max(quiet, event.end);
  if (quiet >= never) return;
  Pages pages = last_pages(history, quiet);
  constexpr std::int64_t counted_exactly = 10'000;
  if (!pages.complete || pages.sum.workflows > counted_exactly || pages.sum.records > counted_exactly) return;
  for (std::uint32_t i = 0; i < history.events.size(); ++i) {
    const Event& event = history.events[i];
    if (event.kind != STILE_OP_STATS || !event.ok() || event.asked.narrowed || event.invoke <= quiet) continue;
    const Figures& told = history.figures[event.told.figures.begin];
    const Figures& sum = pages.sum;
    auto agree = [&](const char* name, std::int64_t counted, std::int64_t listed) {
      if (counted != listed)
        court.find("S4", "stats says " + std::to_string(counted) + " " + name + ", list says " + std::to_string(listed),
                   Finding::Of::store, Text::none, {pages.events.front(), i});
    };
    agree("ready and delayed", told.ready + told.delayed, sum.ready);
    agree("in flight", told.in_flight, sum.in_flight);
    agree("dead", told.dead, sum.dead);
    agree("workflows", told.workflows, sum.workflows);
    agree("finished", told.finished, sum.finished);
    agree("records", told.records, sum.records);
  }
}

}  // namespace stile::conformance::judge

// How a row changes: leases, wakeups, trim classes as pure functions on a row and a time. Nothing here reads a table.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "stile/sdk/engine/context.hpp"

namespace stile::sdk::engine {

// --- lease (A) ------------------------------------------------------------------------------------------------------

/// Is this the current pair (A4)? No stamp at all is that of an older epoch: nobody's.
inline bool fence_current(const Row& row, const stile_fence& fence) {
  return row.number != 0 && fence.number == row.number && same(fence.stamp, row.stamp) && !none(row.stamp);
}
inline stile_fence fence_of(const Row& row) { return {row.number, row.stamp}; }

/// Is the wakeup put off for a lease that has not ended (D9)?
inline bool still_put_off(const Row& row, Time now) { return row.put_off != 0 && row.due > now && row.leased(now); }

/// Moves the end of the lease; what was put off until it moves along (D9). A delivery that was extended while it was
/// put off can outlive the lease that it met: the next lease is none of its business.
inline void set_alive(Row& row, Time alive, Time now) {
  if (still_put_off(row, now)) {
    row.due = std::max(alive, row.since);
  } else if (row.put_off != 0 && row.due > now) {
    row.put_off = 0;
    row.since = 0;
  }
  row.alive = alive;
}

/// A new lease (A1, A3). floor counts when the row has no number.
inline void grant(Row& row, const stile_id& stamp, std::uint32_t kind, Span ttl, Span budget, std::uint64_t floor,
                  Time now) {
  row.number = row.number != 0 ? row.number + 1 : floor + 1;
  row.stamp = stamp;
  row.granted_by = static_cast<std::uint8_t>(kind);
  row.ttl = ttl;
  row.budget = later(now, budget);
  set_alive(row, std::min(later(now, ttl), row.budget), now);
}

/// The lease ends here; its fence stays (A8). What was put off for it is due again.
inline void free_lease(Row& row, Time now) {
  if (still_put_off(row, now)) row.due = std::max(row.since, now);
  row.alive = 0;
  row.budget = 0;
}

/// A6. Only a live lease is kept alive.
inline void sign_of_life(Row& row, Time now) {
  if (!row.leased(now)) return;
  const Time alive = std::min(later(now, row.ttl), row.budget);
  if (alive > row.alive) set_alive(row, alive, now);
}

/// A7: may this be renewed? The fence is current.
inline bool renewable(const Row& row, bool has_budget, Time now) { return has_budget || now < row.budget; }

inline void renew_lease(Row& row, Span ttl, bool has_budget, Span budget, Time now) {
  if (has_budget) row.budget = std::max(row.budget, later(now, budget));
  row.ttl = ttl;
  const Time alive = std::min(later(now, ttl), row.budget);
  if (alive > row.alive) set_alive(row, alive, now);
}

// --- wakeup (W, D) --------------------------------------------------------------------------------------------------

inline void make_waiting(Row& row, Time due) {
  row.wakeup = Wakeup::waiting;
  row.due = due;
  row.put_off = 0;
  row.since = 0;
}

/// What was named while it was in flight takes effect with its end (W3, W10).
inline void end_flight(Row& row) {
  row.pend = 0;
  row.put_off = 0;
  row.since = 0;
  if (row.has_next_queue == 0) return;
  row.queue = row.next_queue;
  row.next_queue.clear();
  row.has_next_queue = 0;
}

/// The earlier of a time and the enqueue kept while in flight.
inline Time with_pend(const Row& row, Time due) { return row.pend != 0 ? std::min(row.pend, due) : due; }

/// cancel, and discard with cancel: no wakeup, whatever it was (C1, C2). Answers whether there was one.
inline bool remove_wakeup(Row& row, Time now) {
  const bool removed = row.has_wakeup();
  if (row.wakeup == Wakeup::in_flight) row.cancelled_at = now;
  end_flight(row);
  row.wakeup = Wakeup::none;
  row.due = 0;
  row.count = 0;
  row.error.clear();
  return removed;
}

/// A delivery in flight is ready again, its receipt stale, its count kept (A13, S2).
inline void take_back(Row& row, Time now) {
  if (row.wakeup != Wakeup::in_flight) return;
  const bool waits = still_put_off(row, now);
  const Time since = row.since, again = with_pend(row, now);
  end_flight(row);
  make_waiting(row, again);
  row.receive = stile_id{};
  row.cancelled_at = 0;
  if (!waits) return;
  row.put_off = 1;
  row.since = std::min(since, again);
  row.due = std::max(row.alive, row.since);  // the new lease's end, however far the delivery was extended
}

/// The wakeup part of enqueue, supply and append (W2, W3, W10, D7).
struct Enqueued {
  std::uint32_t state = 0;
  Time visible_at = 0;
};

inline Enqueued put_wakeup(Row& row, const stile_enqueue& asked, bool revive, Time now) {
  const Time due = moment(asked.is_instant != 0, asked.when, now);
  const auto made = [&]() -> Enqueued {
    if (asked.has_queue) row.queue = view(asked.queue);
    make_waiting(row, due);
    row.count = 0;
    return {due <= now ? STILE_STATE_READY : STILE_STATE_DELAYED, due};
  };
  switch (row.wakeup) {
    case Wakeup::none: return made();
    case Wakeup::dead:
      if (!revive) return {STILE_STATE_DEAD, 0};
      return made();
    case Wakeup::waiting:
      if (asked.has_queue) row.queue = view(asked.queue);
      if (row.put_off != 0) {
        row.since = std::min(row.since, due);
      } else {
        row.due = std::min(row.due, due);
      }
      return {STILE_STATE_COALESCED, row.due};
    case Wakeup::in_flight: break;
  }
  if (asked.has_queue) {
    row.next_queue = view(asked.queue);
    row.has_next_queue = 1;
  }
  row.pend = with_pend(row, due);
  return {STILE_STATE_DEFERRED, row.pend};
}

// --- trim (T) -------------------------------------------------------------------------------------------------------

/// When a leftover may go: after the last thing that happened to it, and after its lease.
inline Time leftover_until(const Row& row) { return later(std::max(row.happened_at, row.alive), husk_time); }

/// Puts the row where trim will look for it. Times in the index are lower bounds, so that a row that stays in its class
/// is not moved by every change.
inline void place_for_trim(Row& row, Time now) {
  const auto place = [&row](TrimClass trim_class, Time at) {
    if (row.trim_class == trim_class && row.trim_at <= at) return;
    row.trim_class = trim_class;
    row.trim_at = at;
  };
  if (row.has_wakeup()) return place(TrimClass::none, 0);
  if (row.finished_at != 0) {
    if (row.leased(now)) return place(TrimClass::finished_leased, row.alive);
    return place(TrimClass::finished, row.touched_at);
  }
  if (row.records == 0 && row.cancel_requested == 0) return place(TrimClass::leftover, leftover_until(row));
  place(TrimClass::none, 0);
}

/// S2: what a row of an older epoch is now. Its fence is no longer current, its delivery is ready again.
inline void bump_epoch(Row& row, std::uint32_t epoch, Time now) {
  row.epoch = epoch;
  row.stamp = stile_id{};
  row.granted_by = 0;
  free_lease(row, now);
  take_back(row, now);
  row.receive = stile_id{};
  row.cancelled_at = 0;
}

// --- both -----------------------------------------------------------------------------------------------------------

/// The row of an id as it counts now, or null.
template <RowTables T>
typename T::Row* look(T& tables, const Context& context, std::string_view id) {
  auto* row = tables.find(id);
  if (row != nullptr && row->epoch != context.epoch) bump_epoch(*row, context.epoch, context.now);
  return row;
}

template <RowTables T>
typename T::Row& look_or_make(T& tables, const Context& context, std::string_view id) {
  if (auto* row = look(tables, context, id)) {
    if (!row->known()) row->touched_at = context.now;  // a husk begins anew
    return *row;
  }
  auto& row = tables.make(id);
  row.epoch = context.epoch;
  row.touched_at = context.now;
  return row;
}

/// Stores a row that was changed.
template <RowTables T>
void store(T& tables, const Context& context, typename T::Row& row) {
  row.happened_at = std::max(row.happened_at, context.now);
  place_for_trim(row, context.now);
  tables.save(row);
}

}  // namespace stile::sdk::engine

// list and stats: what an operator sees (contract S4, K7).
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "stile/sdk/engine/paging.hpp"
#include "stile/sdk/engine/state.hpp"

namespace stile::sdk::engine {

/// The state that list gives a workflow: that of its wakeup, else finished, else idle (S4).
inline std::uint32_t listed_state(const Row& row, Time now) {
  switch (row.wakeup) {
    case Wakeup::waiting: return row.due <= now ? STILE_STATE_READY : STILE_STATE_DELAYED;
    case Wakeup::in_flight: return STILE_STATE_IN_FLIGHT;
    case Wakeup::dead: return STILE_STATE_DEAD;
    case Wakeup::none: break;
  }
  return row.finished_at != 0 ? STILE_STATE_FINISHED : STILE_STATE_IDLE;
}

namespace overview_detail {

inline bool wanted(const stile_list_request& asked, const Row& row, Time now) {
  if (!row.known()) return false;
  const std::uint32_t state = listed_state(row, now);
  if (asked.state != 0 && asked.state != state) return false;
  if (asked.has_queue && row.queue != view(asked.queue)) return false;
  if (!asked.has_idle_for) return true;
  return state == STILE_STATE_IDLE && !row.leased(now) && row.touched_at <= now - asked.idle_for;
}

inline stile_workflow* tell(stile_op& op, const Row& row, Time now) {
  Carver carver(op, sizeof(stile_workflow) + row.id.size() + row.queue.size() + row.error.size());
  auto* made = carver.element<stile_workflow>();
  made->workflow = carver.copy(row.id);
  made->queue = carver.copy(row.queue);
  made->last_error = carver.copy(row.error);
  made->state = listed_state(row, now);
  made->due_at = row.in_due_index() ? row.due : 0;
  made->records = row.records;
  made->fence_number = row.number;
  made->live_until = row.leased(now) ? row.alive : 0;
  made->finished_at = row.finished_at;
  made->last_written_at = row.records != 0 ? row.written_at : 0;
  made->delivery_count = row.count;
  made->cancel_requested = row.cancel_requested;
  return made;
}

}  // namespace overview_detail

/// Needs only each_row of the tables, so that a store with partitions can show it all of them as one.
template <class T>
void list(T& tables, const Context& context, stile_op& op) {
  using namespace overview_detail;
  const auto& asked = request_of<stile_list_request>(op);
  Paging<stile_workflow, stile_list_result> page(op, asked.limit, context, result_of<stile_list_result>(op).workflows);
  tables.each_row(view(asked.prefix), view(asked.after), [&](const Row& row) {
    if (!wanted(asked, row, context.now)) return page.skip(row.id);
    if (page.full()) return false;
    auto* made = tell(op, row, context.now);
    return page.give(made, made->workflow);
  });
  page.end();
}

/// Needs only totals of the tables.
template <class T>
void stats(T& tables, const Context& context, stile_op& op) {
  const auto& asked = request_of<stile_stats_request>(op);
  const std::string_view queue = asked.has_queue ? view(asked.queue) : std::string_view{};
  const Totals totals = tables.totals(context.now, asked.has_queue ? &queue : nullptr);
  auto& out = result_of<stile_stats_result>(op);
  out.approximate = totals.approximate;
  out.ready = totals.ready;
  out.delayed = totals.delayed;
  out.in_flight = totals.in_flight;
  out.dead = totals.dead;
  out.workflows = totals.workflows;
  out.finished = totals.finished;
  out.records = totals.records;
  out.documents = totals.documents;
  out.stored_bytes = totals.stored_bytes;
  out.oldest_ready_age = totals.ready != 0 ? std::max<Span>(context.now - totals.oldest_ready, 0) : -1;
  out.next_due_at = totals.next_due;
  accept(op);
}

}  // namespace stile::sdk::engine

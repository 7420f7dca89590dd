// acquire, renew, release (contract A).
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "stile/sdk/engine/state.hpp"

namespace stile::sdk::engine {

namespace lease_detail {

inline void answer_grant(stile_op& op, const Row& row) {
  auto& out = result_of<stile_acquire_result>(op);
  out.fence = fence_of(row);
  out.live_until = row.alive;
  out.budget_until = row.budget;
  out.cancel_requested = row.cancel_requested;
  accept(op);
}

}  // namespace lease_detail

template <RowTables T>
void acquire(T& tables, const Context& context, stile_op& op) {
  const auto& asked = request_of<stile_acquire_request>(op);
  const Time now = context.now;
  if (const auto* held = look(tables, context, view(asked.workflow)); held != nullptr && held->leased(now)) {
    if (!none(op.op_id) && same(op.op_id, held->stamp)) {  // A9
      if (held->granted_by != STILE_OP_ACQUIRE) return refuse_reused(op);
      return lease_detail::answer_grant(op, *held);
    }
    if (!asked.force) {
      result_of<stile_acquire_result>(op).live_until = held->alive;
      op.retry_after = held->alive - now;
      return refuse(op, STILE_HELD, "another lease of this workflow is live");
    }
  }
  auto& row = look_or_make(tables, context, view(asked.workflow));
  grant(row, none(op.op_id) ? context.fresh : op.op_id, STILE_OP_ACQUIRE, asked.ttl, asked.budget,
        row.number == 0 ? tables.floor() : 0, now);
  if (asked.force) take_back(row, now);  // A13
  store(tables, context, row);
  lease_detail::answer_grant(op, row);
}

template <RowTables T>
void renew(T& tables, const Context& context, stile_op& op) {
  const auto& asked = request_of<stile_renew_request>(op);
  auto* row = look(tables, context, view(asked.workflow));
  if (row == nullptr || !fence_current(*row, asked.fence)) return refuse_fenced(op);
  if (!renewable(*row, asked.has_budget != 0, context.now))
    return refuse(op, STILE_LAPSED, "the budget of this lease is spent: renew with a budget, or stop");
  renew_lease(*row, asked.ttl, asked.has_budget != 0, asked.budget, context.now);
  store(tables, context, *row);
  auto& out = result_of<stile_renew_result>(op);
  out.live_until = row->alive;
  out.budget_until = row->budget;
  out.cancel_requested = row->cancel_requested;
  accept(op);
}

template <RowTables T>
void release(T& tables, const Context& context, stile_op& op) {
  const auto& asked = request_of<stile_release_request>(op);
  auto* row = look(tables, context, view(asked.workflow));
  if (row == nullptr || !fence_current(*row, asked.fence)) return refuse_fenced(op);
  if (row->alive != 0 || row->budget != 0) {  // else it was released before (A8)
    free_lease(*row, context.now);
    store(tables, context, *row);
  }
  accept(op);
}

}  // namespace stile::sdk::engine

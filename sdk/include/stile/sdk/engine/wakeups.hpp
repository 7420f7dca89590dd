// enqueue, cancel, extend, and the four answers ack, snooze, nack, reject (contract C, D, W).
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "stile/sdk/engine/receipt.hpp"
#include "stile/sdk/engine/state.hpp"

namespace stile::sdk::engine {

template <QueueTables T>
void enqueue(T& tables, const Context& context, stile_op& op) {
  const auto& asked = request_of<stile_enqueue_request>(op);
  auto& out = result_of<stile_enqueue_result>(op);
  auto& row = look_or_make(tables, context, view(asked.workflow));
  if (!none(op.op_id) && same(op.op_id, row.enqueue_op)) {
    if (row.enqueue_kind != STILE_OP_ENQUEUE) return refuse_reused(op);
  } else {
    const Enqueued made = put_wakeup(row, *asked.enqueue, asked.revive != 0, context.now);
    row.enqueue_op = op.op_id;
    row.enqueue_kind = STILE_OP_ENQUEUE;
    row.enqueue_state = static_cast<std::uint8_t>(made.state);
    row.enqueue_at = made.visible_at;
    store(tables, context, row);
  }
  out.state = row.enqueue_state;
  out.visible_at = row.enqueue_at;
  accept(op);
}

template <QueueTables T>
void cancel(T& tables, const Context& context, stile_op& op) {
  const auto& asked = request_of<stile_cancel_request>(op);
  auto& out = result_of<stile_cancel_result>(op);
  auto* row = look(tables, context, view(asked.workflow));
  if (row == nullptr) return accept(op);  // C4, B6
  if (none(op.op_id) || !same(op.op_id, row->cancel_op)) {
    row->cancel_removed = remove_wakeup(*row, context.now) ? 1 : 0;
    row->cancel_op = op.op_id;
    store(tables, context, *row);
  }
  out.removed = row->cancel_removed;
  accept(op);
}

namespace wakeups_detail {

/// The row that a receipt is current for, or null with the refusal said (D2, C2).
template <QueueTables T>
typename T::Row* judge_receipt(const Context& context, stile_op& op, const Receipt& receipt, typename T::Row* row) {
  if (row != nullptr && receipt.names(*row)) {
    if (row->wakeup == Wakeup::in_flight) return row;
    if (row->cancelled_at != 0 && context.now < later(row->cancelled_at, husk_time)) {
      refuse(op, STILE_CANCELLED, "the wakeup behind this receipt was cancelled");
      return nullptr;
    }
  }
  refuse(op, STILE_STALE, "the receipt is not the current one of its wakeup: it was answered or delivered again");
  return nullptr;
}

/// The receipt in a request, read here unless the store has; null for what is none.
inline const Receipt* receipt_of(const Context& context, ReceiptReader& reader, const stile_bytes& text) {
  if (context.receipt != nullptr) return context.receipt;
  return reader.read(view(text)) ? &reader.receipt() : nullptr;
}

inline void refuse_no_receipt(stile_op& op) { refuse(op, STILE_STALE, "this is no receipt of a delivery"); }

/// Gives one answer: `again` tells what was answered before, `apply` changes the row of an accepted one.
template <QueueTables T, class Again, class Apply>
void answer(T& tables, const Context& context, stile_op& op, const stile_answer& given, bool finished, Again&& again,
            Apply&& apply) {
  ReceiptReader reader;
  const Receipt* read = receipt_of(context, reader, given.receipt);
  if (read == nullptr) return refuse_no_receipt(op);
  const Receipt& receipt = *read;
  auto* row = look(tables, context, receipt.workflow);
  if (row != nullptr && !none(op.op_id) && same(op.op_id, row->answer_op)) {  // D6, R1
    if (row->answer_kind != op.kind) return refuse_reused(op);
    again(*row);
    return accept(op);
  }
  row = judge_receipt<T>(context, op, receipt, row);
  if (row == nullptr) return;
  if (given.has_fence && !fence_current(*row, given.fence)) return refuse_fenced(op);  // D8
  if (finished && !given.has_fence && row->number != 0)
    return refuse(op, STILE_INVALID, "finished needs the fence: this workflow has been granted a lease");
  row->answer_op = op.op_id;
  row->answer_kind = static_cast<std::uint8_t>(op.kind);
  row->answer_at = 0;
  row->answer_count = 0;
  row->answer_flag = 0;
  apply(*row);
  row->touched_at = context.now;
  if (given.release) free_lease(*row, context.now);
  store(tables, context, *row);
  again(*row);
  accept(op);
}

/// Back to waiting, at the earlier of a time and the enqueue that was kept (W3).
inline void back_to_waiting(Row& row, Time due) {
  due = with_pend(row, due);
  end_flight(row);
  make_waiting(row, due);
}

/// The last error, cut at its limit, never refused (B9, D11).
inline void keep_error(Row& row, const Context& context, std::uint32_t has_error, const stile_bytes& error) {
  if (!has_error) return;
  row.error = view(error).substr(0, context.limits->error_bytes);
}

}  // namespace wakeups_detail

template <QueueTables T>
void ack(T& tables, const Context& context, stile_op& op) {
  const auto& asked = request_of<stile_ack_request>(op);
  wakeups_detail::answer(
      tables, context, op, asked.answer, asked.finished != 0,
      [&](const Row& row) { result_of<stile_ack_result>(op).requeued = row.answer_flag; },
      [&](Row& row) {
        row.count = 0;
        row.error.clear();
        if (asked.finished && row.finished_at == 0) row.finished_at = context.now;  // T1
        if (row.pend != 0) {
          row.answer_flag = 1;
          return wakeups_detail::back_to_waiting(row, never);
        }
        end_flight(row);
        row.wakeup = Wakeup::none;
        row.due = 0;
      });
}

template <QueueTables T>
void snooze(T& tables, const Context& context, stile_op& op) {
  const auto& asked = request_of<stile_snooze_request>(op);
  wakeups_detail::answer(
      tables, context, op, asked.answer, false,
      [&](const Row& row) { result_of<stile_snooze_result>(op).visible_at = row.answer_at; },
      [&](Row& row) {
        row.count = 0;
        row.error.clear();
        wakeups_detail::back_to_waiting(row, moment(asked.is_instant != 0, asked.when, context.now));
        row.answer_at = row.due;
      });
}

template <QueueTables T>
void nack(T& tables, const Context& context, stile_op& op) {
  const auto& asked = request_of<stile_nack_request>(op);
  wakeups_detail::answer(
      tables, context, op, asked.answer, false,
      [&](const Row& row) {
        auto& out = result_of<stile_nack_result>(op);
        out.visible_at = row.answer_at;
        out.delivery_count = row.answer_count;
      },
      [&](Row& row) {
        wakeups_detail::keep_error(row, context, asked.has_error, asked.error);
        wakeups_detail::back_to_waiting(row, later(context.now, asked.delay));
        row.answer_at = row.due;
        row.answer_count = row.count;
      });
}

template <QueueTables T>
void reject(T& tables, const Context& context, stile_op& op) {
  const auto& asked = request_of<stile_reject_request>(op);
  wakeups_detail::answer(
      tables, context, op, asked.answer, false,
      [&](const Row& row) { result_of<stile_reject_result>(op).state = row.answer_flag; },
      [&](Row& row) {
        wakeups_detail::keep_error(row, context, asked.has_error, asked.error);
        if (row.pend != 0) {
          row.count = 0;
          row.answer_flag = STILE_STATE_REQUEUED;
          return wakeups_detail::back_to_waiting(row, never);
        }
        row.answer_flag = STILE_STATE_DEAD;
        end_flight(row);
        row.wakeup = Wakeup::dead;
        row.due = 0;
      });
}

/// D3: a sign of life of the delivery, and with a fence of the lease too; both or neither.
template <QueueTables T>
void extend(T& tables, const Context& context, stile_op& op) {
  const auto& asked = request_of<stile_extend_request>(op);
  const Time now = context.now;
  ReceiptReader reader;
  const Receipt* receipt = wakeups_detail::receipt_of(context, reader, asked.receipt);
  if (receipt == nullptr) return wakeups_detail::refuse_no_receipt(op);
  auto* row = wakeups_detail::judge_receipt<T>(context, op, *receipt, look(tables, context, receipt->workflow));
  if (row == nullptr) return;
  if (asked.has_fence && !fence_current(*row, asked.fence)) return refuse_fenced(op);
  if (asked.has_fence && !renewable(*row, asked.has_budget != 0, now))
    return refuse(op, STILE_LAPSED, "the budget of this lease is spent: extend with a budget, or stop");
  if (asked.has_fence) renew_lease(*row, asked.ttl, asked.has_budget != 0, asked.budget, now);
  const Time until = later(now, asked.lease);
  if (still_put_off(*row, now)) {  // lapsed, and waiting for somebody's lease: alive again, due after both
    row->since = std::max(row->since, until);
    row->due = std::max(row->due, row->since);
  } else {
    row->put_off = 0;
    row->due = std::max(row->due, until);
  }
  store(tables, context, *row);
  auto& out = result_of<stile_extend_result>(op);
  out.visible_at = row->place();
  out.cancel_requested = row->cancel_requested;
  if (asked.has_fence) {
    out.live_until = row->alive;
    out.budget_until = row->budget;
  }
  accept(op);
}

}  // namespace stile::sdk::engine

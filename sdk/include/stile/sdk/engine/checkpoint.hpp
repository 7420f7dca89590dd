// load, record, supply, append, request_cancel, discard, watch (contract B, I, C8, A10).
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "stile/sdk/engine/state.hpp"

namespace stile::sdk::engine {

namespace checkpoint_detail {

/// A new record's place: positions go on by one, the first above the floor (A1, B3); times never fall (A12).
template <RowTables T>
Record next_record(T& tables, const Row& row, const Context& context, const stile_op& op, std::string_view key,
                   std::string_view value) {
  const std::int64_t position = row.position != 0 ? row.position + 1 : static_cast<std::int64_t>(tables.floor()) + 1;
  return {key, value, position, std::max(context.now, row.written_at), op.op_id, op.kind};
}

inline void count_record(Row& row, const Record& record) {
  row.position = record.position;
  row.written_at = record.written_at;
  ++row.records;
}

/// Did this very operation write that record? Refuses one that another kind of operation wrote under the same op_id.
enum class Written { other, mine, reused };
inline Written who_wrote(const stile_op& op, const Record& record) {
  if (none(op.op_id) || !same(op.op_id, record.op)) return Written::other;
  return record.kind == op.kind ? Written::mine : Written::reused;
}

/// Tells a caller which record stands. Equal bytes are not sent back (B2).
template <class Result>
void answer_standing(stile_op& op, std::string_view value, const Record& record, bool mine) {
  auto& out = result_of<Result>(op);
  const bool equal = record.value == value;
  out.first = equal || mine ? 1 : 0;
  out.position = record.position;
  out.written_at = record.written_at;
  if (!equal) out.value = copy(op, record.value);
}
template <class Result>
void answer_first(stile_op& op, const Record& record) {
  auto& out = result_of<Result>(op);
  out.first = 1;
  out.position = record.position;
  out.written_at = record.written_at;
}

/// Is the last enqueue of this row the one inside this very operation?
inline bool enqueued_by(const Row& row, const stile_op& op) {
  return !none(op.op_id) && same(op.op_id, row.enqueue_op) && row.enqueue_kind == op.kind;
}

/// The enqueue inside supply and append, done.
template <class Result>
void enqueue_inside(stile_op& op, Row& row, const stile_enqueue* asked, Time now) {
  if (asked == nullptr) return;
  const Enqueued made = put_wakeup(row, *asked, false, now);
  auto& out = result_of<Result>(op);
  out.state = made.state;
  out.visible_at = made.visible_at;
  row.enqueue_op = op.op_id;
  row.enqueue_kind = static_cast<std::uint8_t>(op.kind);
  row.enqueue_state = static_cast<std::uint8_t>(made.state);
  row.enqueue_at = made.visible_at;
}

/// The enqueue inside a supply or append that was sent again: told, not done (R1). Where a newer enqueue took its place
/// in memory, what is there now is told.
template <class Result>
void tell_enqueue(stile_op& op, const Row& row, const stile_enqueue* asked, Time now) {
  if (asked == nullptr) return;
  auto& out = result_of<Result>(op);
  if (enqueued_by(row, op)) {
    out.state = row.enqueue_state;
    out.visible_at = row.enqueue_at;
    return;
  }
  switch (row.wakeup) {
    case Wakeup::none: out.state = STILE_STATE_READY, out.visible_at = now; break;
    case Wakeup::waiting: out.state = STILE_STATE_COALESCED, out.visible_at = row.due; break;
    case Wakeup::in_flight: out.state = STILE_STATE_DEFERRED, out.visible_at = with_pend(row, row.due); break;
    case Wakeup::dead: out.state = STILE_STATE_DEAD; break;
  }
}

/// Refuses an enqueue inside where there are no queues (W9).
template <RowTables T>
bool refuse_enqueue(stile_op& op, const stile_enqueue* asked) {
  if (QueueTables<T> || asked == nullptr) return false;
  refuse(op, STILE_UNSUPPORTED, "this store has no queues to enqueue in");
  return true;
}

/// The end of supply and append, which is one commit with the enqueue inside (W9).
template <class Result, RowTables T>
void end_outside_write(T& tables, const Context& context, stile_op& op, typename T::Row& row,
                       const stile_enqueue* enqueue, bool replay) {
  if (replay) {
    tell_enqueue<Result>(op, row, enqueue, context.now);
  } else {
    enqueue_inside<Result>(op, row, enqueue, context.now);
    row.touched_at = context.now;
    store(tables, context, row);
  }
  accept(op);
}

}  // namespace checkpoint_detail

template <RowTables T>
void record(T& tables, const Context& context, stile_op& op) {
  using namespace checkpoint_detail;
  const auto& asked = request_of<stile_record_request>(op);
  const auto key = view(asked.key), value = view(asked.value);
  auto* row = look(tables, context, view(asked.workflow));
  if (row == nullptr) return refuse_fenced(op);
  const bool current = fence_current(*row, asked.fence);
  const Record* standing = nullptr;
  if (current) {
    const Record made = next_record(tables, *row, context, op, key, value);
    standing = tables.add_record(*row, made);
    if (standing == nullptr) {
      count_record(*row, made);
      answer_first<stile_record_result>(op, made);
    }
  } else if (!none(op.op_id)) {
    standing = tables.find_record(*row, key);
  }
  if (standing != nullptr) {
    const Written by = who_wrote(op, *standing);
    if (by == Written::reused) return refuse_reused(op);
    if (!current && by == Written::other) return refuse_fenced(op);
    answer_standing<stile_record_result>(op, value, *standing, by == Written::mine);
    if (by == Written::mine) return accept(op);  // sent again: nothing changes, not even the lease (A6)
  } else if (!current) {
    return refuse_fenced(op);
  }
  sign_of_life(*row, context.now);
  row->touched_at = context.now;
  store(tables, context, *row);
  accept(op);
}

template <RowTables T>
void supply(T& tables, const Context& context, stile_op& op) {
  using namespace checkpoint_detail;
  const auto& asked = request_of<stile_supply_request>(op);
  if (refuse_enqueue<T>(op, asked.enqueue)) return;
  const auto value = view(asked.value);
  auto& row = look_or_make(tables, context, view(asked.workflow));
  const Record made = next_record(tables, row, context, op, view(asked.key), value);
  bool replay = false;
  if (const Record* standing = tables.add_record(row, made)) {
    const Written by = who_wrote(op, *standing);
    if (by == Written::reused) return refuse_reused(op);
    answer_standing<stile_supply_result>(op, value, *standing, by == Written::mine);
    replay = by == Written::mine || (asked.enqueue != nullptr && enqueued_by(row, op));
  } else {
    count_record(row, made);
    answer_first<stile_supply_result>(op, made);
  }
  end_outside_write<stile_supply_result>(tables, context, op, row, asked.enqueue, replay);
}

template <RowTables T>
void append(T& tables, const Context& context, stile_op& op) {
  using namespace checkpoint_detail;
  const auto& asked = request_of<stile_append_request>(op);
  if (refuse_enqueue<T>(op, asked.enqueue)) return;
  auto& out = result_of<stile_append_result>(op);
  auto& row = look_or_make(tables, context, view(asked.workflow));
  const bool named = asked.has_message_id != 0 || !none(op.op_id);
  const auto kind = asked.has_message_id ? MessageKind::message_id : MessageKind::op_id;
  const std::string_view name =
      asked.has_message_id ? view(asked.message_id)
                           : std::string_view(reinterpret_cast<const char*>(op.op_id.bytes), sizeof op.op_id.bytes);
  bool replay = false;
  if (const Message* there = named && row.position != 0 ? tables.find_message(row, kind, name) : nullptr) {  // I3
    replay = !none(op.op_id) && same(op.op_id, there->op);
    out.duplicate = replay ? 0 : 1;
    replay = replay || (asked.enqueue != nullptr && enqueued_by(row, op));
    out.position = there->position;
    out.key = copy(op, InboxKey(there->position).view());
  } else {
    const auto next = next_record(tables, row, context, op, {}, view(asked.value));
    const InboxKey key(next.position);
    out.key = copy(op, key.view());
    out.position = next.position;
    Record made = next;
    made.key = key.view();
    tables.add_record(row, made);
    if (named) tables.add_message(row, kind, name, {made.position, op.op_id});
    count_record(row, made);
  }
  end_outside_write<stile_append_result>(tables, context, op, row, asked.enqueue, replay);
}

template <RowTables T>
void rebase(T& tables, const Context& context, stile_op& op) {
  using namespace checkpoint_detail;
  const auto& asked = request_of<stile_rebase_request>(op);
  const auto key = view(asked.key);
  auto& out = result_of<stile_rebase_result>(op);
  auto* row = look(tables, context, view(asked.workflow));
  if (row == nullptr) return refuse_fenced(op);
  if (const Record* there = none(op.op_id) ? nullptr : tables.find_record(*row, key)) {
    const Written by = who_wrote(op, *there);
    if (by == Written::reused) return refuse_reused(op);
    if (by == Written::mine) {
      out.position = there->position;
      out.written_at = there->written_at;
      return accept(op);
    }
  }
  if (!fence_current(*row, asked.fence)) return refuse_fenced(op);
  const std::int64_t above = asked.inbox_after.len == 0 ? 0 : stile_inbox_position(asked.inbox_after);
  out.removed = tables.erase_records(*row, above);
  row->records -= out.removed;
  const Record made = next_record(tables, *row, context, op, key, view(asked.value));
  tables.add_record(*row, made);
  count_record(*row, made);
  out.position = made.position;
  out.written_at = made.written_at;
  sign_of_life(*row, context.now);
  row->touched_at = context.now;
  store(tables, context, *row);
  accept(op);
}

template <RowTables T>
void request_cancel(T& tables, const Context& context, stile_op& op) {
  const auto& asked = request_of<stile_request_cancel_request>(op);
  auto& row = look_or_make(tables, context, view(asked.workflow));
  if (none(op.op_id) || !same(op.op_id, row.request_cancel_op)) {
    row.cancel_requested = 1;
    row.request_cancel_op = op.op_id;
    row.touched_at = context.now;
    store(tables, context, row);
  }
  accept(op);
}

template <RowTables T>
void discard(T& tables, const Context& context, stile_op& op) {
  const auto& asked = request_of<stile_discard_request>(op);
  auto& out = result_of<stile_discard_result>(op);
  auto* row = look(tables, context, view(asked.workflow));
  if (row == nullptr) return accept(op);  // B6
  if (!none(op.op_id) && same(op.op_id, row->discard_op)) {
    out.removed = row->discard_removed;
    return accept(op);
  }
  const Time now = context.now;
  out.removed = row->records;
  tables.raise_floor(std::max(row->number, static_cast<std::uint64_t>(row->position)));
  if (row->position != 0) tables.drop_checkpoint(*row);
  free_lease(*row, now);
  row->number = 0;
  row->stamp = stile_id{};
  row->granted_by = 0;
  row->ttl = 0;
  row->position = 0;
  row->records = 0;
  row->written_at = 0;
  row->finished_at = 0;
  row->cancel_requested = 0;
  row->touched_at = now;
  if (asked.cancel) {
    remove_wakeup(*row, now);
    row->queue.clear();
  }
  row->discard_op = op.op_id;
  row->discard_removed = out.removed;
  store(tables, context, *row);
  accept(op);
}

/// One look, without waiting (B14). Any other position than the one that was read up to is a change: discard and trim
/// lower it.
template <RowTables T>
bool watched_changed(T& tables, const Context& context, const stile_watched& watched) {
  const auto* row = look(tables, context, view(watched.workflow));
  return (row != nullptr ? row->position : 0) != watched.after;
}

template <RowTables T>
void watch(T& tables, const Context& context, stile_op& op) {
  const auto& asked = request_of<stile_watch_request>(op);
  auto& out = result_of<stile_watch_result>(op);
  out.n_changed = 0;
  std::uint64_t* changed = nullptr;
  for (std::uint64_t i = 0; i < asked.n_watched; ++i) {
    if (!watched_changed(tables, context, asked.watched[i])) continue;
    if (changed == nullptr) {
      changed = static_cast<std::uint64_t*>(allocate(op, (asked.n_watched - i) * sizeof *changed));
      out.changed = changed;
    }
    changed[out.n_changed++] = i;
  }
  accept(op);
}

}  // namespace stile::sdk::engine

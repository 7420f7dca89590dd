// Arrays of parameters, and the way back.
//
// SPDX-License-Identifier: Apache-2.0
#include "batch.hpp"

#include <algorithm>
#include <utility>

#include "stile/sdk/engine/context.hpp"

namespace stile::postgres {
namespace {

using sdk::engine::copy;
using sdk::engine::refuse;
using sdk::engine::result_of;

// The columns of run_v1 that have an element for each operation, in its order.
struct Columns {
  Array kind{Type::int2}, flags{Type::int4}, row{Type::int4}, behind{Type::int4}, op{Type::uuid}, subject{Type::bytes},
      key{Type::bytes}, value{Type::bytes}, number{Type::int8}, stamp{Type::uuid}, n1{Type::int8}, n2{Type::int8},
      n3{Type::int8}, queue{Type::bytes}, receive{Type::uuid}, delivery{Type::int8};

  static void bytes(Array& to, const stile_bytes* from) { from ? to.add(*from) : to.none(); }
  static void number_or_none(Array& to, bool has, std::int64_t value) { has ? to.number(value) : to.none(); }

  void add(const Fields& from, std::int32_t of_row, std::int32_t after) {
    kind.number(from.kind);
    flags.number(from.flags);
    number_or_none(row, from.of_row, of_row);
    behind.number(after);
    op.add(from.op);
    subject.add(from.subject);
    bytes(key, from.key);
    if (from.value) {
      value.add(stile_bytes{from.value->ptr, std::min(from.value->len, from.value_limit)});
    } else {
      value.none();
    }
    number_or_none(number, from.fence != nullptr, from.fence ? static_cast<std::int64_t>(from.fence->number) : 0);
    from.fence ? stamp.add(from.fence->stamp) : stamp.none();
    number_or_none(n1, from.has_n1, from.n1);
    number_or_none(n2, from.has_n2, from.n2);
    number_or_none(n3, from.has_n3, from.n3);
    bytes(queue, from.queue);
    from.has_receipt ? receive.add(view_of(from.receive)) : receive.none();
    number_or_none(delivery, from.has_receipt, static_cast<std::int64_t>(from.delivery));
  }
  void write(Params& to) const {
    for (const Array* one : {&kind, &flags, &row, &behind, &op, &subject, &key, &value, &number, &stamp, &n1, &n2, &n3,
                             &queue, &receive, &delivery})
      to.array(*one);
  }
};

constexpr const char* reused = "op_id names another operation, which is remembered here: draw a fresh one";

const char* text_of(std::int32_t status, std::int64_t why) {
  switch (status) {
    case STILE_FENCED: return "the fence is not the current one of this workflow: another pass was granted its lease";
    case STILE_STALE: return "the receipt is not the current one of its wakeup: it was answered or delivered again";
    case STILE_CANCELLED: return "the wakeup behind this receipt was cancelled";
    case STILE_LAPSED: return "the budget of this lease is spent: renew with a budget, or stop";
    case STILE_HELD: return "another lease of this workflow is live";
    case STILE_CONFLICT: return "the document's condition failed";
    case STILE_INVALID: return why == 2 ? "finished needs the fence: this workflow has been granted a lease" : reused;
    case STILE_SKIPPED: return "the operation before it did not answer ok";
    default: return "";
  }
}

void answer_enqueued(std::uint32_t& state, std::int64_t& visible_at, const Row& row) {
  state = static_cast<std::uint32_t>(row.integer(column::d));
  visible_at = row.integer(column::c);
}

template <class Result>
void answer_written(stile_op& op, const Row& row) {
  auto& out = result_of<Result>(op);
  out.first = static_cast<std::uint32_t>(row.integer(column::flag));
  out.position = row.integer(column::a);
  out.written_at = row.integer(column::b);
  if (!row.none(column::val)) out.value = copy(op, row.bytes(column::val));
}

template <class Result>
void answer_lease(stile_op& op, const Row& row, column::Column live) {
  auto& out = result_of<Result>(op);
  out.live_until = row.integer(live);
  out.budget_until = row.integer(live + 1);
  out.cancel_requested = static_cast<std::uint32_t>(row.integer(column::flag));
}

void answer_checkpoint(stile_op& op, const Row& row) {
  switch (op.kind) {
    case STILE_OP_RECORD: return answer_written<stile_record_result>(op, row);
    case STILE_OP_SUPPLY: {
      answer_written<stile_supply_result>(op, row);
      auto& out = result_of<stile_supply_result>(op);
      return answer_enqueued(out.state, out.visible_at, row);
    }
    case STILE_OP_APPEND: {
      auto& out = result_of<stile_append_result>(op);
      out.duplicate = static_cast<std::uint32_t>(row.integer(column::flag));
      out.position = row.integer(column::a);
      out.key = copy(op, sdk::engine::InboxKey(out.position).view());
      return answer_enqueued(out.state, out.visible_at, row);
    }
    case STILE_OP_REBASE: {
      auto& out = result_of<stile_rebase_result>(op);
      out.position = row.integer(column::a);
      out.written_at = row.integer(column::b);
      out.removed = static_cast<std::uint64_t>(row.integer(column::c));
      return;
    }
    default: result_of<stile_discard_result>(op).removed = static_cast<std::uint64_t>(row.integer(column::c));
  }
}

void answer_delivery(stile_op& op, const Row& row) {
  const auto number = static_cast<std::uint32_t>(row.integer(column::flag));
  switch (op.kind) {
    case STILE_OP_EXTEND: {
      auto& out = result_of<stile_extend_result>(op);
      out.visible_at = row.integer(column::a);
      out.cancel_requested = number;
      if (!sdk::engine::request_of<stile_extend_request>(op).has_fence) return;
      out.live_until = row.integer(column::b);
      out.budget_until = row.integer(column::c);
      return;
    }
    case STILE_OP_ACK: result_of<stile_ack_result>(op).requeued = number; return;
    case STILE_OP_SNOOZE: result_of<stile_snooze_result>(op).visible_at = row.integer(column::a); return;
    case STILE_OP_NACK: {
      auto& out = result_of<stile_nack_result>(op);
      out.visible_at = row.integer(column::a);
      out.delivery_count = number;
      return;
    }
    default: result_of<stile_reject_result>(op).state = number;
  }
}

void answer_ok(stile_op& op, const Row& row) {
  switch (op.kind) {
    case STILE_OP_ACQUIRE: {
      answer_lease<stile_acquire_result>(op, row, column::a);
      result_of<stile_acquire_result>(op).fence = {static_cast<std::uint64_t>(row.integer(column::c)),
                                                   row.id(column::stamp)};
      return;
    }
    case STILE_OP_RENEW: return answer_lease<stile_renew_result>(op, row, column::a);
    case STILE_OP_RELEASE:
    case STILE_OP_REQUEST_CANCEL: return;
    case STILE_OP_ENQUEUE: {
      auto& out = result_of<stile_enqueue_result>(op);
      return answer_enqueued(out.state, out.visible_at, row);
    }
    case STILE_OP_CANCEL:
      result_of<stile_cancel_result>(op).removed = static_cast<std::uint32_t>(row.integer(column::flag));
      return;
    case STILE_OP_PUT:
      result_of<stile_put_result>(op).version =
          copy(op, sdk::engine::VersionText(static_cast<std::uint64_t>(row.integer(column::a))).view());
      return;
    case STILE_OP_ERASE:
      result_of<stile_erase_result>(op).removed = static_cast<std::uint32_t>(row.integer(column::flag));
      return;
    case STILE_OP_RECORD:
    case STILE_OP_SUPPLY:
    case STILE_OP_APPEND:
    case STILE_OP_REBASE:
    case STILE_OP_DISCARD: return answer_checkpoint(op, row);
    default: return answer_delivery(op, row);
  }
}

template <class Result>
void answer_conflict(stile_op& op, const Row& row) {
  if (row.none(column::a)) return;
  auto& out = result_of<Result>(op);
  out.version = copy(op, sdk::engine::VersionText(static_cast<std::uint64_t>(row.integer(column::a))).view());
  out.value = copy(op, row.bytes(column::val));
}

}  // namespace

void Batch::add(stile_op& op, Fields fields, bool chained) {
  if (chained) fields.flags |= after_ok;
  bytes_ += 200 + fields.subject.size() + (fields.value ? fields.value->len : 0);
  ops_.push_back(&op);
  fields_.push_back(std::move(fields));
}

void Batch::clear() {
  ops_.clear();
  fields_.clear();
  bytes_ = 0;
}

Params Batch::params(std::int32_t ns) const { return build(ns, 0, ops_.size()); }
Params Batch::params_of(std::int32_t ns, std::size_t i) const { return build(ns, i, i + 1); }

Params Batch::build(std::int32_t ns, std::size_t first, std::size_t last) const {
  std::map<std::string_view, bool> rows;  // in the order of locking
  for (std::size_t i = first; i < last; ++i)
    if (fields_[i].of_row) rows[fields_[i].subject] |= fields_[i].makes;
  Array ids(Type::bytes), makes(Type::boolean);
  std::map<std::string_view, std::int32_t> places;
  for (const auto& [id, made] : rows) {
    ids.add(id);
    makes.number(made ? 1 : 0);
    places.emplace(id, static_cast<std::int32_t>(places.size()) + 1);
  }
  Columns columns;
  std::map<std::string_view, std::int32_t> latest;  // operation of each workflow
  for (std::size_t i = first; i < last; ++i) {
    const Fields& one = fields_[i];
    std::int32_t none = 0;
    std::int32_t& before = one.of_row ? latest[one.subject] : none;
    columns.add(one, one.of_row ? places.at(one.subject) : 0, before);
    before = static_cast<std::int32_t>(i - first) + 1;
  }
  Params out;
  out.integer(ns).array(ids).array(makes);
  columns.write(out);
  return out;
}

void answer(stile_op& op, const Row& row) {
  const auto status = static_cast<std::int32_t>(row.integer(column::status));
  if (status == STILE_OK) {
    answer_ok(op, row);
    op.status = STILE_OK;
    return;
  }
  if (status == STILE_HELD) {
    result_of<stile_acquire_result>(op).live_until = row.integer(column::a);
    op.retry_after = row.integer(column::a) - row.integer(column::b);
  }
  if (status == STILE_CONFLICT) {
    if (op.kind == STILE_OP_PUT)
      answer_conflict<stile_put_result>(op, row);
    else
      answer_conflict<stile_erase_result>(op, row);
  }
  refuse(op, status, text_of(status, row.integer(column::why)));
}

}  // namespace stile::postgres

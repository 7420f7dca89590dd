// From requests to rows of parameters.
//
// SPDX-License-Identifier: Apache-2.0
#include <charconv>

#include "batch.hpp"
#include "stile/sdk/check.h"
#include "stile/sdk/engine/context.hpp"
#include "stile/sdk/engine/receipt.hpp"
#include "store.hpp"

namespace stile::postgres {
namespace {

using sdk::engine::request_of;
using sdk::engine::view;

void read_workflow(Fields& fields, const stile_bytes& workflow) { fields.subject = view(workflow); }

void read_fence(Fields& fields, const stile_fence& fence) {
  fields.fence = &fence;
  fields.flags |= has_fence;
}

void set(bool& has, std::int64_t& to, std::int64_t value) {
  has = true;
  to = value;
}

void read_enqueue(Fields& fields, const stile_enqueue* asked) {
  if (asked == nullptr) return;
  fields.flags |= has_enqueue | (asked->is_instant ? is_instant : 0u);
  set(fields.has_n1, fields.n1, asked->when);
  if (asked->has_queue) fields.queue = &asked->queue;
}

// What is no receipt names no workflow: the server finds it stale, in its place in a chain.
void read_receipt(Fields& fields, const stile_bytes& text) {
  sdk::engine::ReceiptReader reader;
  if (!reader.read(view(text))) return;
  fields.has_receipt = true;
  fields.receive = reader.receipt().receive;
  fields.delivery = reader.receipt().delivery;
  fields.subject = reader.receipt().workflow;
}

void read_answer(Fields& fields, const stile_answer& answer) {
  if (answer.has_fence) read_fence(fields, answer.fence);
  if (answer.release) fields.flags |= release_too;
  read_receipt(fields, answer.receipt);
}

void read_delivery(const stile_op& op, Fields& fields) {
  switch (op.kind) {
    case STILE_OP_EXTEND: {
      const auto& asked = request_of<stile_extend_request>(op);
      set(fields.has_n1, fields.n1, asked.lease);
      if (asked.has_fence) {
        read_fence(fields, asked.fence);
        set(fields.has_n2, fields.n2, asked.ttl);
        if (asked.has_budget) set(fields.has_n3, fields.n3, asked.budget);
      }
      return read_receipt(fields, asked.receipt);
    }
    case STILE_OP_ACK: {
      const auto& asked = request_of<stile_ack_request>(op);
      if (asked.finished) fields.flags |= extra;
      return read_answer(fields, asked.answer);
    }
    case STILE_OP_SNOOZE: {
      const auto& asked = request_of<stile_snooze_request>(op);
      if (asked.is_instant) fields.flags |= is_instant;
      set(fields.has_n1, fields.n1, asked.when);
      return read_answer(fields, asked.answer);
    }
    case STILE_OP_NACK: {
      const auto& asked = request_of<stile_nack_request>(op);
      set(fields.has_n1, fields.n1, asked.delay);
      if (asked.has_error) fields.value = &asked.error;
      fields.value_limit = limits.error_bytes;
      return read_answer(fields, asked.answer);
    }
    default: {
      const auto& asked = request_of<stile_reject_request>(op);
      if (asked.has_error) fields.value = &asked.error;
      fields.value_limit = limits.error_bytes;
      return read_answer(fields, asked.answer);
    }
  }
}

void read_lease(const stile_op& op, Fields& fields) {
  switch (op.kind) {
    case STILE_OP_ACQUIRE: {
      const auto& asked = request_of<stile_acquire_request>(op);
      read_workflow(fields, asked.workflow);
      if (asked.force) fields.flags |= extra;
      set(fields.has_n1, fields.n1, asked.ttl);
      set(fields.has_n2, fields.n2, asked.budget);
      fields.makes = true;
      return;
    }
    case STILE_OP_RENEW: {
      const auto& asked = request_of<stile_renew_request>(op);
      read_workflow(fields, asked.workflow);
      read_fence(fields, asked.fence);
      set(fields.has_n1, fields.n1, asked.ttl);
      if (asked.has_budget) set(fields.has_n2, fields.n2, asked.budget);
      return;
    }
    default: {
      const auto& asked = request_of<stile_release_request>(op);
      read_workflow(fields, asked.workflow);
      read_fence(fields, asked.fence);
    }
  }
}

void read_checkpoint(const stile_op& op, Fields& fields) {
  switch (op.kind) {
    case STILE_OP_RECORD: {
      const auto& asked = request_of<stile_record_request>(op);
      read_workflow(fields, asked.workflow);
      read_fence(fields, asked.fence);
      fields.key = &asked.key;
      fields.value = &asked.value;
      return;
    }
    case STILE_OP_SUPPLY: {
      const auto& asked = request_of<stile_supply_request>(op);
      read_workflow(fields, asked.workflow);
      fields.key = &asked.key;
      fields.value = &asked.value;
      fields.makes = true;
      return read_enqueue(fields, asked.enqueue);
    }
    case STILE_OP_APPEND: {
      const auto& asked = request_of<stile_append_request>(op);
      read_workflow(fields, asked.workflow);
      if (asked.has_message_id) fields.key = &asked.message_id;
      fields.value = &asked.value;
      fields.makes = true;
      return read_enqueue(fields, asked.enqueue);
    }
    default: {
      const auto& asked = request_of<stile_rebase_request>(op);
      read_workflow(fields, asked.workflow);
      read_fence(fields, asked.fence);
      fields.key = &asked.key;
      fields.value = &asked.value;
      set(fields.has_n1, fields.n1, asked.inbox_after.len == 0 ? 0 : stile_inbox_position(asked.inbox_after));
    }
  }
}

void read_document(const stile_op& op, Fields& fields) {
  fields.of_row = false;
  if (op.kind == STILE_OP_PUT) {
    const auto& asked = request_of<stile_put_request>(op);
    fields.subject = view(asked.key);
    fields.value = &asked.value;
    set(fields.has_n1, fields.n1, asked.ttl);
    set(fields.has_n2, fields.n2, asked.condition);
    set(fields.has_n3, fields.n3, version_of(asked.version));
    return;
  }
  const auto& asked = request_of<stile_erase_request>(op);
  fields.subject = view(asked.key);
  set(fields.has_n2, fields.n2, asked.condition);
  set(fields.has_n3, fields.n3, version_of(asked.version));
}

}  // namespace

std::int64_t version_of(const stile_bytes& text) {
  const std::string_view digits = view(text);
  std::int64_t version = -1;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), version);
  if (error != std::errc{} || end != digits.data() + digits.size() || version < 1 || digits.front() == '0') return -1;
  return version;
}

void read_fields(const stile_op& op, Fields& fields) {
  fields.kind = op.kind;
  fields.op = op.op_id;
  switch (op.kind) {
    case STILE_OP_ACQUIRE:
    case STILE_OP_RENEW:
    case STILE_OP_RELEASE: return read_lease(op, fields);
    case STILE_OP_RECORD:
    case STILE_OP_SUPPLY:
    case STILE_OP_APPEND:
    case STILE_OP_REBASE: return read_checkpoint(op, fields);
    case STILE_OP_DISCARD: {
      const auto& asked = request_of<stile_discard_request>(op);
      read_workflow(fields, asked.workflow);
      if (asked.cancel) fields.flags |= extra;
      return;
    }
    case STILE_OP_REQUEST_CANCEL:
      read_workflow(fields, request_of<stile_request_cancel_request>(op).workflow);
      fields.makes = true;
      return;
    case STILE_OP_CANCEL: read_workflow(fields, request_of<stile_cancel_request>(op).workflow); return;
    case STILE_OP_ENQUEUE: {
      const auto& asked = request_of<stile_enqueue_request>(op);
      read_workflow(fields, asked.workflow);
      if (asked.revive) fields.flags |= extra;
      fields.makes = true;
      read_enqueue(fields, asked.enqueue);
      return;
    }
    case STILE_OP_EXTEND:
    case STILE_OP_ACK:
    case STILE_OP_SNOOZE:
    case STILE_OP_NACK:
    case STILE_OP_REJECT: return read_delivery(op, fields);
    case STILE_OP_PUT:
    case STILE_OP_ERASE: return read_document(op, fields);
    default: return;
  }
}

}  // namespace stile::postgres

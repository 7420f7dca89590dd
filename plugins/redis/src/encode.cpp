// Operations to arguments, kind by kind.
//
// SPDX-License-Identifier: Apache-2.0
#include "encode.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stile/sdk/engine/context.hpp"
#include "stile/sdk/options.hpp"

namespace stile::redis {
namespace {

using sdk::engine::request_of;
using sdk::engine::view;

constexpr std::int64_t last_double = INT64_C(253402300799999968);

std::string_view id_text(const stile_id& id) {
  if (sdk::engine::none(id)) return {};
  return {reinterpret_cast<const char*>(id.bytes), sizeof id.bytes};
}

void add_fence(Operations& out, const stile_fence& fence) {
  out.number(static_cast<std::int64_t>(std::min<std::uint64_t>(fence.number, INT64_MAX)));
  out.add(id_text(fence.stamp));
}
void add_optional(Operations& out, bool has, std::int64_t value) {
  if (has)
    out.number(as_double(value));
  else
    out.add({});
}
void add_queue(Operations& out, bool has, const stile_bytes& queue) {
  if (!has) return out.add({});
  std::string text("q");
  text.append(view(queue));
  out.add(text);
}
void add_enqueue(Operations& out, const stile_enqueue* enqueue) {
  out.flag(enqueue != nullptr);
  out.flag(enqueue != nullptr && enqueue->is_instant != 0);
  out.number(enqueue != nullptr ? as_double(enqueue->when) : 0);
  add_queue(out, enqueue != nullptr && enqueue->has_queue != 0, enqueue != nullptr ? enqueue->queue : stile_bytes{});
}
void add_receipt(Operations& out, const sdk::engine::Receipt* receipt) {
  if (receipt == nullptr || receipt->delivery > STILE_NUMBER_MAX) {
    out.add({});
    out.add({});
    return out.number(0);
  }
  out.add(receipt->workflow);
  out.add(id_text(receipt->receive));
  out.number(static_cast<std::int64_t>(receipt->delivery));
}
void add_answer(Operations& out, const stile_op& op, const stile_answer& answer, const Encoding& how) {
  add_receipt(out, how.receipt);
  out.flag(answer.has_fence != 0);
  add_fence(out, answer.fence);
  out.flag(answer.release != 0);
  out.add(id_text(op.op_id));
}
void add_error(Operations& out, bool has, const stile_bytes& error, const Encoding& how) {
  out.flag(has);
  out.add(has ? view(error).substr(0, how.error_bytes) : std::string_view{});
}

void encode_lease(const stile_op& op, const Encoding& how, Operations& out) {
  switch (op.kind) {
    case STILE_OP_ACQUIRE: {
      const auto& asked = request_of<stile_acquire_request>(op);
      out.begin("acquire", how.chained);
      out.add(view(asked.workflow));
      out.number(as_double(asked.ttl));
      out.number(as_double(asked.budget));
      out.flag(asked.force != 0);
      return out.add(id_text(sdk::engine::none(op.op_id) ? how.fresh : op.op_id));
    }
    case STILE_OP_RENEW: {
      const auto& asked = request_of<stile_renew_request>(op);
      out.begin("renew", how.chained);
      out.add(view(asked.workflow));
      add_fence(out, asked.fence);
      out.number(as_double(asked.ttl));
      return add_optional(out, asked.has_budget != 0, asked.budget);
    }
    default: {
      const auto& asked = request_of<stile_release_request>(op);
      out.begin("release", how.chained);
      out.add(view(asked.workflow));
      return add_fence(out, asked.fence);
    }
  }
}

void encode_fenced(const stile_op& op, const Encoding& how, Operations& out) {
  if (op.kind == STILE_OP_RECORD) {
    const auto& asked = request_of<stile_record_request>(op);
    out.begin("record", how.chained);
    out.add(view(asked.workflow));
    add_fence(out, asked.fence);
    out.add(view(asked.key));
    out.add(view(asked.value));
  } else {
    const auto& asked = request_of<stile_rebase_request>(op);
    out.begin("rebase", how.chained);
    out.add(view(asked.workflow));
    add_fence(out, asked.fence);
    out.number(asked.inbox_after.len == 0 ? 0 : stile_inbox_position(asked.inbox_after));
    out.add(view(asked.key));
    out.add(view(asked.value));
  }
  out.add(id_text(op.op_id));
}

std::string text_of(const stile_value& value) {
  switch (value.type) {
    case STILE_TYPE_INTEGER: return std::to_string(value.integer);
    case STILE_TYPE_REAL: {
      char text[40];
      return {text, static_cast<std::size_t>(std::to_chars(text, text + sizeof text, value.real).ptr - text)};
    }
    case STILE_TYPE_NULL: return {};
    default: return std::string(view(value.data));
  }
}

/// `{slot}` in a declared key becomes the tag of the workflow's partition.
std::string key_of(std::string_view key, std::string_view tag) {
  std::string out(key);
  constexpr std::string_view slot = "{slot}";
  if (const auto at = out.find(slot); at != std::string::npos) out.replace(at, slot.size(), tag);
  return out;
}

void encode_transact(const stile_op& op, const Encoding& how, Operations& out) {
  const auto& asked = request_of<stile_transact_request>(op);
  const stile_effect& effect = *asked.effect;
  const bool speaks = effect.form == STILE_EFFECT_STATEMENT && sdk::view(effect.language) == "lua";
  const auto n_keys = speaks ? effect.n_keys : 0, n_params = speaks ? effect.n_params : 0;
  out.begin("transact", how.chained);
  out.add(view(asked.workflow));
  add_fence(out, asked.fence);
  out.add(view(asked.key));
  out.add(id_text(op.op_id));
  out.flag(speaks);
  out.add(speaks ? sdk::view(effect.text) : std::string_view{});
  out.number(static_cast<std::int64_t>(n_keys));
  for (std::uint64_t i = 0; i < n_keys; ++i) out.add(key_of(view(effect.keys[i]), how.tag));
  for (std::uint64_t i = 0; i < n_params; ++i) out.add(text_of(effect.params[i]));
}

void encode_outside(const stile_op& op, const Encoding& how, Operations& out) {
  switch (op.kind) {
    case STILE_OP_SUPPLY: {
      const auto& asked = request_of<stile_supply_request>(op);
      out.begin("supply", how.chained);
      out.add(view(asked.workflow));
      out.add(view(asked.key));
      out.add(view(asked.value));
      out.add(id_text(op.op_id));
      return add_enqueue(out, asked.enqueue);
    }
    case STILE_OP_APPEND: {
      const auto& asked = request_of<stile_append_request>(op);
      out.begin("append", how.chained);
      out.add(view(asked.workflow));
      out.add(view(asked.value));
      out.flag(asked.has_message_id != 0);
      out.add(asked.has_message_id != 0 ? view(asked.message_id) : std::string_view{});
      out.add(id_text(op.op_id));
      return add_enqueue(out, asked.enqueue);
    }
    case STILE_OP_ENQUEUE: {
      const auto& asked = request_of<stile_enqueue_request>(op);
      out.begin("enqueue", how.chained);
      out.add(view(asked.workflow));
      out.flag(asked.enqueue->is_instant != 0);
      out.number(as_double(asked.enqueue->when));
      add_queue(out, asked.enqueue->has_queue != 0, asked.enqueue->queue);
      out.flag(asked.revive != 0);
      return out.add(id_text(op.op_id));
    }
    case STILE_OP_DISCARD: {
      const auto& asked = request_of<stile_discard_request>(op);
      out.begin("discard", how.chained);
      out.add(view(asked.workflow));
      out.flag(asked.cancel != 0);
      return out.add(id_text(op.op_id));
    }
    default: {
      out.begin(op.kind == STILE_OP_CANCEL ? "cancel" : "request_cancel", how.chained);
      out.add(view(request_of<stile_cancel_request>(op).workflow));
      return out.add(id_text(op.op_id));
    }
  }
}

void encode_load(const stile_op& op, const Encoding& how, Operations& out) {
  const auto& asked = request_of<stile_load_request>(op);
  out.begin("load", how.chained);
  out.add(view(asked.workflow));
  out.number(std::min<std::int64_t>(asked.after, STILE_NUMBER_MAX));
  out.number(static_cast<std::int64_t>(std::min<std::uint64_t>(asked.limit, how.page)));
  out.number(static_cast<std::int64_t>(std::min<std::uint64_t>(asked.max_bytes, how.reply_bytes)));
  out.flag(asked.has_key != 0);
  out.add(asked.has_key != 0 ? view(asked.key) : std::string_view{});
}

void encode_delivery(const stile_op& op, const Encoding& how, Operations& out) {
  switch (op.kind) {
    case STILE_OP_EXTEND: {
      const auto& asked = request_of<stile_extend_request>(op);
      out.begin("extend", how.chained);
      add_receipt(out, how.receipt);
      out.number(as_double(asked.lease));
      out.flag(asked.has_fence != 0);
      add_fence(out, asked.fence);
      out.number(as_double(asked.ttl));
      return add_optional(out, asked.has_budget != 0, asked.budget);
    }
    case STILE_OP_ACK: {
      const auto& asked = request_of<stile_ack_request>(op);
      out.begin("ack", how.chained);
      add_answer(out, op, asked.answer, how);
      return out.flag(asked.finished != 0);
    }
    case STILE_OP_SNOOZE: {
      const auto& asked = request_of<stile_snooze_request>(op);
      out.begin("snooze", how.chained);
      add_answer(out, op, asked.answer, how);
      out.flag(asked.is_instant != 0);
      return out.number(as_double(asked.when));
    }
    case STILE_OP_NACK: {
      const auto& asked = request_of<stile_nack_request>(op);
      out.begin("nack", how.chained);
      add_answer(out, op, asked.answer, how);
      out.number(as_double(asked.delay));
      return add_error(out, asked.has_error != 0, asked.error, how);
    }
    default: {
      const auto& asked = request_of<stile_reject_request>(op);
      out.begin("reject", how.chained);
      add_answer(out, op, asked.answer, how);
      return add_error(out, asked.has_error != 0, asked.error, how);
    }
  }
}

void encode_document(const stile_op& op, const Encoding& how, Operations& out) {
  switch (op.kind) {
    case STILE_OP_GET: {
      out.begin("get", how.chained);
      return out.add(view(request_of<stile_get_request>(op).key));
    }
    case STILE_OP_PUT: {
      const auto& asked = request_of<stile_put_request>(op);
      out.begin("put", how.chained);
      out.add(view(asked.key));
      out.number(asked.condition);
      out.add(view(asked.version));
      out.number(as_double(asked.ttl));
      out.add(view(asked.value));
      return out.add(id_text(op.op_id));
    }
    default: {
      const auto& asked = request_of<stile_erase_request>(op);
      out.begin("erase", how.chained);
      out.add(view(asked.key));
      out.number(asked.condition);
      out.add(view(asked.version));
      return out.add(id_text(op.op_id));
    }
  }
}

}  // namespace

std::int64_t as_double(std::int64_t time) {
  if (time <= STILE_NUMBER_MAX) return time;
  auto near = static_cast<double>(time);
  if (near < static_cast<double>(last_double) && static_cast<std::int64_t>(near) < time)
    near = std::nextafter(near, std::numeric_limits<double>::infinity());
  return std::min(static_cast<std::int64_t>(near), last_double);
}

std::int64_t from_double(std::int64_t time) { return time >= last_double ? sdk::engine::last_instant : time; }

std::string_view subject_of(const stile_op& op, sdk::engine::ReceiptReader& reader, bool& is_receipt) {
  const auto receipt_of = [&](const stile_bytes& text) {
    is_receipt = reader.read(view(text));
    return is_receipt ? reader.receipt().workflow : std::string_view{};
  };
  is_receipt = false;
  switch (op.kind) {
    case STILE_OP_EXTEND: return receipt_of(request_of<stile_extend_request>(op).receipt);
    case STILE_OP_ACK: return receipt_of(request_of<stile_ack_request>(op).answer.receipt);
    case STILE_OP_SNOOZE: return receipt_of(request_of<stile_snooze_request>(op).answer.receipt);
    case STILE_OP_NACK: return receipt_of(request_of<stile_nack_request>(op).answer.receipt);
    case STILE_OP_REJECT: return receipt_of(request_of<stile_reject_request>(op).answer.receipt);
    case STILE_OP_GET: return view(request_of<stile_get_request>(op).key);
    case STILE_OP_PUT: return view(request_of<stile_put_request>(op).key);
    case STILE_OP_ERASE: return view(request_of<stile_erase_request>(op).key);
    case STILE_OP_LOAD: return view(request_of<stile_load_request>(op).workflow);
    // The others begin with the workflow, after two integers (STILE_TRAIT_WORKFLOW).
    default: return view(request_of<stile_release_request>(op).workflow);
  }
}

void encode(const stile_op& op, const Encoding& how, Operations& out) {
  switch (op.kind) {
    case STILE_OP_ACQUIRE:
    case STILE_OP_RENEW:
    case STILE_OP_RELEASE: return encode_lease(op, how, out);
    case STILE_OP_RECORD:
    case STILE_OP_REBASE: return encode_fenced(op, how, out);
    case STILE_OP_TRANSACT: return encode_transact(op, how, out);
    case STILE_OP_LOAD: return encode_load(op, how, out);
    case STILE_OP_EXTEND:
    case STILE_OP_ACK:
    case STILE_OP_SNOOZE:
    case STILE_OP_NACK:
    case STILE_OP_REJECT: return encode_delivery(op, how, out);
    case STILE_OP_GET:
    case STILE_OP_PUT:
    case STILE_OP_ERASE: return encode_document(op, how, out);
    default: return encode_outside(op, how, out);
  }
}

void encode_receive(const stile_receive_request& asked, const Receiving& how, Operations& out) {
  out.begin("receive", how.chained);
  out.number(how.left);
  out.number(as_double(asked.lease));
  out.add(id_text(how.nonce));
  out.flag(how.again);
  out.flag(asked.acquire != 0);
  out.number(as_double(asked.acquire_ttl));
  out.number(as_double(asked.acquire_budget));
  out.flag(asked.load != 0);
  out.number(static_cast<std::int64_t>(how.limit));
  out.number(static_cast<std::int64_t>(how.bytes_left));
  out.add(how.channel);
  out.number(how.since);
  out.number(how.puts_off);
  out.add(how.consumer);
  for (std::size_t i = 0; i < how.n_queues; ++i) out.add(how.queues[i]);
}

}  // namespace stile::redis

// Answers, kind by kind; the .lua file of each operation says what stands where.
//
// SPDX-License-Identifier: Apache-2.0
#include "decode.hpp"

#include <cstring>

#include "encode.hpp"
#include "stile/sdk/engine/context.hpp"
#include "stile/sdk/engine/receipt.hpp"
#include "stile/sdk/plugin.hpp"

namespace stile::redis {
namespace {

using sdk::engine::accept;
using sdk::engine::Carver;
using sdk::engine::copy;
using sdk::engine::refuse;
using sdk::engine::request_of;
using sdk::engine::result_of;

std::int64_t time(const Reply& reply) { return from_double(reply.number()); }
std::uint32_t small(const Reply& reply) { return static_cast<std::uint32_t>(reply.number()); }
std::uint64_t count(const Reply& reply) { return static_cast<std::uint64_t>(reply.number()); }

stile_id id_of(const Reply& reply) {
  stile_id out{};
  const auto text = reply.text();
  if (text.size() == sizeof out.bytes) std::memcpy(out.bytes, text.data(), text.size());
  return out;
}

void decode_lease(stile_op& op, const Reply& reply) {
  if (op.kind == STILE_OP_ACQUIRE) {
    auto& out = result_of<stile_acquire_result>(op);
    out.fence = {count(reply[1]), id_of(reply[2])};
    out.live_until = time(reply[3]);
    out.budget_until = time(reply[4]);
    out.cancel_requested = small(reply[5]);
  } else if (op.kind == STILE_OP_RENEW) {
    auto& out = result_of<stile_renew_result>(op);
    out.live_until = time(reply[1]);
    out.budget_until = time(reply[2]);
    out.cancel_requested = small(reply[3]);
  }
}

template <class Result>
void decode_write(stile_op& op, const Reply& reply) {
  auto& out = result_of<Result>(op);
  out.first = small(reply[1]);
  out.position = reply[2].number();
  out.written_at = time(reply[3]);
  if (!reply[4].is_nothing()) out.value = copy(op, reply[4].text());
}

void decode_checkpoint(stile_op& op, const Reply& reply) {
  switch (op.kind) {
    case STILE_OP_LOAD: {
      auto& out = result_of<stile_load_result>(op);
      out.cancel_requested = small(reply[1]);
      out.fence_number = count(reply[2]);
      out.finished = small(reply[3]);
      out.more = small(reply[4]);
      out.records = decode_records(op, reply[5]);
      return;
    }
    case STILE_OP_RECORD: return decode_write<stile_record_result>(op, reply);
    case STILE_OP_SUPPLY: {
      decode_write<stile_supply_result>(op, reply);
      auto& out = result_of<stile_supply_result>(op);
      out.state = small(reply[5]);
      out.visible_at = time(reply[6]);
      return;
    }
    case STILE_OP_APPEND: {
      auto& out = result_of<stile_append_result>(op);
      out.duplicate = small(reply[1]);
      out.position = reply[2].number();
      out.key = copy(op, sdk::engine::InboxKey(out.position).view());
      out.state = small(reply[3]);
      out.visible_at = time(reply[4]);
      return;
    }
    case STILE_OP_TRANSACT: {
      auto& out = result_of<stile_transact_result>(op);
      out.ran = small(reply[1]);
      out.position = reply[2].number();
      out.written_at = time(reply[3]);
      out.value = copy(op, reply[4].text());
      return;
    }
    case STILE_OP_REBASE: {
      auto& out = result_of<stile_rebase_result>(op);
      out.removed = count(reply[1]);
      out.position = reply[2].number();
      out.written_at = time(reply[3]);
      return;
    }
    case STILE_OP_DISCARD: result_of<stile_discard_result>(op).removed = count(reply[1]); return;
    default: return;
  }
}

void decode_wakeup(stile_op& op, const Reply& reply) {
  switch (op.kind) {
    case STILE_OP_ENQUEUE: {
      auto& out = result_of<stile_enqueue_result>(op);
      out.state = small(reply[1]);
      out.visible_at = time(reply[2]);
      return;
    }
    case STILE_OP_CANCEL: result_of<stile_cancel_result>(op).removed = small(reply[1]); return;
    case STILE_OP_EXTEND: {
      auto& out = result_of<stile_extend_result>(op);
      out.visible_at = time(reply[1]);
      out.cancel_requested = small(reply[2]);
      if (request_of<stile_extend_request>(op).has_fence == 0) return;
      out.live_until = time(reply[3]);
      out.budget_until = time(reply[4]);
      return;
    }
    case STILE_OP_ACK: result_of<stile_ack_result>(op).requeued = small(reply[1]); return;
    case STILE_OP_SNOOZE: result_of<stile_snooze_result>(op).visible_at = time(reply[1]); return;
    case STILE_OP_NACK: {
      auto& out = result_of<stile_nack_result>(op);
      out.visible_at = time(reply[1]);
      out.delivery_count = small(reply[2]);
      return;
    }
    case STILE_OP_REJECT: result_of<stile_reject_result>(op).state = small(reply[1]); return;
    default: return;
  }
}

void decode_document_answer(stile_op& op, const Reply& reply) {
  switch (op.kind) {
    case STILE_OP_GET: {
      auto& out = result_of<stile_get_result>(op);
      out.value = copy(op, reply[1].text());
      out.version = copy(op, reply[2].text());
      out.expires_at = time(reply[3]);
      return;
    }
    case STILE_OP_PUT: result_of<stile_put_result>(op).version = copy(op, reply[1].text()); return;
    default: result_of<stile_erase_result>(op).removed = small(reply[1]); return;
  }
}

template <class Result>
void decode_conflict(stile_op& op, const Reply& reply) {
  auto& out = result_of<Result>(op);
  out.version = copy(op, reply[1].text());
  out.value = copy(op, reply[2].text());
}

void refuse_invalid(stile_op& op, std::string_view why) {
  if (why == "reused") return sdk::engine::refuse_reused(op);
  if (why == "finished")
    return refuse(op, STILE_INVALID, "finished needs the fence: this workflow has been granted a lease");
  refuse(op, STILE_INVALID, "the clock would stand after the year 9999");
}

}  // namespace

void decode_refusal(stile_op& op, const Reply& reply) {
  const auto status = static_cast<std::int32_t>(reply[0].number());
  switch (status) {
    case STILE_FENCED: return sdk::engine::refuse_fenced(op);
    case STILE_STALE:
      return refuse(op, status, "the receipt is not the current one of its wakeup: it was answered or delivered again");
    case STILE_CANCELLED: return refuse(op, status, "the wakeup behind this receipt was cancelled");
    case STILE_LAPSED:
      return refuse(op, status, "the budget of this lease is spent: renew or extend with a budget, or stop");
    case STILE_HELD:
      result_of<stile_acquire_result>(op).live_until = time(reply[1]);
      op.retry_after = reply[1].number() - reply[2].number();
      return refuse(op, status, "another lease of this workflow is live");
    case STILE_CONFLICT:
      if (reply.size() > 1) {
        if (op.kind == STILE_OP_PUT)
          decode_conflict<stile_put_result>(op, reply);
        else
          decode_conflict<stile_erase_result>(op, reply);
      }
      return refuse(op, status, "the document's condition failed: the answer carries what is there, if anything is");
    case STILE_NOT_FOUND: return refuse(op, status, "there is no document with this key");
    case STILE_INVALID: return refuse_invalid(op, reply[1].text());
    case STILE_SKIPPED: return refuse(op, status, "the operation before it did not answer ok");
    case STILE_UNSUPPORTED: return refuse(op, status, "this store does not do that, or not in that language or form");
    default: return sdk::answer(op, status, reply[1].text());
  }
}

void decode(stile_op& op, const Reply& reply) {
  if (!reply.is_array() || reply.size() == 0)
    return refuse(op, STILE_INTERNAL, "a script answered in a form that it never answers in");
  if (reply[0].number() != STILE_OK) return decode_refusal(op, reply);
  switch (op.kind) {
    case STILE_OP_ACQUIRE:
    case STILE_OP_RENEW:
    case STILE_OP_RELEASE: decode_lease(op, reply); break;
    case STILE_OP_GET:
    case STILE_OP_PUT:
    case STILE_OP_ERASE: decode_document_answer(op, reply); break;
    case STILE_OP_ENQUEUE:
    case STILE_OP_CANCEL:
    case STILE_OP_EXTEND:
    case STILE_OP_ACK:
    case STILE_OP_SNOOZE:
    case STILE_OP_NACK:
    case STILE_OP_REJECT: decode_wakeup(op, reply); break;
    case STILE_OP_RECEIVE: decode_receive(op, reply); break;
    default: decode_checkpoint(op, reply); break;
  }
  accept(op);
}

stile_record* decode_records(stile_op& op, const Reply& page) {
  stile_record* first = nullptr;
  stile_record** tail = &first;
  for (std::size_t i = 0; i + 3 < page.size(); i += 4) {
    const auto key = page[i].text(), value = page[i + 1].text();
    Carver carver(op, sizeof(stile_record) + key.size() + value.size());
    auto* made = carver.element<stile_record>();
    made->key = carver.copy(key);
    made->value = carver.copy(value);
    made->position = page[i + 2].number();
    made->written_at = time(page[i + 3]);
    *tail = made;
    tail = &made->next;
  }
  return first;
}

stile_delivery* decode_delivery(stile_op& op, const Reply& delivery, bool load, std::uint64_t& bytes) {
  sdk::engine::Row row;
  row.id = delivery[0].text();
  row.receive = id_of(delivery[2]);
  row.delivery = count(delivery[3]);
  const auto queue = delivery[1].text(), error = delivery[7].text();
  const std::size_t receipt_size = sdk::engine::Receipt::text_size(row.id.size());
  Carver carver(op, sizeof(stile_delivery) + row.id.size() + queue.size() + receipt_size + error.size());
  auto* made = carver.element<stile_delivery>();
  made->workflow = carver.copy(row.id);
  made->queue = carver.copy(queue);
  made->last_error = carver.copy(error);
  char* receipt = carver.room(receipt_size);
  sdk::engine::write_receipt(row, receipt);
  made->receipt = sdk::engine::bytes({receipt, receipt_size});
  made->delivery_count = small(delivery[4]);
  made->visible_at = time(delivery[5]);
  made->cancel_requested = small(delivery[6]);
  made->fence = {count(delivery[8]), id_of(delivery[9])};
  made->live_until = time(delivery[10]);
  made->budget_until = time(delivery[11]);
  if (!load) return made;
  made->finished = small(delivery[12]);
  made->more = small(delivery[13]);
  made->records = decode_records(op, delivery[14]);
  for (const auto* record = made->records; record != nullptr; record = record->next)
    bytes += record->key.len + record->value.len;
  return made;
}

void decode_receive(stile_op& op, const Reply& reply) {
  auto& out = result_of<stile_receive_result>(op);
  const bool load = request_of<stile_receive_request>(op).load != 0;
  const Reply deliveries = reply[5];
  stile_delivery** tail = &out.deliveries;
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < deliveries.size(); ++i) {
    *tail = decode_delivery(op, deliveries[i], load, bytes);
    tail = &(*tail)->next;
  }
  out.more = small(reply[1]);
  out.store_time = time(reply[2]);
}

stile_workflow* decode_workflow(stile_op& op, const Reply& page, std::size_t at) {
  const auto id = page[at].text(), queue = page[at + 1].text(), error = page[at + 2].text();
  Carver carver(op, sizeof(stile_workflow) + id.size() + queue.size() + error.size());
  auto* made = carver.element<stile_workflow>();
  made->workflow = carver.copy(id);
  made->queue = carver.copy(queue);
  made->last_error = carver.copy(error);
  made->state = small(page[at + 3]);
  made->due_at = time(page[at + 4]);
  made->records = count(page[at + 5]);
  made->fence_number = count(page[at + 6]);
  made->live_until = time(page[at + 7]);
  made->finished_at = time(page[at + 8]);
  made->last_written_at = time(page[at + 9]);
  made->delivery_count = small(page[at + 10]);
  made->cancel_requested = small(page[at + 11]);
  return made;
}

stile_document* decode_document(stile_op& op, const Reply& page, std::size_t at) {
  const auto key = page[at].text(), version = page[at + 1].text();
  Carver carver(op, sizeof(stile_document) + key.size() + version.size());
  auto* made = carver.element<stile_document>();
  made->key = carver.copy(key);
  made->version = carver.copy(version);
  made->expires_at = time(page[at + 2]);
  return made;
}

}  // namespace stile::redis

// Grouping by partition; order within a partition is that of the batch, so that of a workflow's operations is too (R3).
//
// SPDX-License-Identifier: Apache-2.0
#include "batch.hpp"

#include <algorithm>

#include "decode.hpp"
#include "encode.hpp"
#include "stile/sdk/engine/context.hpp"

namespace stile::redis {
namespace {

struct ClockAsked {
  Store* store;
  Borrowed* at;
};

std::int64_t ask_clock(void* of) {
  const auto& asked = *static_cast<const ClockAsked*>(of);
  try {
    return asked.store->time(*asked.at);
  } catch (const std::exception&) {
    return stile_realtime();
  }
}

/// Does it free memory, or somebody who waits, or only read? Those are done on a full server too.
bool gives_back(std::uint32_t kind) {
  switch (kind) {
    case STILE_OP_LOAD:
    case STILE_OP_GET:
    case STILE_OP_RELEASE:
    case STILE_OP_DISCARD:
    case STILE_OP_ACK:
    case STILE_OP_SNOOZE:
    case STILE_OP_NACK:
    case STILE_OP_REJECT:
    case STILE_OP_CANCEL:
    case STILE_OP_ERASE: return true;
    default: return false;
  }
}

bool only_reads(std::uint32_t kind) { return kind == STILE_OP_LOAD || kind == STILE_OP_GET; }

bool chained(const stile_op& op) { return (op.must & STILE_MUST_AFTER_OK) != 0; }

}  // namespace

bool Batch::admit(std::size_t i) {
  ClockAsked asked{&store_, &at_};
  const stile_clock clock{ask_clock, &asked};
  // The one before it is on its way: the script sees how it ends.
  const bool waits = i > 0 && chained(*ops_[i]) && pending(i - 1);
  if (waits) ops_[i - 1]->status = STILE_OK;
  const bool admitted = stile_admit(ops_.data(), i, ops_.size(), &store_.limits(), &clock,
                                    prepared_ || store_.was_prepared() ? 1 : 0) != 0;
  if (waits) ops_[i - 1]->status = STILE_UNSET;
  return admitted;
}

Batch::Part& Batch::part_of(std::uint32_t partition) {
  const auto found =
      std::find_if(parts_.begin(), parts_.end(), [&](const Part& part) { return part.partition == partition; });
  if (found != parts_.end()) return *found;
  Part& made = parts_.emplace_back();
  made.partition = partition;
  return made;
}

void Batch::add(std::size_t i) {
  stile_op& op = *ops_[i];
  sdk::engine::ReceiptReader reader;
  bool is_receipt = false;
  // A receive comes here where there is one partition.
  const bool receives = op.kind == STILE_OP_RECEIVE;
  const std::string_view subject = receives ? std::string_view{} : subject_of(op, reader, is_receipt);
  const std::uint32_t partition = store_.layout().partition_of(subject);
  bool follows = i > 0 && chained(op) && pending(i - 1);
  if (follows && (part_of(partition).ops.empty() || part_of(partition).ops.back() != i - 1)) {
    flush();  // what it is chained to lies elsewhere: its answer must be there first
    if (!admit(i)) return;
    follows = false;
  }
  take_in(part_of(partition), i, follows);
}

void Batch::take_in_receive(Part& part, std::size_t i, bool follows) {
  const stile_op& op = *ops_[i];
  const auto& asked = sdk::engine::request_of<stile_receive_request>(op);
  std::vector<std::string> queues;
  for (std::uint64_t k = 0; k < asked.n_queues; ++k)
    queues.push_back("q" + std::string(sdk::engine::view(asked.queues[k])));
  Receiving how;
  how.chained = follows;
  how.left = asked.max;
  how.bytes_left = std::min(asked.load_max_bytes, store_.limits().reply_bytes);
  how.limit = std::min<std::uint64_t>(asked.load_limit, store_.limits().page);
  how.nonce = sdk::engine::none(op.op_id) ? entropy_.id() : op.op_id;
  how.again = (op.must & STILE_MUST_AGAIN) != 0;
  how.consumer = store_.word();
  how.queues = queues.data();
  how.n_queues = queues.size();
  part.rooms |= receive_room;
  part.ops.push_back(i);
  encode_receive(asked, how, part.operations);
}

void Batch::take_in(Part& part, std::size_t i, bool follows) {
  stile_op& op = *ops_[i];
  if (op.kind == STILE_OP_RECEIVE) return take_in_receive(part, i, follows);
  sdk::engine::ReceiptReader reader;
  Encoding how;
  bool is_receipt = false;
  subject_of(op, reader, is_receipt);
  how.chained = follows;
  how.fresh = entropy_.id();
  how.error_bytes = store_.limits().error_bytes;
  how.page = store_.limits().page;
  how.reply_bytes = store_.limits().reply_bytes;
  const std::string meta = store_.layout().meta(part.partition);
  how.tag = std::string_view(meta).substr(0, meta.size() - 2);
  how.receipt = is_receipt ? &reader.receipt() : nullptr;
  part.rooms |= room_of(op.kind);
  part.ops.push_back(i);
  encode(op, how, part.operations);
}

void Batch::flush() {
  std::vector<Part> parts;
  parts.swap(parts_);
  std::erase_if(parts, [](const Part& part) { return part.ops.empty(); });
  if (parts.empty()) return;
  std::vector<ScriptCall> calls;
  for (Part& part : parts) {
    calls.push_back(store_.call(part.rooms, part.partition));
    calls.back().operations = std::move(part.operations);
  }
  std::vector<OwnedReply> replies;
  std::int32_t rest = STILE_UNAVAILABLE;
  std::string text, native;
  try {
    run(at_.link(), calls, at_.deadline(), replies);
  } catch (const Broken& broken) {
    rest = broken.sent() ? STILE_UNKNOWN : STILE_UNAVAILABLE;
    text = broken.text();
    at_.drop();
  } catch (const Failure& failure) {
    rest = failure.status();
    text = failure.text();
    native = failure.native();
    replies.clear();
  }
  wait_for_replicas(parts, replies);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i < replies.size() && replies[i] != nullptr)
      answer(parts[i], Reply(replies[i].get()));
    else
      answer_all(parts[i], rest, text, native);
  }
}

void Batch::wait_for_replicas(std::span<const Part> parts, std::span<const OwnedReply> replies) {
  unreplicated_.clear();
  const auto writes = [this](std::size_t i) { return !only_reads(ops_[i]->kind); };
  const bool any = std::any_of(parts.begin(), parts.end(),
                               [&](const Part& part) { return std::any_of(part.ops.begin(), part.ops.end(), writes); });
  if (!any || replies.empty() || at_.dropped()) return;
  try {
    at_.replicated();
  } catch (const Failure& failure) {
    unreplicated_ = failure.text();
  } catch (const Broken& broken) {
    at_.drop();
    unreplicated_ = broken.text();
  }
}

void Batch::answer_all(const Part& part, std::int32_t status, std::string_view text, std::string_view native) {
  for (const std::size_t i : part.ops) sdk::answer(*ops_[i], Failure(status, std::string(text), std::string(native)));
}

// The server is full, and none of these was done. Those that give something back, or only read, are done all the same,
// each by itself and by a script: a full server calls no function of a library.
void Batch::drain(const Part& part, const Fault& fault) {
  for (const std::size_t i : part.ops) {
    stile_op& op = *ops_[i];
    if (chained(op) && i > 0 && ops_[i - 1]->status != STILE_OK) {
      sdk::answer(op, STILE_SKIPPED, "the operation before it did not answer ok");
    } else if (!gives_back(op.kind)) {
      sdk::answer(op, Failure(fault.status, fault.text, fault.native));
    } else {
      Part alone;
      alone.partition = part.partition;
      alone.operations.begin("drain");

      take_in(alone, i, false);
      send_drained(alone, op);
    }
  }
}

void Batch::send_drained(Part& alone, stile_op& op) {
  ScriptCall call = store_.call_though_full(alone.rooms, alone.partition);
  call.script = call.when_full;
  call.operations = std::move(alone.operations);
  try {
    const OwnedReply reply = run_one(at_, call, Does::write);
    decode(op, Reply(reply.get())[1]);
  } catch (const Failure& failure) {
    sdk::answer(op, failure);
  }
}

void Batch::answer(const Part& part, const Reply& reply) {
  if (reply.is_error()) {
    const Fault fault = fault_of(reply.text());
    if (fault.drop) at_.drop();
    if (fault.status == STILE_FULL) return drain(part, fault);
    return answer_all(part, fault.status, fault.text, fault.native);
  }
  if (!reply.is_array()) return answer_all(part, STILE_STORE_LOST, store_lost);
  for (std::size_t k = 0; k < part.ops.size(); ++k) {
    stile_op& op = *ops_[part.ops[k]];
    try {
      decode(op, reply[k]);
      if (op.status == STILE_OK && !unreplicated_.empty() && !only_reads(op.kind))
        sdk::answer(op, STILE_UNKNOWN, unreplicated_);
    } catch (const Failure& failure) {  // no memory for the answer
      sdk::answer(op, failure);
    }
  }
}

}  // namespace stile::redis

// One operation after the other: which shard it belongs to, and what concerns all of them.
//
// SPDX-License-Identifier: Apache-2.0
#include "session.hpp"

#include <algorithm>
#include <new>

#include "stile/sdk/plugin.hpp"

namespace stile::memory {

namespace {

/// Every request but those of the answers begins with what it is about.
std::string_view subject_of(const stile_op& op) {
  static_assert(offsetof(stile_enqueue_request, workflow) == 8 && offsetof(stile_load_request, workflow) == 8 &&
                offsetof(stile_acquire_request, workflow) == 8 && offsetof(stile_get_request, key) == 8 &&
                offsetof(stile_put_request, key) == 8 && offsetof(stile_erase_request, key) == 8);
  return engine::view(static_cast<const stile_get_request*>(op.request)->key);
}

}  // namespace

bool Session::execute(const stile_call& call, std::span<stile_op* const> ops) {
  Held held(*space_);
  for (std::size_t i = 0; i < ops.size(); ++i)
    if (space_->house().admit(ops, i)) one(call, held, *ops[i]);
  return true;
}

void Session::one(const stile_call& call, Held& held, stile_op& op) {
  switch (op.kind) {
    case STILE_OP_EXTEND: return on_receipt(held, op, engine::request_of<stile_extend_request>(op).receipt);
    case STILE_OP_ACK: return on_receipt(held, op, engine::request_of<stile_ack_request>(op).answer.receipt);
    case STILE_OP_SNOOZE: return on_receipt(held, op, engine::request_of<stile_snooze_request>(op).answer.receipt);
    case STILE_OP_NACK: return on_receipt(held, op, engine::request_of<stile_nack_request>(op).answer.receipt);
    case STILE_OP_REJECT: return on_receipt(held, op, engine::request_of<stile_reject_request>(op).answer.receipt);
    case STILE_OP_RECEIVE: return receive(call, held, op);
    case STILE_OP_WATCH: return watch(call, held, op);
    case STILE_OP_TRIM: return trim(held, op);
    default: break;
  }
  switch (op.kind) {
    case STILE_OP_SCAN:
    case STILE_OP_STATS:
    case STILE_OP_LIST:
    case STILE_OP_PREPARE:
    case STILE_OP_INFO:
    case STILE_OP_RENDER:
    case STILE_OP_ADVANCE: held.let_go(); break;
    default: return on_shard(held, op, subject_of(op));
  }
  switch (op.kind) {
    case STILE_OP_SCAN: return on_whole(op, [&](auto& all, const auto& at) { engine::scan(all, at, op); });
    case STILE_OP_STATS: return on_whole(op, [&](auto& all, const auto& at) { engine::stats(all, at, op); });
    case STILE_OP_LIST: return on_whole(op, [&](auto& all, const auto& at) { engine::list(all, at, op); });
    case STILE_OP_RENDER:
      return engine::refuse(op, STILE_UNSUPPORTED, "a store in this process's memory has no language to render in");
    default: space_->house().run(op); return;
  }
}

engine::Context Session::context(Time now, const stile_op& op) {
  engine::Context made{now, &space_->limits(), 0, stile_id{}};
  const bool draws = op.kind == STILE_OP_ACQUIRE || op.kind == STILE_OP_RECEIVE;
  if (draws && engine::none(op.op_id)) made.fresh = entropy_.id();
  return made;
}

template <class Body>
void Session::guarded(Held& held, stile_op& op, Body&& body) {
  try {
    body();
  } catch (const engine::Failure& failure) {
    held.shard().recover();
    sdk::answer(op, failure);
  } catch (const std::bad_alloc&) {
    held.shard().recover();
    engine::refuse(op, STILE_UNKNOWN, "out of memory");
  }
}

template <class Body>
void Session::on_whole(stile_op& op, Body&& body) {
  Whole whole(*space_);
  try {
    body(whole, context(whole.now(), op));
  } catch (const engine::Failure& failure) {
    sdk::answer(op, failure);
  } catch (const std::bad_alloc&) {
    engine::refuse(op, STILE_UNAVAILABLE, "out of memory");
  }
}

void Session::on_shard(Held& held, stile_op& op, std::string_view id, const engine::Receipt* receipt) {
  last_ = space_->shard_of(id);
  held.take(space_->shard(last_));
  guarded(held, op, [&] {
    engine::Context at = context(held.now(), op);
    at.receipt = receipt;
    engine::run(held.shard(), at, op);
  });
}

void Session::on_receipt(Held& held, stile_op& op, const stile_bytes& receipt) {
  if (space_->size() == 1) return on_shard(held, op, {});
  engine::ReceiptReader reader;
  if (!reader.read(engine::view(receipt))) return on_shard(held, op, {});  // to be refused
  on_shard(held, op, reader.receipt().workflow, &reader.receipt());
}

// --- receive --------------------------------------------------------------------------------------------------------

void Session::look_for_due(Held& held, stile_op& op, bool everywhere) {
  const auto& asked = engine::request_of<stile_receive_request>(op);
  const std::size_t n = space_->size(), turn = next_turn();
  engine::Context at = context(0, op);
  engine::Receiver receiver(op, at);
  const Time glance = space_->clock().glance();
  Time seen = glance;
  const auto each_shard = [&](bool all, auto&& take) {
    for (std::size_t i = 0; i < n && !receiver.done(); ++i) {
      Shard& shard = space_->shard((turn + i) % n);
      if (!all && !shard.may_be_due(glance)) continue;
      held.take(shard);
      at.now = held.now();
      seen = std::max(seen, at.now);
      guarded(held, op, [&] { take(held.shard()); });
      if (op.status != STILE_UNSET) return;
    }
  };
  op.status = STILE_UNSET;
  if ((op.must & STILE_MUST_AGAIN) != 0) each_shard(true, [&](Shard& shard) { receiver.take_again(shard, at); });
  for (std::uint64_t q = 0; q < asked.n_queues && !receiver.done() && !receiver.found_again(); ++q)
    each_shard(everywhere, [&](Shard& shard) {
      receiver.take(shard, at, engine::view(asked.queues[q]));
      shard.settle_hint();
    });
  if (op.status != STILE_UNSET) return;
  // In the partitions that it did not get to something may be due.
  for (std::size_t i = 0; i < n && receiver.done() && !receiver.more(); ++i)
    if (space_->shard((turn + i) % n).may_be_due(glance)) receiver.set_more();
  receiver.finish(seen);
}

std::vector<Span> Session::next_due(Held& held, const std::vector<std::string>& queues) {
  std::vector<Span> out(queues.size(), engine::never);
  for (std::size_t i = 0; i < space_->size(); ++i) {
    held.take(space_->shard(i));
    for (std::size_t q = 0; q < queues.size(); ++q) {
      const Time due = held.shard().next_due(queues[q]);
      if (due != engine::never) out[q] = std::min(out[q], std::max<Span>(due - held.now(), 0));
    }
  }
  held.let_go();
  return out;
}

void Session::receive(const stile_call& call, Held& held, stile_op& op) {
  const bool waits = engine::request_of<stile_receive_request>(op).wait != 0;
  const auto look = [&](bool first) {
    look_for_due(held, op, !first);
    if (waits) held.let_go();
  };
  waits_.receive(call, op, look, [&](const auto& queues) { return next_due(held, queues); });
}

// --- watch ----------------------------------------------------------------------------------------------------------

void Session::look_for_changes(Held& held, stile_op& op) {
  const auto& asked = engine::request_of<stile_watch_request>(op);
  std::vector<std::uint64_t> changed;
  for (std::uint64_t i = 0; i < asked.n_watched; ++i) {
    held.take(space_->shard(space_->shard_of(engine::view(asked.watched[i].workflow))));
    const engine::Context at{held.now(), &space_->limits(), 0, stile_id{}};
    if (engine::watched_changed(held.shard(), at, asked.watched[i])) changed.push_back(i);
  }
  held.let_go();
  sdk::answer_changed(op, changed);
}

void Session::watch(const stile_call& call, Held& held, stile_op& op) {
  waits_.watch(call, op, [&] { look_for_changes(held, op); });
}

// --- the store ------------------------------------------------------------------------------------------------------

void Session::trim(Held& held, stile_op& op) {
  engine::Trimmer trimmer(op);
  op.status = STILE_UNSET;
  const std::size_t n = space_->size(), turn = next_turn();
  for (std::size_t i = 0; i < n && op.status == STILE_UNSET; ++i) {
    if (trimmer.done()) {
      trimmer.set_more();
      break;
    }
    held.take(space_->shard((turn + i) % n));
    guarded(held, op, [&] { trimmer.take(held.shard(), context(held.now(), op)); });
  }
  if (op.status == STILE_UNSET) trimmer.finish();
}

}  // namespace stile::memory

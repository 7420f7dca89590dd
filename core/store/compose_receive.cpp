// Composition of receive with acquire and load, for stores without coupled_receive.
//
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <string>

#include "store/compose.hpp"

namespace stile::store {

namespace {

/// D9: so many wakeups are put off in one call at most.
constexpr unsigned most_put_off = 100;

}  // namespace

PutOff put_off(std::uint32_t delivery_count, std::int64_t held_until, std::int64_t store_time) {
  // A snooze sets the count back to none, where a first delivery found it. A later delivery must not lose its count: a
  // workflow that kills its worker each time would never be put aside.
  if (delivery_count > 1) return {false, held_until};
  return {true, std::min(held_until, store_time + fallback_interval.count())};
}

struct Composition::Taken {
  stile_delivery* delivery = nullptr;
  stile_acquire_request acquire_request{};
  stile_acquire_result acquire_result{};
  stile_load_request load_request{};
  stile_load_result load_result{};
  stile_snooze_request snooze_request{};
  stile_snooze_result snooze_result{};
  stile_nack_request nack_request{};
  stile_nack_result nack_result{};
  stile_op acquire{}, load{}, answer{};

  bool held() const { return acquire.status == STILE_HELD; }
  Status trouble() const {
    if (acquire.status != STILE_OK) return static_cast<Status>(acquire.status);
    return static_cast<Status>(load.status);
  }
};

void Composition::receive(stile_op& op) {
  stile_receive_request request = *static_cast<const stile_receive_request*>(op.request);
  auto* result = static_cast<stile_receive_result*>(op.result);
  Deadline wait_end = std::chrono::steady_clock::now() + Duration(std::min(request.wait, longest_wait));
  std::vector<stile_delivery*> kept;
  Status trouble = Status::ok;
  const std::uint32_t max = request.max;
  request.acquire = request.load = 0;
  unsigned put_off_before = put_off_;
  while (receive_some(op, request, kept, trouble)) {
    if (put_off_ - put_off_before >= most_put_off) {
      result->more = 1;
      break;
    }
    // Some were held: others may be due. Only with nothing to hand out it waits on.
    auto left = std::chrono::floor<Duration>(wait_end - std::chrono::steady_clock::now()).count();
    request.max = max - static_cast<std::uint32_t>(kept.size());
    request.wait = kept.empty() ? std::max<std::int64_t>(left, 0) : 0;
  }
  result->deliveries = nullptr;
  stile_delivery** tail = &result->deliveries;
  for (stile_delivery* delivery : kept) {
    *tail = delivery;
    tail = &delivery->next;
  }
  *tail = nullptr;
  if (kept.empty() && trouble != Status::ok) {
    // What was received is not handed out; the next send with again gets it, or its lease runs out.
    op.status = STILE_UNKNOWN;
    op.error = text_of("the lease or the records of a delivery are in doubt");
  }
}

/// One receive and what follows it; true when another is worth while.
bool Composition::receive_some(stile_op& op, stile_receive_request& request, std::vector<stile_delivery*>& kept,
                               Status& trouble) {
  auto* original = static_cast<const stile_receive_request*>(op.request);
  auto* result = static_cast<stile_receive_result*>(op.result);
  stile_op part = part_of(op, STILE_OP_RECEIVE, &request, op.result);
  part.op_id = op.op_id;
  part.must = op.must & STILE_MUST_AGAIN;
  std::int64_t store_time = result->store_time;
  *result = {};
  result->struct_size = sizeof(*result);
  stile_op* only = &part;
  execute(std::span(&only, 1));
  if (part.status != STILE_OK && !kept.empty()) {
    result->store_time = store_time;  // what is in hand is handed out; the next call tells the trouble
    return false;
  }
  op.status = part.status;
  op.error = part.error;
  op.native = part.native;
  op.retry_after = part.retry_after;
  if (part.status != STILE_OK) return false;
  std::vector<Taken> taken;
  for (auto* delivery = result->deliveries; delivery; delivery = delivery->next)
    taken.emplace_back().delivery = delivery;
  if (taken.empty()) return false;
  lease_and_load(op, taken);
  put_off_held(op, taken, result->store_time);
  bool held = false;
  for (const Taken& one : taken) {
    held |= one.held();
    if (one.trouble() != Status::ok) {
      if (!one.held()) trouble = one.trouble();
      continue;
    }
    // One that lapsed while others were asked for was delivered again (D10).
    std::erase_if(kept,
                  [&](const stile_delivery* other) { return view(other->workflow) == view(one.delivery->workflow); });
    kept.push_back(one.delivery);
  }
  return held && trouble == Status::ok && kept.size() < original->max && fate_ == Fate::keep;
}

void Composition::lease_and_load(const stile_op& op, std::vector<Taken>& taken) {
  auto* request = static_cast<const stile_receive_request*>(op.request);
  std::uint64_t bytes = std::min(request->load_max_bytes, coupling_.limits.reply_bytes) / taken.size();
  std::vector<stile_op*> send_these;
  for (Taken& one : taken) {
    one.acquire.status = one.load.status = STILE_OK;
    if (request->acquire) {
      one.acquire_request = {sizeof(one.acquire_request), 0, one.delivery->workflow, request->acquire_ttl,
                             request->acquire_budget};
      one.acquire_result.struct_size = sizeof(one.acquire_result);
      one.acquire = part_of(op, STILE_OP_ACQUIRE, &one.acquire_request, &one.acquire_result);
      // Its own: the stamp of a lease is the op_id of the operation that was granted it (A1). No receive of such a
      // store is granted one, so that a lease remembers it of acquires only, and of this receive sent again (R1, A9).
      one.acquire.op_id = op.op_id;
      send_these.push_back(&one.acquire);
    }
    if (request->load) {
      one.load_request = {sizeof(one.load_request),
                          request->load_limit,
                          one.delivery->workflow,
                          0,
                          std::max<std::uint64_t>(bytes, 1),
                          0,
                          0,
                          {}};
      one.load_result.struct_size = sizeof(one.load_result);
      one.load = part_of(op, STILE_OP_LOAD, &one.load_request, &one.load_result);
      if (request->acquire) one.load.must = STILE_MUST_AFTER_OK;
      send_these.push_back(&one.load);
    }
  }
  send(send_these);
  for (Taken& one : taken) {
    stile_delivery& to = *one.delivery;
    if (request->acquire) {
      to.fence = one.acquire_result.fence;
      to.live_until = one.acquire_result.live_until;
      to.budget_until = one.acquire_result.budget_until;
      to.cancel_requested |= one.acquire_result.cancel_requested;
    }
    to.records = one.load_result.records;
    to.more = one.load_result.more;
    to.finished = one.load_result.finished;
  }
}

void Composition::put_off_held(const stile_op& op, std::vector<Taken>& taken, std::int64_t store_time) {
  std::vector<stile_op*> send_these;
  for (Taken& one : taken) {
    if (!one.held()) continue;
    PutOff how = put_off(one.delivery->delivery_count, one.acquire_result.live_until, store_time);
    stile_answer answer{one.delivery->receipt, {}, 0, 0};
    one.snooze_request = {sizeof(one.snooze_request), 1, how.until, answer};
    one.snooze_result.struct_size = sizeof(one.snooze_result);
    one.nack_request = {sizeof(one.nack_request), 0, std::max<std::int64_t>(how.until - store_time, 0), {}, answer};
    one.nack_result.struct_size = sizeof(one.nack_result);
    one.answer = how.snooze ? part_of(op, STILE_OP_SNOOZE, &one.snooze_request, &one.snooze_result)
                            : part_of(op, STILE_OP_NACK, &one.nack_request, &one.nack_result);
    one.answer.op_id = part_id(op.op_id, "put off " + std::string(view(one.delivery->receipt)));
    send_these.push_back(&one.answer);
    ++put_off_;
  }
  // Whether it worked is not asked: what was not put off comes again when its delivery ends.
  send(send_these);
}

}  // namespace stile::store

// The operations of the contract as short calls.
//
// SPDX-License-Identifier: Apache-2.0
#include "speak.hpp"

namespace stile::test {

namespace {

template <class O>
O on_workflow(std::uint32_t kind, std::string_view workflow) {
  O op(kind);
  op.q().workflow = op.keep(workflow);
  return op;
}

template <class O>
O answer(std::uint32_t kind, std::string_view receipt) {
  O op(kind);
  op.q().answer.receipt = op.keep(receipt);
  return op;
}

}  // namespace

Acquire acquire(std::string_view workflow, microseconds ttl, microseconds budget) {
  auto op = on_workflow<Acquire>(STILE_OP_ACQUIRE, workflow);
  op.q().ttl = ttl.count();
  op.q().budget = budget.count();
  return op;
}

Renew renew(std::string_view workflow, const stile_fence& fence, microseconds ttl, std::optional<microseconds> budget) {
  auto op = on_workflow<Renew>(STILE_OP_RENEW, workflow);
  op.q().fence = fence;
  op.q().ttl = ttl.count();
  op.q().has_budget = budget ? 1 : 0;
  op.q().budget = budget.value_or(0s).count();
  return op;
}

Release release(std::string_view workflow, const stile_fence& fence) {
  auto op = on_workflow<Release>(STILE_OP_RELEASE, workflow);
  op.q().fence = fence;
  return op;
}

Load load(std::string_view workflow, std::int64_t after, std::uint32_t limit) {
  auto op = on_workflow<Load>(STILE_OP_LOAD, workflow);
  op.q().after = after;
  op.q().limit = limit;
  op.q().max_bytes = STILE_ALL_BYTES;
  return op;
}

Record record(std::string_view workflow, const stile_fence& fence, std::string_view key, std::string_view value) {
  auto op = on_workflow<Record>(STILE_OP_RECORD, workflow);
  op.q().fence = fence;
  op.q().key = op.keep(key);
  op.q().value = op.keep(value);
  return op;
}

Supply supply(std::string_view workflow, std::string_view key, std::string_view value) {
  auto op = on_workflow<Supply>(STILE_OP_SUPPLY, workflow);
  op.q().key = op.keep(key);
  op.q().value = op.keep(value);
  return op;
}

Append append(std::string_view workflow, std::string_view value, std::string_view message_id) {
  auto op = on_workflow<Append>(STILE_OP_APPEND, workflow);
  op.q().value = op.keep(value);
  op.q().has_message_id = message_id.empty() ? 0 : 1;
  op.q().message_id = op.keep(message_id);
  return op;
}

Rebase rebase(std::string_view workflow, const stile_fence& fence, std::string_view inbox_after, std::string_view key,
              std::string_view value) {
  auto op = on_workflow<Rebase>(STILE_OP_REBASE, workflow);
  op.q().fence = fence;
  op.q().inbox_after = op.keep(inbox_after);
  op.q().key = op.keep(key);
  op.q().value = op.keep(value);
  return op;
}

Discard discard(std::string_view workflow, bool cancel) {
  auto op = on_workflow<Discard>(STILE_OP_DISCARD, workflow);
  op.q().cancel = cancel ? 1 : 0;
  return op;
}

RequestCancel request_cancel(std::string_view workflow) {
  return on_workflow<RequestCancel>(STILE_OP_REQUEST_CANCEL, workflow);
}

Enqueue enqueue(std::string_view workflow, microseconds delay, std::optional<std::string_view> queue, bool revive) {
  auto op = with_enqueue(on_workflow<Enqueue>(STILE_OP_ENQUEUE, workflow), delay);
  op.q().revive = revive ? 1 : 0;
  if (queue) {
    auto* asked = const_cast<stile_enqueue*>(op.q().enqueue);
    asked->has_queue = 1;
    asked->queue = op.keep(*queue);
  }
  return op;
}

Receive receive(std::uint32_t max, microseconds lease, std::vector<std::string> queues) {
  Receive op(STILE_OP_RECEIVE);
  op.q().max = max;
  op.q().lease = lease.count();
  std::vector<stile_bytes> names;
  for (const auto& queue : queues) names.push_back(op.keep(queue));
  const auto kept = op.keep({reinterpret_cast<const char*>(names.data()), names.size() * sizeof names[0]});
  op.q().queues = reinterpret_cast<const stile_bytes*>(kept.ptr);
  op.q().n_queues = names.size();
  return op;
}

Receive receive_pass(std::uint32_t max, microseconds lease, microseconds ttl, microseconds budget) {
  auto op = receive(max, lease);
  op.q().acquire = 1;
  op.q().acquire_ttl = ttl.count();
  op.q().acquire_budget = budget.count();
  op.q().load = 1;
  op.q().load_limit = STILE_PAGE;
  op.q().load_max_bytes = STILE_ALL_BYTES;
  return op;
}

Extend extend(std::string_view receipt, microseconds lease) {
  Extend op(STILE_OP_EXTEND);
  op.q().receipt = op.keep(receipt);
  op.q().lease = lease.count();
  return op;
}

Ack ack(std::string_view receipt, bool finished, const stile_fence* fence, bool release) {
  auto op = answer<Ack>(STILE_OP_ACK, receipt);
  op.q().finished = finished ? 1 : 0;
  op.q().answer.has_fence = fence != nullptr ? 1 : 0;
  if (fence != nullptr) op.q().answer.fence = *fence;
  op.q().answer.release = release ? 1 : 0;
  return op;
}

Snooze snooze(std::string_view receipt, microseconds delay) {
  auto op = answer<Snooze>(STILE_OP_SNOOZE, receipt);
  op.q().when = delay.count();
  return op;
}

Nack nack(std::string_view receipt, microseconds delay, std::string_view error) {
  auto op = answer<Nack>(STILE_OP_NACK, receipt);
  op.q().delay = delay.count();
  op.q().has_error = error.empty() ? 0 : 1;
  op.q().error = op.keep(error);
  return op;
}

Reject reject(std::string_view receipt, std::string_view error) {
  auto op = answer<Reject>(STILE_OP_REJECT, receipt);
  op.q().has_error = error.empty() ? 0 : 1;
  op.q().error = op.keep(error);
  return op;
}

Cancel cancel(std::string_view workflow) { return on_workflow<Cancel>(STILE_OP_CANCEL, workflow); }

Get get(std::string_view key) {
  Get op(STILE_OP_GET);
  op.q().key = op.keep(key);
  return op;
}

Put put(std::string_view key, std::string_view value, std::uint32_t condition, std::string_view version,
        std::int64_t ttl) {
  Put op(STILE_OP_PUT);
  op.q().key = op.keep(key);
  op.q().value = op.keep(value);
  op.q().condition = condition;
  op.q().version = op.keep(version);
  op.q().ttl = ttl;
  return op;
}

Erase erase(std::string_view key, std::uint32_t condition, std::string_view version) {
  Erase op(STILE_OP_ERASE);
  op.q().key = op.keep(key);
  op.q().condition = condition;
  op.q().version = op.keep(version);
  return op;
}

Scan scan(std::string_view prefix, std::string_view after, std::uint32_t limit) {
  Scan op(STILE_OP_SCAN);
  op.q().prefix = op.keep(prefix);
  op.q().after = op.keep(after);
  op.q().limit = limit;
  return op;
}

List list(std::string_view prefix, std::string_view after, std::uint32_t limit) {
  List op(STILE_OP_LIST);
  op.q().prefix = op.keep(prefix);
  op.q().after = op.keep(after);
  op.q().limit = limit;
  return op;
}

Trim trim(microseconds older_than, std::uint32_t limit) {
  Trim op(STILE_OP_TRIM);
  op.q().older_than = older_than.count();
  op.q().limit = limit;
  return op;
}

Advance advance(microseconds by) {
  Advance op(STILE_OP_ADVANCE);
  op.q().by = by.count();
  return op;
}

Stats stats() { return Stats(STILE_OP_STATS); }

std::vector<Got> records(const stile_record* first) {
  std::vector<Got> out;
  for (; first != nullptr; first = first->next)
    out.push_back({string(first->key), string(first->value), first->position, first->written_at});
  return out;
}

std::vector<Delivered> deliveries(const Receive& op) {
  std::vector<Delivered> out;
  for (const auto* at = op.r().deliveries; at != nullptr; at = at->next)
    out.push_back({string(at->workflow), string(at->queue), string(at->receipt), string(at->last_error),
                   at->delivery_count, at->visible_at, at->fence, records(at->records), at->more != 0,
                   at->finished != 0, at->cancel_requested != 0});
  return out;
}

std::vector<Listed> listed(const List& op) {
  std::vector<Listed> out;
  for (const auto* at = op.r().workflows; at != nullptr; at = at->next)
    out.push_back({string(at->workflow), string(at->queue), string(at->last_error), at->state, at->delivery_count,
                   at->due_at, at->live_until, at->finished_at, at->last_written_at, at->records, at->fence_number});
  return out;
}

Delivered OnMemory::take(microseconds lease) {
  const auto got = deliveries(run(receive(1, lease)));
  EXPECT_EQ(got.size(), 1u) << "nothing is due";
  return got.empty() ? Delivered{} : got[0];
}

Delivered OnMemory::begin(microseconds lease, microseconds ttl) {
  const auto got = deliveries(run(receive_pass(1, lease, ttl)));
  EXPECT_EQ(got.size(), 1u) << "nothing is due";
  return got.empty() ? Delivered{} : got[0];
}

std::optional<Listed> OnMemory::row(std::string_view workflow) {
  for (const auto& found : listed(run(list(workflow))))
    if (found.workflow == workflow) return found;
  return std::nullopt;
}

}  // namespace stile::test

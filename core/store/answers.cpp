// Answers of the ABI into typed answers and failures.
//
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <string>

#include "stile/store.hpp"
#include "store/effect.hpp"
#include "store/operation.hpp"
#include "store/typed.hpp"

namespace stile {
inline namespace v1 {
namespace {

using store::fence_of;
using store::Operation;
using store::view;

StoreTime time_of(std::int64_t instant) { return StoreTime(Duration(instant)); }
std::optional<StoreTime> time_unless_zero(std::int64_t instant) {
  if (instant == 0) return std::nullopt;
  return time_of(instant);
}
Bytes copy(stile_bytes bytes) { return Bytes(view(bytes)); }

std::vector<StoredRecord> records_of(const stile_record* first) {
  std::size_t n = 0;
  for (auto* r = first; r; r = r->next) ++n;
  std::vector<StoredRecord> out;
  out.reserve(n);
  for (auto* r = first; r; r = r->next)
    out.push_back({copy(r->key), copy(r->value), r->position, time_of(r->written_at)});
  return out;
}

/// What stands: the store leaves the value empty when the caller's own does (B2).
template <class Request>
Bytes value_that_stands(const Operation& o, std::uint32_t first, stile_bytes value) {
  return copy(first ? o.request<Request>().value : value);
}

Acquired decode(const Operation&, const stile_acquire_result& r, const Acquire*) {
  return {fence_of(r.fence), time_of(r.live_until), time_of(r.budget_until), r.cancel_requested != 0};
}

Renewed decode(const Operation&, const stile_renew_result& r, const Renew*) {
  return {time_of(r.live_until), time_of(r.budget_until), r.cancel_requested != 0};
}

Loaded decode(const Operation&, const stile_load_result& r, const Load*) {
  return {records_of(r.records), r.fence_number, r.cancel_requested != 0, r.finished != 0, r.more != 0};
}

Recorded decode(const Operation& o, const stile_record_result& r, const Record*) {
  return {value_that_stands<stile_record_request>(o, r.first, r.value), r.first != 0, r.position,
          time_of(r.written_at)};
}

template <class Result>
std::optional<State> state_of(const Result& r) {
  if (r.state == 0) return std::nullopt;
  return static_cast<State>(r.state);
}

Supplied decode(const Operation& o, const stile_supply_result& r, const Supply*) {
  return {value_that_stands<stile_supply_request>(o, r.first, r.value),
          r.first != 0,
          r.position,
          time_of(r.written_at),
          state_of(r),
          time_unless_zero(r.visible_at)};
}

Appended decode(const Operation&, const stile_append_result& r, const Append*) {
  return {copy(r.key), r.position, r.duplicate != 0, state_of(r), time_unless_zero(r.visible_at)};
}

Transacted decode(const Operation&, const stile_transact_result& r, const Transact*) {
  return {copy(r.value), r.ran != 0, r.position, time_of(r.written_at)};
}

Rebased decode(const Operation&, const stile_rebase_result& r, const Rebase*) {
  return {r.removed, r.position, time_of(r.written_at)};
}

Discarded decode(const Operation&, const stile_discard_result& r, const Discard*) { return {r.removed}; }

Watched decode(const Operation&, const stile_watch_result& r, const Watch*) {
  Watched out;
  for (std::uint64_t i = 0; i < r.n_changed; ++i) out.changed.push_back(static_cast<std::size_t>(r.changed[i]));
  return out;
}

Enqueued decode(const Operation&, const stile_enqueue_result& r, const Enqueue*) {
  return {static_cast<State>(r.state), time_unless_zero(r.visible_at)};
}

Delivery delivery_of(const stile_delivery& d) {
  Delivery out;
  out.workflow = copy(d.workflow);
  out.queue = copy(d.queue);
  out.receipt = copy(d.receipt);
  out.delivery_count = d.delivery_count;
  out.visible_at = time_of(d.visible_at);
  out.last_error = copy(d.last_error);
  out.cancel_requested = d.cancel_requested != 0;
  out.fence = fence_of(d.fence);
  out.live_until = time_of(d.live_until);
  out.budget_until = time_of(d.budget_until);
  out.records = records_of(d.records);
  out.more = d.more != 0;
  out.finished = d.finished != 0;
  return out;
}

Received decode(const Operation&, const stile_receive_result& r, const Receive*) {
  Received out;
  std::size_t n = 0;
  for (auto* d = r.deliveries; d; d = d->next) ++n;
  out.deliveries.reserve(n);
  for (auto* d = r.deliveries; d; d = d->next) out.deliveries.push_back(delivery_of(*d));
  out.more = r.more != 0;
  out.store_time = time_of(r.store_time);
  return out;
}

Extended decode(const Operation& o, const stile_extend_result& r, const Extend*) {
  Extended out{time_of(r.visible_at), r.cancel_requested != 0, std::nullopt, std::nullopt};
  if (o.request<stile_extend_request>().has_fence) {
    out.live_until = time_of(r.live_until);
    out.budget_until = time_of(r.budget_until);
  }
  return out;
}

Acked decode(const Operation&, const stile_ack_result& r, const Ack*) { return {r.requeued != 0}; }
Snoozed decode(const Operation&, const stile_snooze_result& r, const Snooze*) { return {time_of(r.visible_at)}; }
Nacked decode(const Operation&, const stile_nack_result& r, const Nack*) {
  return {time_of(r.visible_at), r.delivery_count};
}
Rejected decode(const Operation&, const stile_reject_result& r, const Reject*) { return {static_cast<State>(r.state)}; }
Cancelled decode(const Operation&, const stile_cancel_result& r, const Cancel*) { return {r.removed != 0}; }

Document decode(const Operation&, const stile_get_result& r, const Get*) {
  return {copy(r.value), copy(r.version), time_unless_zero(r.expires_at)};
}
Stored decode(const Operation&, const stile_put_result& r, const Put*) { return {copy(r.version)}; }
Erased decode(const Operation&, const stile_erase_result& r, const Erase*) { return {r.removed != 0}; }

Scanned decode(const Operation&, const stile_scan_result& r, const Scan*) {
  Scanned out;
  for (auto* d = r.documents; d; d = d->next)
    out.documents.push_back({copy(d->key), copy(d->version), time_unless_zero(d->expires_at)});
  if (r.has_next) out.next = copy(r.next);
  return out;
}

Prepared decode(const Operation&, const stile_prepare_result& r, const Prepare*) { return {r.migrated != 0}; }

StoreInfo decode(const Operation&, const stile_info_result& r, const Info*) {
  StoreInfo out;
  out.plugin = view(r.plugin);
  out.store_time = time_of(r.store_time);
  out.epoch = copy(r.epoch);
  out.durability = view(r.durability);
  out.server = view(r.server);
  for (std::uint64_t i = 0; i < r.n_capabilities; ++i) out.capabilities.emplace_back(view(r.capabilities[i]));
  if (const stile_limits* l = r.limits)
    out.limits = {l->id_bytes, l->value_bytes, l->reply_bytes, l->error_bytes, l->receipt_bytes,
                  l->batch,    l->page,        l->queues,      l->partitions,  l->writers};
  return out;
}

StoreStats decode(const Operation&, const stile_stats_result& r, const Stats*) {
  StoreStats out{r.ready,    r.delayed, r.in_flight, r.dead,        r.workflows,
                 r.finished, r.records, r.documents, r.stored_bytes};
  if (r.oldest_ready_age >= 0) out.oldest_ready_age = Duration(r.oldest_ready_age);
  out.next_due_at = time_unless_zero(r.next_due_at);
  constexpr std::array<std::pair<std::uint32_t, std::string_view>, 4> names{{{STILE_APPROX_WORKFLOWS, "workflows"},
                                                                             {STILE_APPROX_FINISHED, "finished"},
                                                                             {STILE_APPROX_RECORDS, "records"},
                                                                             {STILE_APPROX_DOCUMENTS, "documents"}}};
  for (auto [bit, name] : names)
    if (r.approximate & bit) out.approximate.push_back(name);
  return out;
}

Listed decode(const Operation&, const stile_list_result& r, const List*) {
  Listed out;
  for (auto* w = r.workflows; w; w = w->next)
    out.workflows.push_back({copy(w->workflow), copy(w->queue), static_cast<State>(w->state),
                             time_unless_zero(w->due_at), w->delivery_count, w->records, w->fence_number,
                             time_unless_zero(w->live_until), time_unless_zero(w->finished_at),
                             time_unless_zero(w->last_written_at), w->cancel_requested != 0, copy(w->last_error)});
  if (r.has_next) out.next = copy(r.next);
  return out;
}

Trimmed decode(const Operation&, const stile_trim_result& r, const Trim*) { return {r.removed, r.more != 0}; }

Rendered decode(const Operation&, const stile_render_result& r, const Render*) {
  Rendered out;
  out.text = view(r.text);
  for (std::uint64_t i = 0; i < r.n_params; ++i) out.params.push_back(store::parameter_of(r.params[i]));
  for (std::uint64_t i = 0; i < r.n_keys; ++i) out.keys.push_back(copy(r.keys[i]));
  return out;
}

Advanced decode(const Operation&, const stile_advance_result& r, const Advance*) { return {time_of(r.store_time)}; }

template <class Result>
void add_current(Failure& failure, const Result& r) {
  if (r.version.len) failure.current.emplace(copy(r.version), copy(r.value));
}

}  // namespace

std::string_view name_of(State state) {
  constexpr std::array<std::string_view, 10> names{"",         "ready", "delayed",   "in_flight", "dead",
                                                   "finished", "idle",  "coalesced", "deferred",  "requeued"};
  auto index = static_cast<std::size_t>(state);
  return index < names.size() ? names[index] : "";
}

bool StoreInfo::has(std::string_view capability) const {
  return std::find(capabilities.begin(), capabilities.end(), capability) != capabilities.end();
}

namespace detail {

template <class Request>
Result<typename Request::Answer> take_answer(Operation& operation) {
  if (operation.status() != Status::ok) return store::failure_of(operation);
  using Abi = typename store::ResultOf<Request>::type;
  if constexpr (std::is_void_v<Abi>)
    return typename Request::Answer{};
  else
    return decode(operation, operation.result<Abi>(), static_cast<const Request*>(nullptr));
}

#define STILE_STORE_TAKE(Request, result) template Result<Request::Answer> take_answer<Request>(Operation&);
STILE_STORE_REQUESTS(STILE_STORE_TAKE)
#undef STILE_STORE_TAKE

}  // namespace detail
}  // namespace v1

namespace store {

Failure failure_of(const Operation& o) {
  const stile_op& op = o.op();
  if (o.left()) {
    Failure left{o.status(), std::string(codec::op_name(op.kind)) + ": ", {}, Duration{0}};
    left.text += meaning_of(left.status);
    if (o.earlier) left.text += "; the send before: " + o.earlier->text;
    return left;
  }
  Failure failure{o.status(), std::string(view(op.error)), std::string(view(op.native)), Duration(op.retry_after)};
  if (failure.text.empty())
    failure.text = std::string(codec::op_name(op.kind)) + ": " + std::string(meaning_of(failure.status));
  failure.in_doubt = o.doubt;
  if (o.refused() || !op.result) return failure;
  if (op.status == STILE_HELD && op.kind == STILE_OP_ACQUIRE)
    failure.held_until = time_unless_zero(o.result<stile_acquire_result>().live_until);
  if (op.status == STILE_CONFLICT && op.kind == STILE_OP_PUT) add_current(failure, o.result<stile_put_result>());
  if (op.status == STILE_CONFLICT && op.kind == STILE_OP_ERASE) add_current(failure, o.result<stile_erase_result>());
  return failure;
}

}  // namespace store
}  // namespace stile

// Typed requests into the requests of the ABI.
//
// SPDX-License-Identifier: Apache-2.0
#include <new>
#include <string>
#include <utility>

#include "stile/store.hpp"
#include "store/effect.hpp"
#include "store/operation.hpp"
#include "store/typed.hpp"

namespace stile {
inline namespace v1 {
namespace {

using store::abi_of;
using store::Arena;
using store::Operation;

/// What a typed request becomes: kind and request of op are set; the first refusal, if any, answers the whole
/// operation.
struct Encoder {
  Operation& operation;
  stile_op& op;

  Arena& arena() { return operation.arena(); }
  stile_bytes bytes(std::string_view text) { return arena().copy(text); }

  template <class T>
  T& begin(std::uint32_t kind) {
    T* request = arena().make<T>();
    op.kind = kind;
    op.request = request;
    return *request;
  }
  void op_id(const Id& id) { op.op_id = abi_of(id); }
  void refuse(std::string_view text) {
    if (!operation.refused()) operation.refuse(Status::invalid, text);
  }

  /// A delay or an instant: false when both were given.
  template <class Timed>
  void when(const Timed& timed, std::uint32_t& is_instant, std::int64_t& at) {
    if (timed.delay && timed.at) return refuse("delay and at: one of them, not both (W8)");
    is_instant = timed.at.has_value();
    at = timed.at ? timed.at->time_since_epoch().count() : timed.delay ? timed.delay->count() : 0;
  }
  template <class Timed>
  stile_enqueue* wakeup(const Timed& timed) {
    auto* out = arena().make<stile_enqueue>();
    when(timed, out->is_instant, out->when);
    out->has_queue = timed.queue.has_value();
    if (timed.queue) out->queue = bytes(*timed.queue);
    return out;
  }
  template <class Answering>
  void answer(const Answering& from, stile_answer& to) {
    to.receipt = bytes(from.receipt);
    to.has_fence = from.fence.has_value();
    if (from.fence) to.fence = abi_of(*from.fence);
    to.release = from.release;
    op_id(from.op_id);
  }
  void error(const std::optional<std::string_view>& text, std::uint32_t& has, stile_bytes& to) {
    has = text.has_value();
    if (text) to = bytes(*text);
  }
};

std::uint32_t page(const std::optional<std::uint32_t>& limit) { return limit.value_or(STILE_PAGE); }

// ---- lease

void encode(Encoder& e, const Acquire& r) {
  auto& to = e.begin<stile_acquire_request>(STILE_OP_ACQUIRE);
  to.force = r.force;
  to.workflow = e.bytes(r.workflow);
  to.ttl = r.ttl.count();
  to.budget = r.budget.count();
  e.op_id(r.op_id);
}

void encode(Encoder& e, const Renew& r) {
  auto& to = e.begin<stile_renew_request>(STILE_OP_RENEW);
  to.workflow = e.bytes(r.workflow);
  to.fence = abi_of(r.fence);
  to.ttl = r.ttl.count();
  to.has_budget = r.budget.has_value();
  to.budget = r.budget.value_or(Duration{0}).count();
}

void encode(Encoder& e, const Release& r) {
  auto& to = e.begin<stile_release_request>(STILE_OP_RELEASE);
  to.workflow = e.bytes(r.workflow);
  to.fence = abi_of(r.fence);
}

// ---- checkpoint

void encode(Encoder& e, const Load& r) {
  auto& to = e.begin<stile_load_request>(STILE_OP_LOAD);
  to.workflow = e.bytes(r.workflow);
  to.after = r.after;
  to.limit = page(r.limit);
  to.max_bytes = r.max_bytes.value_or(STILE_ALL_BYTES);
  to.has_key = r.key.has_value();
  if (r.key) to.key = e.bytes(*r.key);
}

void encode(Encoder& e, const Record& r) {
  auto& to = e.begin<stile_record_request>(STILE_OP_RECORD);
  to.workflow = e.bytes(r.workflow);
  to.fence = abi_of(r.fence);
  to.key = e.bytes(r.key);
  to.value = e.bytes(r.value);
  e.op_id(r.op_id);
}

void encode(Encoder& e, const Supply& r) {
  auto& to = e.begin<stile_supply_request>(STILE_OP_SUPPLY);
  to.workflow = e.bytes(r.workflow);
  to.key = e.bytes(r.key);
  to.value = e.bytes(r.value);
  if (r.enqueue) to.enqueue = e.wakeup(*r.enqueue);
  e.op_id(r.op_id);
}

void encode(Encoder& e, const Append& r) {
  auto& to = e.begin<stile_append_request>(STILE_OP_APPEND);
  to.workflow = e.bytes(r.workflow);
  to.value = e.bytes(r.value);
  to.has_message_id = r.message_id.has_value();
  if (r.message_id) to.message_id = e.bytes(*r.message_id);
  if (r.enqueue) to.enqueue = e.wakeup(*r.enqueue);
  e.op_id(r.op_id);
}

void encode(Encoder& e, const Transact& r) {
  auto& to = e.begin<stile_transact_request>(STILE_OP_TRANSACT);
  to.workflow = e.bytes(r.workflow);
  to.fence = abi_of(r.fence);
  to.key = e.bytes(r.key);
  to.effect = store::make_effect(e.operation, r.effect);
  e.op_id(r.op_id);
}

void encode(Encoder& e, const Rebase& r) {
  auto& to = e.begin<stile_rebase_request>(STILE_OP_REBASE);
  to.workflow = e.bytes(r.workflow);
  to.fence = abi_of(r.fence);
  to.inbox_after = e.bytes(r.inbox_after);
  to.key = e.bytes(r.key);
  to.value = e.bytes(r.value);
  e.op_id(r.op_id);
}

void encode(Encoder& e, const Discard& r) {
  auto& to = e.begin<stile_discard_request>(STILE_OP_DISCARD);
  to.cancel = r.cancel;
  to.workflow = e.bytes(r.workflow);
  e.op_id(r.op_id);
}

void encode(Encoder& e, const RequestCancel& r) {
  e.begin<stile_request_cancel_request>(STILE_OP_REQUEST_CANCEL).workflow = e.bytes(r.workflow);
  e.op_id(r.op_id);
}

void encode(Encoder& e, const Watch& r) {
  auto& to = e.begin<stile_watch_request>(STILE_OP_WATCH);
  auto* items = e.arena().make_array<stile_watched>(r.workflows.size());
  for (std::size_t i = 0; i < r.workflows.size(); ++i)
    items[i] = {e.bytes(r.workflows[i].workflow), r.workflows[i].after};
  to.watched = items;
  to.n_watched = r.workflows.size();
  to.wait = r.wait.count();
}

// ---- queue

void encode(Encoder& e, const Enqueue& r) {
  auto& to = e.begin<stile_enqueue_request>(STILE_OP_ENQUEUE);
  to.revive = r.revive;
  to.workflow = e.bytes(r.workflow);
  to.enqueue = e.wakeup(r);
  e.op_id(r.op_id);
}

void encode(Encoder& e, const Receive& r) {
  auto& to = e.begin<stile_receive_request>(STILE_OP_RECEIVE);
  auto* queues = e.arena().make_array<stile_bytes>(r.queues.size());
  for (std::size_t i = 0; i < r.queues.size(); ++i) queues[i] = e.bytes(r.queues[i]);
  to.queues = queues;
  to.n_queues = r.queues.size();
  to.max = r.max;
  to.lease = r.lease.count();
  to.wait = r.wait.count();
  if (r.acquire) {
    to.acquire = 1;
    to.acquire_ttl = r.acquire->ttl.count();
    to.acquire_budget = r.acquire->budget.count();
  }
  if (r.load) {
    to.load = 1;
    to.load_limit = page(r.load->limit);
    to.load_max_bytes = r.load->max_bytes.value_or(STILE_ALL_BYTES);
  }
  if (r.again) e.op.must |= STILE_MUST_AGAIN;
  if (r.again && r.op_id.empty()) e.refuse("again: without the op_id of the first send it names nothing (R1)");
  e.op_id(r.op_id);
}

void encode(Encoder& e, const Extend& r) {
  auto& to = e.begin<stile_extend_request>(STILE_OP_EXTEND);
  to.receipt = e.bytes(r.receipt);
  to.lease = r.lease.count();
  if (!r.renew) return;
  to.has_fence = 1;
  to.fence = abi_of(r.renew->fence);
  to.ttl = r.renew->ttl.count();
  to.has_budget = r.renew->budget.has_value();
  to.budget = r.renew->budget.value_or(Duration{0}).count();
}

void encode(Encoder& e, const Ack& r) {
  auto& to = e.begin<stile_ack_request>(STILE_OP_ACK);
  to.finished = r.finished;
  e.answer(r, to.answer);
}

void encode(Encoder& e, const Snooze& r) {
  auto& to = e.begin<stile_snooze_request>(STILE_OP_SNOOZE);
  if (!r.delay && !r.at) e.refuse("snooze: delay or at must be given");
  e.when(r, to.is_instant, to.when);
  e.answer(r, to.answer);
}

void encode(Encoder& e, const Nack& r) {
  auto& to = e.begin<stile_nack_request>(STILE_OP_NACK);
  to.delay = r.delay.count();
  e.error(r.error, to.has_error, to.error);
  e.answer(r, to.answer);
}

void encode(Encoder& e, const Reject& r) {
  auto& to = e.begin<stile_reject_request>(STILE_OP_REJECT);
  e.error(r.error, to.has_error, to.error);
  e.answer(r, to.answer);
}

void encode(Encoder& e, const Cancel& r) {
  e.begin<stile_cancel_request>(STILE_OP_CANCEL).workflow = e.bytes(r.workflow);
  e.op_id(r.op_id);
}

// ---- documents

void encode(Encoder& e, const Get& r) { e.begin<stile_get_request>(STILE_OP_GET).key = e.bytes(r.key); }

void encode(Encoder& e, const Put& r) {
  auto& to = e.begin<stile_put_request>(STILE_OP_PUT);
  to.condition = static_cast<std::uint32_t>(r.condition.kind);
  to.key = e.bytes(r.key);
  to.value = e.bytes(r.value);
  to.version = e.bytes(r.condition.text);
  to.ttl = r.ttl.count();
  e.op_id(r.op_id);
}

void encode(Encoder& e, const Erase& r) {
  auto& to = e.begin<stile_erase_request>(STILE_OP_ERASE);
  to.condition = static_cast<std::uint32_t>(r.condition.kind);
  to.key = e.bytes(r.key);
  to.version = e.bytes(r.condition.text);
  e.op_id(r.op_id);
}

void encode(Encoder& e, const Scan& r) {
  auto& to = e.begin<stile_scan_request>(STILE_OP_SCAN);
  to.limit = page(r.limit);
  to.prefix = e.bytes(r.prefix);
  to.after = e.bytes(r.after);
}

// ---- store

void encode(Encoder& e, const Prepare& r) {
  e.begin<stile_prepare_request>(STILE_OP_PREPARE).check_only = r.check_only;
}

void encode(Encoder& e, const Info&) { e.begin<stile_info_request>(STILE_OP_INFO); }

void encode(Encoder& e, const Stats& r) {
  auto& to = e.begin<stile_stats_request>(STILE_OP_STATS);
  to.has_queue = r.queue.has_value();
  if (r.queue) to.queue = e.bytes(*r.queue);
}

void encode(Encoder& e, const List& r) {
  auto& to = e.begin<stile_list_request>(STILE_OP_LIST);
  to.state = r.state ? static_cast<std::uint32_t>(*r.state) : 0;
  to.has_queue = r.queue.has_value();
  if (r.queue) to.queue = e.bytes(*r.queue);
  to.has_idle_for = r.idle_for.has_value();
  to.idle_for = r.idle_for.value_or(Duration{0}).count();
  to.prefix = e.bytes(r.prefix);
  to.after = e.bytes(r.after);
  to.limit = page(r.limit);
}

void encode(Encoder& e, const Trim& r) {
  auto& to = e.begin<stile_trim_request>(STILE_OP_TRIM);
  to.limit = r.limit;
  to.older_than = r.older_than.count();
}

void encode(Encoder& e, const Render& r) {
  auto& to = e.begin<stile_render_request>(STILE_OP_RENDER);
  to.language = e.arena().copy_text(r.language);
  auto* said = e.arena().make<stile_op>();
  said->status = STILE_UNSET;
  said->arena = e.arena().abi();
  Encoder inner{e.operation, *said};
  std::visit([&](const auto& write) { encode(inner, write); }, r.say);
  to.op = said;
}

void encode(Encoder& e, const Advance& r) { e.begin<stile_advance_request>(STILE_OP_ADVANCE).by = r.by.count(); }

}  // namespace

namespace detail {

Slot::Slot() : operation_(Operation::make()) {}
Slot::~Slot() {
  if (operation_) operation_->release();
}
Slot::Slot(Slot&& other) noexcept : operation_(std::exchange(other.operation_, nullptr)) {}
Slot& Slot::operator=(Slot&& other) noexcept {
  std::swap(operation_, other.operation_);
  return *this;
}

template <class Request>
void put_request(Operation& operation, const Request& request) {
  Encoder encoder{operation, operation.op()};
  encode(encoder, request);
  if (!operation.refused()) operation.seal<typename store::ResultOf<Request>::type>();
}

#define STILE_STORE_PUT(Request, result) template void put_request(Operation&, const Request&);
STILE_STORE_REQUESTS(STILE_STORE_PUT)
#undef STILE_STORE_PUT

}  // namespace detail
}  // namespace v1
}  // namespace stile

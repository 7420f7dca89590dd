// Composition: the backend, the link, and writes that are covered by a wakeup (W9).
//
// SPDX-License-Identifier: Apache-2.0
#include "store/compose.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include "stile/sdk/check.h"
#include "store/info.hpp"

namespace stile::store {

Coupling::Coupling(const StoreInfo& info)
    : one_commit(info.has("one_commit")),
      coupled_receive(info.has("coupled_receive")),
      push_records(info.has("push_records")),
      store_time(info.store_time.time_since_epoch().count()),
      monotonic(std::chrono::steady_clock::now()) {
  const StoreInfo::Limits& l = info.limits;
  limits = {sizeof(stile_limits), 0,       l.id_bytes, l.value_bytes, l.reply_bytes, l.error_bytes,
            l.receipt_bytes,      l.batch, l.page,     l.queues,      l.partitions,  l.writers};
}

bool Coupling::does_by_itself(const stile_op& op) const {
  switch (op.kind) {
    case STILE_OP_SUPPLY: return one_commit || !static_cast<const stile_supply_request*>(op.request)->enqueue;
    case STILE_OP_APPEND: return one_commit || !static_cast<const stile_append_request*>(op.request)->enqueue;
    case STILE_OP_WATCH: return push_records;
    case STILE_OP_RECEIVE: {
      auto* request = static_cast<const stile_receive_request*>(op.request);
      return coupled_receive || (!request->acquire && !request->load);
    }
    default: return true;
  }
}

std::int64_t Coupling::about_now() const {
  auto since = std::chrono::steady_clock::now() - monotonic;
  return store_time + std::chrono::floor<Duration>(since).count();
}

bool Coupling::check(stile_op& op) const {
  auto now = [](void* ctx) { return static_cast<const Coupling*>(ctx)->about_now(); };
  stile_clock clock{now, const_cast<Coupling*>(this)};
  return stile_check(&op, &limits, &clock) != 0;
}

stile_id part_id(const stile_id& whole, std::string_view part) {
  stile_id out = whole;
  if (id_of(whole).empty()) return out;
  // The whole is unguessable; the part only has to tell the parts apart.
  std::uint64_t hash[2] = {0xCBF29CE484222325ULL, 0x84222325CBF29CE4ULL};
  for (unsigned char byte : part) {
    hash[0] = (hash[0] ^ byte) * 0x100000001B3ULL;
    hash[1] = (hash[1] ^ (byte + 0x9Du)) * 0x100000001B3ULL;
  }
  for (std::size_t i = 0; i < sizeof(out.bytes); ++i)
    out.bytes[i] = static_cast<std::uint8_t>(out.bytes[i] ^ (hash[i / 8] >> (8 * (i % 8))));
  return out;
}

stile_enqueue covering(const stile_enqueue& asked, std::int64_t about_now) {
  stile_enqueue out = asked;
  out.when = std::max(asked.when, (asked.is_instant ? about_now : 0) + fallback_interval.count());
  return out;
}

std::uint32_t state_of_both(std::uint32_t covering, std::uint32_t asked, bool asked_for_later) {
  bool made_here = covering == STILE_STATE_READY || covering == STILE_STATE_DELAYED;
  if (asked != STILE_STATE_COALESCED || !made_here) return asked;
  return asked_for_later ? STILE_STATE_DELAYED : STILE_STATE_READY;
}

namespace {

/// What an operation that may not run is answered: its arguments are judged first.
void skip(stile_op& op, const Coupling& coupling) {
  if (!coupling.check(op)) return;
  op.status = STILE_SKIPPED;
  op.error = text_of("the operation before it was not ok");
}

void copy_refusal(const stile_op& from, stile_op& to) {
  to.status = from.status;
  to.error = from.error;
  to.native = from.native;
  to.retry_after = from.retry_after;
}

}  // namespace

stile_op part_of(const stile_op& whole, std::uint32_t kind, const void* request, void* result, std::uint32_t must) {
  stile_op out{};
  out.struct_size = sizeof(stile_op);
  out.kind = kind;
  out.must = must;
  out.status = STILE_UNSET;
  out.request = request;
  out.result = result;
  out.arena = whole.arena;
  return out;
}

Fate Composition::run(std::span<stile_op* const> ops) {
  for (std::size_t i = 0; i < ops.size(); ++i) {
    stile_op& op = *ops[i];
    bool alone = ops.size() > 1 && travels_alone(op);  // the plugin refuses it (R3)
    if (alone || coupling_.does_by_itself(op)) {
      add(op);
      continue;
    }
    bool covered = op.kind == STILE_OP_SUPPLY || op.kind == STILE_OP_APPEND;
    if (covered && (i > 0 || !chained(op)) && coupling_.check(op)) {
      op.status = STILE_UNSET;
      add_covered(op);
      continue;
    }
    flush();
    op.status = STILE_UNSET;
    if (starts(op, i == 0)) {
      if (op.kind == STILE_OP_RECEIVE)
        receive(op);
      else
        watch(op);
    }
    previous_ = op.status;
    anything_before_ = true;
  }
  flush();
  return fate_;
}

/// False when the operation is answered without being done.
bool Composition::starts(stile_op& op, bool first) {
  if (first && chained(op)) {
    op.status = STILE_INVALID;
    op.error = text_of("after_ok: there is nothing before it (R3)");
  } else if (!coupling_.check(op)) {
    return false;
  } else if (chained(op) && previous_ != STILE_OK) {
    skip(op, coupling_);
  } else if (fate_ == Fate::drop) {
    op.status = STILE_UNAVAILABLE;
    op.error = text_of("the session broke before this operation was sent");
  } else {
    op.status = STILE_UNSET;
    return true;
  }
  return false;
}

void Composition::add_covered(stile_op& op) {
  auto& c = *covered_.emplace_back(std::make_unique<Covered>());
  c.whole = &op;
  const stile_enqueue* asked;
  stile_bytes workflow;
  if (op.kind == STILE_OP_SUPPLY) {
    c.supply = *static_cast<const stile_supply_request*>(op.request);
    asked = std::exchange(c.supply.enqueue, nullptr);
    workflow = c.supply.workflow;
  } else {
    c.append = *static_cast<const stile_append_request*>(op.request);
    asked = std::exchange(c.append.enqueue, nullptr);
    workflow = c.append.workflow;
  }
  std::int64_t now = coupling_.about_now();
  c.covering = covering(*asked, now);
  c.for_later = asked->when > (asked->is_instant ? now : 0);
  c.cover_request = {sizeof(stile_enqueue_request), 0, workflow, &c.covering};
  c.enqueue_request = {sizeof(stile_enqueue_request), 0, workflow, asked};
  c.cover_result.struct_size = c.enqueue_result.struct_size = sizeof(stile_enqueue_result);
  c.cover = part_of(op, STILE_OP_ENQUEUE, &c.cover_request, &c.cover_result, op.must);
  c.cover.op_id = part_id(op.op_id, "cover");
  c.write = part_of(op, op.kind, &c.supply, op.result, STILE_MUST_AFTER_OK);
  c.write.op_id = op.op_id;
  c.enqueue = part_of(op, STILE_OP_ENQUEUE, &c.enqueue_request, &c.enqueue_result, STILE_MUST_AFTER_OK);
  c.enqueue.op_id = part_id(op.op_id, "enqueue");
  add(c.cover);
  add(c.write);
  add(c.enqueue);
}

void Composition::finish(Covered& c) {
  stile_op& op = *c.whole;
  if (c.cover.status != STILE_OK) return copy_refusal(c.cover, op);
  if (c.write.status != STILE_OK) return copy_refusal(c.write, op);
  if (c.enqueue.status != STILE_OK) {
    // The value stands and will be looked at; when, the next send settles.
    copy_refusal(c.enqueue, op);
    op.status = STILE_UNKNOWN;
    return;
  }
  op.status = STILE_OK;
  std::uint32_t state = state_of_both(c.cover_result.state, c.enqueue_result.state, c.for_later);
  if (op.kind == STILE_OP_SUPPLY) {
    auto* result = static_cast<stile_supply_result*>(op.result);
    result->state = state;
    result->visible_at = c.enqueue_result.visible_at;
  } else {
    auto* result = static_cast<stile_append_result*>(op.result);
    result->state = state;
    result->visible_at = c.enqueue_result.visible_at;
  }
}

void Composition::flush() {
  if (pending_.empty()) return;
  send(pending_);
  previous_ = pending_.back()->status;
  anything_before_ = true;
  pending_.clear();
  for (auto& covered : covered_) finish(*covered);
  covered_.clear();
}

/// Sends operations in as many executes as the store's batch asks for, chains across them kept.
void Composition::send(std::span<stile_op* const> ops) {
  std::size_t limit = std::max<std::size_t>(static_cast<std::size_t>(coupling_.limits.batch), 1);
  for (std::size_t i = 0; i < ops.size();) {
    stile_op& first = *ops[i];
    bool has_before = i > 0 || anything_before_;
    std::int32_t before = i > 0 ? ops[i - 1]->status : previous_;
    bool cut = has_before && chained(first);
    if (cut && before != STILE_OK) {
      skip(first, coupling_);
      ++i;
      continue;
    }
    std::size_t n = std::min(limit, ops.size() - i);
    if (cut) first.must &= ~STILE_MUST_AFTER_OK;
    execute(ops.subspan(i, n));
    if (cut) first.must |= STILE_MUST_AFTER_OK;
    i += n;
  }
}

void Composition::execute(std::span<stile_op* const> ops) {
  if (fate_ == Fate::drop) {
    for (stile_op* op : ops) {
      op->status = STILE_UNAVAILABLE;
      op->error = text_of("the session broke before this operation was sent");
    }
    return;
  }
  fate_ = calls_.link().execute(calls_.begin(call_), ops);
}

namespace {

class ComposedBackend;

class ComposedLink final : public Link {
 public:
  ComposedLink(ComposedBackend& backend, std::unique_ptr<Link> inner) : backend_(backend), calls_(std::move(inner)) {}
  Fate execute(const stile_call& call, std::span<stile_op* const> ops) noexcept override;
  void interrupt(std::uint64_t serial) noexcept override;

 private:
  ComposedBackend& backend_;  // outlives its links
  InnerCalls calls_;
};

class ComposedBackend final : public Relay {
 public:
  using Relay::Relay;
  ~ComposedBackend() override { delete coupling_.load(); }

  std::unique_ptr<Link> connect(Deadline deadline) override {
    auto link = inner().connect(deadline);
    const Coupling* known = coupling();
    if (!known) known = learn(*link, 0, deadline);
    if (known && known->complete()) return link;
    return std::make_unique<ComposedLink>(*this, std::move(link));
  }

  const Coupling* coupling() const { return coupling_.load(std::memory_order_acquire); }

  /// Nothing while the store does not say, such as before it is prepared.
  const Coupling* learn(Link& link, std::uint64_t serial, Deadline deadline) {
    auto info = ask_info(link, serial, deadline);
    if (!info) return nullptr;
    auto learnt = std::make_unique<const Coupling>(*info);
    const Coupling* none = nullptr;
    if (coupling_.compare_exchange_strong(none, learnt.get(), std::memory_order_acq_rel)) return learnt.release();
    return none;
  }

  WatchPoll poll;

 private:
  std::atomic<const Coupling*> coupling_{nullptr};
};

Fate ComposedLink::execute(const stile_call& call, std::span<stile_op* const> ops) noexcept {
  const Coupling* coupling = backend_.coupling();
  if (!coupling) coupling = backend_.learn(calls_.link(), calls_.begin(call).serial, deadline_of(call.deadline));
  auto plain = [&](const stile_op* op) { return coupling->does_by_itself(*op); };
  if (!coupling || std::all_of(ops.begin(), ops.end(), plain)) return calls_.link().execute(calls_.begin(call), ops);
  return Composition(calls_, *coupling, backend_.poll, call).run(ops);
}

void ComposedLink::interrupt(std::uint64_t serial) noexcept {
  calls_.interrupt(serial);
  backend_.poll.notify();
}

}  // namespace

std::shared_ptr<Backend> with_composition(std::shared_ptr<Backend> inner) {
  return std::make_shared<ComposedBackend>(std::move(inner));
}

}  // namespace stile::store

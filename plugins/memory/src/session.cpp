// One operation after the other: which shard it belongs to, and what concerns all of them.
//
// SPDX-License-Identifier: Apache-2.0
#include "session.hpp"

#include <algorithm>
#include <new>

#include "facts.hpp"
#include "stile/sdk/plugin.hpp"

namespace stile::memory {

namespace {

using Instant = WaitingRoom::Instant;
using std::chrono::microseconds;
using std::chrono::steady_clock;

/// How long a waiting call goes without a look of its own, whatever it is told (W5).
constexpr std::chrono::seconds fallback{5};

Instant after(Span span) {
  const Instant now = steady_clock::now();
  const auto most = std::chrono::duration_cast<microseconds>(Instant::max() - now).count();
  return span >= most ? Instant::max() : now + microseconds(span);
}

Instant deadline_of(const stile_call& call) {
  return call.deadline == STILE_NEVER ? Instant::max() : Instant(microseconds(call.deadline));
}

/// When a waiting call is over: by its own wait, by the call's deadline, or by a manual clock (A14).
class Patience {
 public:
  Patience(Space& space, const stile_call& call, Span wait)
      : space_(space), until_(std::min(after(wait), deadline_of(call))) {
    if (space.clock().manual()) manual_until_ = engine::later(space.clock().glance(), wait);
  }
  Instant until() const { return std::min(until_, steady_clock::now() + fallback); }
  bool over() const {
    return steady_clock::now() >= until_ || (space_.clock().manual() && space_.clock().glance() >= manual_until_);
  }

 private:
  Space& space_;
  Instant until_;
  Time manual_until_ = engine::never;
};

std::int64_t ask_clock(void* space) { return static_cast<Space*>(space)->clock().glance(); }

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
  const stile_clock clock{ask_clock, space_.get()};
  for (std::size_t i = 0; i < ops.size(); ++i)
    if (stile_admit(ops.data(), i, ops.size(), &space_->limits(), &clock, space_->prepared())) one(call, held, *ops[i]);
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
    case STILE_OP_PREPARE: return prepare(op);
    case STILE_OP_INFO: return info(op);
    case STILE_OP_RENDER:
      return engine::refuse(op, STILE_UNSUPPORTED, "a store in this process's memory has no language to render in");
    default: return advance(op);
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

bool Session::look_for_due(Held& held, stile_op& op, bool everywhere) {
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
  if (op.status != STILE_UNSET) return true;
  // In the partitions that it did not get to something may be due.
  for (std::size_t i = 0; i < n && receiver.done() && !receiver.more(); ++i)
    if (space_->shard(i).may_be_due(glance)) receiver.set_more();
  receiver.finish(seen);
  return !receiver.empty() || receiver.more();
}

std::vector<Instant> Session::next_due(Held& held, const std::vector<std::string>& queues) {
  std::vector<Instant> out(queues.size(), Instant::max());
  if (space_->clock().manual()) return out;  // advance wakes everybody
  for (std::size_t i = 0; i < space_->size(); ++i) {
    held.take(space_->shard(i));
    for (std::size_t q = 0; q < queues.size(); ++q) {
      const Time due = held.shard().next_due(queues[q]);
      if (due != engine::never) out[q] = std::min(out[q], after(std::max<Span>(due - held.now(), 0)));
    }
  }
  held.let_go();
  return out;
}

void Session::receive(const stile_call& call, Held& held, stile_op& op) {
  const auto& asked = engine::request_of<stile_receive_request>(op);
  if (look_for_due(held, op, false) || asked.wait == 0) return;
  held.let_go();
  WaitingRoom& room = space_->room();
  Receiving who;
  for (std::uint64_t i = 0; i < asked.n_queues; ++i) who.queues.emplace_back(engine::view(asked.queues[i]));
  std::sort(who.queues.begin(), who.queues.end());
  who.queues.erase(std::unique(who.queues.begin(), who.queues.end()), who.queues.end());
  const Patience patience(*space_, call, asked.wait);
  room.enter(who, interrupts_);
  for (;;) {
    room.about_to_look(who);
    const bool found = look_for_due(held, op, true);
    held.let_go();
    if (found) break;
    const std::vector<Instant> due = next_due(held, who.queues);
    if (room.interrupted(interrupts_, call.serial)) {
      engine::refuse(op, STILE_INTERRUPTED, "the host asked this call to return");
      break;
    }
    if (patience.over()) break;
    room.sleep(who, due, patience.until(), interrupts_, call.serial);
  }
  room.leave(who, interrupts_);
}

// --- watch ----------------------------------------------------------------------------------------------------------

std::vector<std::uint64_t> Session::look_for_changes(Held& held, const stile_watch_request& asked) {
  std::vector<std::uint64_t> changed;
  for (std::uint64_t i = 0; i < asked.n_watched; ++i) {
    held.take(space_->shard(space_->shard_of(engine::view(asked.watched[i].workflow))));
    const engine::Context at{held.now(), &space_->limits(), 0, stile_id{}};
    if (engine::watched_changed(held.shard(), at, asked.watched[i])) changed.push_back(i);
  }
  held.let_go();
  return changed;
}

void Session::watch(const stile_call& call, Held& held, stile_op& op) {
  const auto& asked = engine::request_of<stile_watch_request>(op);
  std::vector<std::uint64_t> changed = look_for_changes(held, asked);
  if (changed.empty() && asked.wait > 0) {
    std::vector<std::string_view> workflows;
    for (std::uint64_t i = 0; i < asked.n_watched; ++i) workflows.push_back(engine::view(asked.watched[i].workflow));
    WaitingRoom& room = space_->room();
    Watching who;
    const Patience patience(*space_, call, asked.wait);
    room.enter(who, workflows, interrupts_);
    bool interrupted = false;
    for (;;) {
      room.about_to_look(who, changed);
      const auto seen = look_for_changes(held, asked);
      changed.insert(changed.end(), seen.begin(), seen.end());
      interrupted = room.interrupted(interrupts_, call.serial);
      if (!changed.empty() || interrupted || patience.over()) break;
      room.sleep(who, patience.until(), interrupts_, call.serial);
    }
    room.leave(who, workflows, interrupts_);
    if (changed.empty() && interrupted)
      return engine::refuse(op, STILE_INTERRUPTED, "the host asked this call to return");
    std::sort(changed.begin(), changed.end());
    changed.erase(std::unique(changed.begin(), changed.end()), changed.end());
  }
  auto& out = engine::result_of<stile_watch_result>(op);
  stile_bytes kept{};
  const std::size_t size = changed.size() * sizeof changed[0];
  if (!stile_copy(&op, &kept, changed.data(), size)) return;
  out.changed = reinterpret_cast<const std::uint64_t*>(kept.ptr);
  out.n_changed = changed.size();
  engine::accept(op);
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

void Session::prepare(stile_op& op) {
  const bool check_only = engine::request_of<stile_prepare_request>(op).check_only != 0;
  if (check_only && !space_->prepared())
    return engine::refuse(op, STILE_UNPREPARED, "the store is not prepared: run prepare without check_only");
  engine::result_of<stile_prepare_result>(op).migrated = !check_only && space_->prepare() ? 1 : 0;
  engine::accept(op);
}

void Session::info(stile_op& op) {
  auto& out = engine::result_of<stile_info_result>(op);
  stile_bytes epoch{};
  if (!stile_copy(&op, &epoch, space_->epoch().data(), space_->epoch().size())) return;
  auto* limits = STILE_NEW(&op, stile_limits);
  if (limits == nullptr) return;
  *limits = space_->limits();
  out.plugin = facts::plugin;
  out.store_time = space_->now();
  out.epoch = epoch;
  out.durability = facts::durability;
  out.server = facts::server;
  out.capabilities = facts::capabilities;
  out.n_capabilities = space_->clock().manual() ? std::size(facts::capabilities) : std::size(facts::capabilities) - 1;
  out.limits = limits;
  engine::accept(op);
}

void Session::advance(stile_op& op) {
  if (!space_->clock().manual())
    return engine::refuse(op, STILE_UNSUPPORTED, "this store's clock is the system's: open it with clock=manual");
  const Time now = space_->clock().advance(engine::request_of<stile_advance_request>(op).by);
  if (now == 0) return engine::refuse(op, STILE_INVALID, "by ends after the year 9999");
  space_->room().wake_all();
  engine::result_of<stile_advance_result>(op).store_time = now;
  engine::accept(op);
}

}  // namespace stile::memory

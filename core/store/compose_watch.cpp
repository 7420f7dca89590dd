// Composition of watch, for stores that do not push records: one poll for all who wait.
//
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <cstring>
#include <deque>

#include "store/compose.hpp"

namespace stile::store {

void Pace::looked(Deadline now) {
  due_ = now + interval_;
  interval_ = std::min(interval_ * 3 / 2, Duration(1'000'000));
}

/// One watch under way. Under the poll's mutex, but for request.
class WatchPoll::Waiter {
 public:
  Waiter(const stile_watch_request& watch, std::uint64_t number, Deadline wait_end)
      : request(watch), serial(number), until(wait_end), seen(watch.n_watched) {}

  /// What a workflow showed at an earlier look: a number or a finish that is gone since tells of a discard (B14).
  struct Seen {
    bool looked = false;
    std::uint64_t fence_number = 0;
    std::uint32_t finished = 0;
  };
  const stile_watch_request& request;
  const std::uint64_t serial;  // another may wait later at the same address
  const Deadline until;        // what is there by then must be told (B14), so it is looked for once more
  std::vector<Seen> seen;
  std::vector<std::uint64_t> changed;
  Pace pace;
  Deadline last_look = Deadline::min();  // when it began; of those that were answered
  std::condition_variable woken;

  bool looked() const { return last_look != Deadline::min(); }
  bool looked_at_the_end() const { return last_look >= until; }
  Deadline due() const { return looked_at_the_end() ? Deadline::max() : std::min(pace.due(), until); }

  void take(std::size_t place, const stile_load_result& now) {
    Seen& before = seen[place];
    bool forgotten = before.looked && (now.fence_number < before.fence_number || now.finished < before.finished);
    if (now.records || forgotten) changed.push_back(place);
    before = {true, now.fence_number, now.finished};
  }
};

namespace {

/// The load that tells whether a workflow has a record above after.
struct Peek {
  std::uint64_t waiter;
  std::size_t place;
  Bytes workflow;  // its own: a waiter may leave while it is being looked at
  stile_load_request request{};
  stile_load_result result{};
  stile_op op{};
};

void fill(Peek& peek, std::int64_t after, const stile_arena* arena) {
  peek.request = {sizeof(stile_load_request), 1, bytes_of(peek.workflow), after, 1, 0, 0, {}};
  peek.result.struct_size = sizeof(stile_load_result);
  peek.op.struct_size = sizeof(stile_op);
  peek.op.kind = STILE_OP_LOAD;
  peek.op.status = STILE_UNSET;
  peek.op.request = &peek.request;
  peek.op.result = &peek.result;
  peek.op.arena = arena;
}

void answer(stile_op& op, const std::vector<std::uint64_t>& changed) {
  op.status = STILE_OK;
  auto* result = static_cast<stile_watch_result*>(op.result);
  if (changed.empty()) return;
  std::size_t size = changed.size() * sizeof(std::uint64_t);
  void* memory = op.arena->alloc(op.arena->ctx, size);
  if (!memory) {
    op.status = STILE_UNKNOWN;
    op.error = text_of("out of memory for the answer");
    return;
  }
  std::memcpy(memory, changed.data(), size);
  result->changed = static_cast<const std::uint64_t*>(memory);
  result->n_changed = changed.size();
}

}  // namespace

void WatchPoll::watch(stile_op& op, Deadline until, Deadline at_last, const Look& look,
                      const std::function<bool()>& interrupted) {
  Status trouble = Status::ok;
  std::unique_lock lock(mutex_);
  Waiter waiter(*static_cast<const stile_watch_request*>(op.request), ++last_serial_, until);
  waiter.pace.start(std::chrono::steady_clock::now());
  waiters_.push_back(&waiter);
  while (waiter.changed.empty() && trouble == Status::ok && !interrupted()) {
    Deadline now = std::chrono::steady_clock::now();
    if (now >= at_last || waiter.looked_at_the_end()) break;
    if (!polling_ && now >= next_due()) {
      trouble = poll(lock, now, look);
      continue;
    }
    Deadline bound = now < until ? until : at_last;
    if (!polling_ && (!keeper_ || keeper_ == &waiter)) {
      keeper_ = &waiter;
      bound = std::min(bound, next_due());
    }
    if (bound == Deadline::max())
      waiter.woken.wait(lock);
    else
      waiter.woken.wait_until(lock, bound);
  }
  std::erase(waiters_, &waiter);
  if (keeper_ == &waiter) keeper_ = nullptr;
  // Whoever leaves without one sees to it: who was woken to keep the time may have left as well.
  if (!keeper_ && !waiters_.empty()) waiters_.front()->woken.notify_one();
  if (!waiter.changed.empty()) {
    answer(op, waiter.changed);
  } else if (interrupted()) {
    op.status = STILE_INTERRUPTED;
    op.error = text_of("the watch was interrupted");
  } else if (trouble != Status::ok || !waiter.looked()) {
    op.status = STILE_UNAVAILABLE;
    op.error = text_of("the watched workflows could not be looked at");
  } else {
    answer(op, {});
  }
}

Deadline WatchPoll::next_due() const {
  Deadline next = Deadline::max();
  for (const Waiter* one : waiters_)
    if (one->changed.empty()) next = std::min(next, one->due());
  return next;
}

WatchPoll::Waiter* WatchPoll::find(std::uint64_t serial) const {
  auto found = std::find_if(waiters_.begin(), waiters_.end(), [&](const Waiter* one) { return one->serial == serial; });
  return found == waiters_.end() ? nullptr : *found;
}

/// Looks at what is due for everybody. The lock is let go meanwhile.
Status WatchPoll::poll(std::unique_lock<std::mutex>& lock, Deadline now, const Look& look) {
  polling_ = true;
  Arena arena;
  std::deque<Peek> peeks;
  std::vector<stile_op*> loads;
  std::vector<std::uint64_t> looked_for;
  for (Waiter* waiter : waiters_) {
    if (!waiter->changed.empty() || waiter->due() > now) continue;  // who has something is about to leave
    waiter->pace.looked(now);
    looked_for.push_back(waiter->serial);
    for (std::uint64_t i = 0; i < waiter->request.n_watched; ++i) {
      const stile_watched& watched = waiter->request.watched[i];
      Peek& peek = peeks.emplace_back(Peek{waiter->serial, static_cast<std::size_t>(i), Bytes(view(watched.workflow))});
      fill(peek, watched.after, arena.abi());
      loads.push_back(&peek.op);
    }
  }
  lock.unlock();
  Status trouble = loads.empty() ? Status::ok : look(loads);
  lock.lock();
  polling_ = false;
  for (const Peek& peek : peeks)
    if (Waiter* waiter = peek.op.status == STILE_OK ? find(peek.waiter) : nullptr)
      waiter->take(peek.place, peek.result);
  for (std::uint64_t serial : looked_for)
    if (Waiter* waiter = trouble == Status::ok ? find(serial) : nullptr) waiter->last_look = now;
  // Who has something, who keeps the time, and whose next look came due while this went on.
  const Deadline later = std::chrono::steady_clock::now();
  for (Waiter* one : waiters_)
    if (!one->changed.empty() || one == keeper_ || one->due() <= later) one->woken.notify_one();
  return trouble;
}

void WatchPoll::notify() {
  std::lock_guard lock(mutex_);
  for (Waiter* one : waiters_) one->woken.notify_one();
}

void Composition::watch(stile_op& op) {
  auto* request = static_cast<const stile_watch_request*>(op.request);
  Deadline now = std::chrono::steady_clock::now(), at_last = deadline_of(call_.deadline);
  Deadline until = std::min(at_last, now + Duration(std::min(request->wait, longest_wait)));
  // A look that hangs must not outlast the wait by much (W6).
  const std::int64_t deadline = call_.deadline;
  call_.deadline = abi_of(std::min(at_last, until + Duration(1'000'000)));
  auto look = [&](std::span<stile_op* const> loads) {
    send(loads);
    for (const stile_op* load : loads)
      if (load->status != STILE_OK) return static_cast<Status>(load->status);
    return Status::ok;
  };
  poll_.watch(op, until, deadline_of(call_.deadline), look, [&] { return calls_.interrupted(call_); });
  call_.deadline = deadline;
}

}  // namespace stile::store

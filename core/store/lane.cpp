// The queue before a session: flat combining, hand-over, leaving early.
//
// SPDX-License-Identifier: Apache-2.0
#include "store/lane.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace stile::store {

std::size_t piece(std::span<Operation* const> rest, std::size_t room, bool batch_is_empty) {
  if (rest.size() <= room) return rest.size();
  std::size_t n = room;
  while (n > 0 && rest[n]->chained()) --n;
  return n > 0 || !batch_is_empty ? n : room;
}

Status status_without_session(Status connect) {
  switch (connect) {
    case Status::ok:
    case Status::unknown:
    case Status::timed_out:
    case Status::interrupted: return Status::unavailable;
    default: return connect;
  }
}

namespace {
// Until the store has told: few enough for any.
constexpr std::size_t cautious_batch = 16;
}  // namespace

// A caller's place in the queue, on its own stack. Everything but word is under the lane's mutex.
struct Lane::Ticket {
  std::span<Operation* const> ops;
  Deadline deadline;
  std::size_t taken = 0;  // operations that went into a batch so far
  bool done = false;
  bool stop = false;
  Word word{0};  // 1 = the caller sleeps
};

// Tells the lane that a caller was asked to stop. Made and destroyed without the lane's mutex, which it takes.
class Lane::StopWatch {
 public:
  StopWatch(Lane& lane, Ticket& ticket, const std::stop_token& stop) {
    if (stop.stop_possible()) callback_.emplace(stop, Callback{&lane, &ticket});
  }

 private:
  struct Callback {
    Lane* lane;
    Ticket* ticket;
    void operator()() const { lane->stopped(*ticket); }
  };
  std::optional<std::stop_callback<Callback>> callback_;
};

void Lane::run(std::span<Operation* const> ops, Deadline deadline, const std::stop_token& stop) {
  Ticket ticket{ops, deadline};
  StopWatch watch(*this, ticket, stop);
  std::unique_lock lock(mutex_);
  queue_.push_back(&ticket);
  while (!ticket.done) {
    Deadline now = std::chrono::steady_clock::now();
    if (ticket.stop || now >= deadline) {
      leave(ticket);
      break;
    }
    if (!idle() || !may_lead(ticket)) {
      ticket.word.store(1, std::memory_order_relaxed);
      lock.unlock();
      park(ticket.word, 1, deadline);
      lock.lock();
      ticket.word.store(0, std::memory_order_relaxed);
    } else {
      lead(lock, ticket);
    }
  }
  flush(lock);
}

void Lane::adopt(std::unique_ptr<Link> link, std::uint64_t serial) {
  std::lock_guard lock(mutex_);
  link_ = std::move(link);
  serial_ = serial;
}

bool Lane::may_lead(const Ticket& ticket) const {
  // Who executes lends the call its deadline, so a hasty caller must not push aside a patient one.
  return !heir_ || heir_ == &ticket || ticket.deadline >= heir_->deadline;
}

void Lane::lead(std::unique_lock<std::mutex>& lock, Ticket& leader) noexcept {
  taken_.store(true, std::memory_order_relaxed);
  heir_ = nullptr;
  leader_ = &leader;
  std::unique_ptr<Link> gone;
  if (link_ || connect(lock, leader.deadline)) {
    learn(lock, leader.deadline);
    gather(std::chrono::steady_clock::now(), limit_);
    gone = execute(lock, leader);
  } else {
    gather(Deadline::min(), SIZE_MAX);
    refuse_batch(connect_failure_);
  }
  settle_batch();
  leader_ = nullptr;
  taken_.store(false, std::memory_order_relaxed);
  hand_on();
  if (to_wake_.empty() && !gone) return;
  flush(lock);
  gone.reset();
  lock.lock();
}

bool Lane::connect(std::unique_lock<std::mutex>& lock, Deadline deadline) {
  Deadline now = std::chrono::steady_clock::now();
  if (auto closed = reconnect_.closed_for(now)) {
    connect_failure_.retry_after = *closed;
    return false;
  }
  lock.unlock();
  std::unique_ptr<Link> link;
  std::optional<Failure> failure;
  try {
    link = source_.connect(deadline);
  } catch (const Error& error) {
    failure = error.failure();
  } catch (const std::exception& error) {
    failure = Failure{Status::internal, error.what(), {}, Duration{0}};
  }
  lock.lock();
  if (failure) {
    reconnect_.connect_failed(std::chrono::steady_clock::now(), chance());
    connect_failure_ = std::move(*failure);
    return false;
  }
  link_ = std::move(link);
  serial_ = 0;
  return true;
}

void Lane::learn(std::unique_lock<std::mutex>& lock, Deadline deadline) {
  auto limit = source_.batch_limit();
  if (!limit) {
    Link* link = link_.get();
    std::uint64_t serial = ++serial_;
    lock.unlock();
    source_.learn(*link, serial, deadline);
    lock.lock();
    limit = source_.batch_limit();
  }
  limit_ = std::max<std::size_t>(limit.value_or(cautious_batch), 1);
}

void Lane::gather(Deadline now, std::size_t limit) {
  for (Ticket*& ticket : queue_) {
    if (ticket->deadline <= now || ticket->stop) continue;  // its caller is about to leave
    std::size_t room = limit - batch_.size();
    auto rest = ticket->ops.subspan(ticket->taken);
    std::size_t skipped = skip_cut(*ticket);
    std::size_t n = piece(rest.subspan(skipped), room, batch_.empty());
    if (skipped + n == 0) break;
    ticket->taken += skipped + n;
    for (Operation* operation : rest.subspan(skipped, n)) {
      operation->retain();
      batch_.push_back(operation);
    }
    if (n > 0) rest[skipped]->chain(false);  // never to another caller's; of a cut chain the one before it was ok
    riding_.push_back({ticket, n});
    if (ticket->taken < ticket->ops.size()) break;
    ticket = nullptr;
  }
  std::erase(queue_, nullptr);
}

// Where a chain was cut, what follows an operation that was not ok is not sent.
std::size_t Lane::skip_cut(Ticket& ticket) {
  std::size_t first = ticket.taken;
  if (first == 0) return 0;
  std::size_t n = 0;
  while (first + n < ticket.ops.size() && ticket.ops[first + n]->chained() &&
         ticket.ops[first + n - 1]->op().status != STILE_OK) {
    ticket.ops[first + n]->op().status = STILE_SKIPPED;
    ++n;
  }
  return n;
}

std::unique_ptr<Link> Lane::execute(std::unique_lock<std::mutex>& lock, const Ticket& leader) {
  if (batch_.empty()) return nullptr;
  for (Operation* operation : batch_) ops_.push_back(&operation->op());
  stile_call call{sizeof(stile_call), 0, ++serial_, abi_of(leader.deadline)};
  Link* link = link_.get();
  lock.unlock();
  Fate fate = link->execute(call, ops_);
  lock.lock();
  ops_.clear();
  for (Operation* operation : batch_)
    if (operation->op().status == STILE_UNSET)
      operation->refuse(Status::internal, "the store left it without an answer");
  if (fate == Fate::keep) {
    reconnect_.worked();
    return nullptr;
  }
  reconnect_.dropped(std::chrono::steady_clock::now(), chance());
  connect_failure_ =
      Failure{Status::unavailable, "the session was dropped; the next one is not due yet", {}, Duration{0}};
  return std::move(link_);
}

void Lane::refuse_batch(const Failure& failure) {
  for (Operation* operation : batch_) {
    operation->op().status = static_cast<std::int32_t>(status_without_session(failure.status));
    operation->op().error = operation->arena().copy_text(failure.text);
    operation->op().native = operation->arena().copy_text(failure.native);
    operation->op().retry_after = failure.retry_after.count();
  }
}

void Lane::settle_batch() {
  for (const Riding& riding : riding_) {
    if (!riding.ticket || riding.ticket->taken < riding.ticket->ops.size()) continue;
    riding.ticket->done = true;
    wake(*riding.ticket);
  }
  riding_.clear();
  for (Operation* operation : batch_) operation->release();
  batch_.clear();
}

void Lane::leave(Ticket& ticket) {
  Status unsent = ticket.stop ? Status::interrupted : Status::timed_out;
  std::size_t riding = 0;
  for (Riding& ride : riding_)
    if (ride.ticket == &ticket) {
      riding = ride.n;
      ride.ticket = nullptr;
    }
  for (std::size_t i = ticket.taken - riding; i < ticket.ops.size(); ++i)
    ticket.ops[i]->leave(i < ticket.taken ? Status::unknown : unsent);
  std::erase(queue_, &ticket);
  if (heir_ == &ticket) heir_ = nullptr;
  hand_on();
}

void Lane::hand_on() {
  if (!idle() || heir_ || queue_.empty()) return;
  std::size_t reach = 0;
  Ticket* heir = nullptr;
  for (Ticket* ticket : queue_) {
    if (!heir || ticket->deadline > heir->deadline) heir = ticket;
    reach += ticket->ops.size() - ticket->taken;
    if (reach >= limit_) break;
  }
  heir_ = heir;
  wake(*heir);
}

void Lane::stopped(Ticket& ticket) {
  std::unique_lock lock(mutex_);
  ticket.stop = true;
  if (leader_ == &ticket && link_) link_->interrupt(serial_);
  wake(ticket);
  flush(lock);
}

void Lane::wake(Ticket& ticket) {
  if (ticket.word.exchange(0, std::memory_order_relaxed) == 1) to_wake_.push_back(&ticket.word);
}

void Lane::flush(std::unique_lock<std::mutex>& lock) {
  std::vector<const void*> sleepers;
  sleepers.swap(to_wake_);
  lock.unlock();
  for (const void* sleeper : sleepers) unpark(sleeper);
}

}  // namespace stile::store

// A lane: one session and the queue before it.
//
// No thread of its own: the caller that finds the lane free executes everything that waits there, and whoever arrives
// meanwhile leaves in the next round trip. When one ends, a waiting caller is handed the lane. Who arrives before that
// caller wakes may take it over, so a lane never stands still for a thread to be woken.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "store/link.hpp"
#include "store/operation.hpp"
#include "store/parking.hpp"
#include "store/retry.hpp"

namespace stile::store {

/// How many operations of one caller go into a batch with room left, from the first of rest on: as many as fit without
/// cutting a chain. Only a chain that is longer than a whole batch is cut, and only where it stands first.
std::size_t piece(std::span<Operation* const> rest, std::size_t room, bool batch_is_empty);

/// Where a lane gets its session from and what it is told.
class Source {
 public:
  virtual ~Source() = default;
  /// Throws Error.
  virtual std::unique_ptr<Link> connect(Deadline deadline) = 0;
  /// Operations in one execute; nothing while the store has not told yet.
  virtual std::optional<std::size_t> batch_limit() const = 0;
  /// Asks it, with one execute of this serial. What cannot be learnt now is asked again before the next batch.
  virtual void learn(Link& link, std::uint64_t serial, Deadline deadline) = 0;
};

/// What an operation is answered when no session could be had: nothing was sent.
Status status_without_session(Status connect);

/// On cache lines of its own: a lane in use is written all the time.
class alignas(64) Lane {
 public:
  explicit Lane(Source& source) : source_(source) {}

  /// Does the operations of one caller; each has a status when it returns, by the deadline at the latest.
  void run(std::span<Operation* const> ops, Deadline deadline, const std::stop_token& stop);

  /// Nobody is on it: a hint, read without a lock.
  bool idle() const { return !taken_.load(std::memory_order_relaxed); }

  /// Callers in the queue.
  std::size_t waiting() const {
    std::lock_guard lock(mutex_);
    return queue_.size();
  }

  /// Gives it a session that is connected already.
  void adopt(std::unique_ptr<Link> link, std::uint64_t serial);

 private:
  struct Ticket;
  struct Riding {  // what the batch under way carries of one caller
    Ticket* ticket;
    std::size_t n;
  };
  class StopWatch;

  void lead(std::unique_lock<std::mutex>& lock, Ticket& leader) noexcept;
  bool connect(std::unique_lock<std::mutex>& lock, Deadline deadline);
  void learn(std::unique_lock<std::mutex>& lock, Deadline deadline);
  void gather(Deadline now, std::size_t limit);
  static std::size_t skip_cut(Ticket& ticket);
  std::unique_ptr<Link> execute(std::unique_lock<std::mutex>& lock, const Ticket& leader);
  void refuse_batch(const Failure& failure);
  void settle_batch();
  void leave(Ticket& ticket);
  void hand_on();
  bool may_lead(const Ticket& ticket) const;
  void stopped(Ticket& ticket);
  void wake(Ticket& ticket);
  void flush(std::unique_lock<std::mutex>& lock);

  Source& source_;
  mutable std::mutex mutex_;
  std::atomic<bool> taken_{false};
  std::deque<Ticket*> queue_;
  Ticket* heir_ = nullptr;    // was woken to take the lane
  Ticket* leader_ = nullptr;  // has it

  // What follows belongs to the leader while the lane is taken, but for riding_, which callers who leave look into.
  std::vector<Riding> riding_;
  std::vector<Operation*> batch_;
  std::vector<stile_op*> ops_;
  std::vector<const void*> to_wake_;
  std::size_t limit_ = 1;
  std::unique_ptr<Link> link_;
  std::uint64_t serial_ = 0;
  Reconnect reconnect_;
  Failure connect_failure_;
};

}  // namespace stile::store

// One session of `stile call`: its lines one after the other, on a thread of its own, over one link.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <thread>

#include "cli/call/job.hpp"
#include "store/link.hpp"

namespace stile::cli {

class Session {
 public:
  /// Called on the session's thread with each job that is answered.
  using Answered = std::function<void(const Job& job)>;

  Session(std::shared_ptr<store::Backend> backend, Duration deadline, Answered answered);
  ~Session() { end(); }

  /// Adds a line; waits while too much is waiting already. Nothing happens to it after stop.
  void push(Job job);

  /// Waits until what was pushed has run; nothing may be pushed any more.
  void end();

  /// Makes a running call return, and starts no further one. Any thread.
  void stop();

 private:
  void work();
  void run(Job& job);
  bool connect(Job& job, Deadline deadline);
  store::Fate execute(std::span<stile_op* const> ops, Deadline deadline);
  std::size_t batch_limit(Deadline deadline);

  const std::shared_ptr<store::Backend> backend_;
  const Duration deadline_;
  const Answered answered_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Job> waiting_;
  std::size_t waiting_bytes_ = 0;
  bool ended_ = false, stopped_ = false;
  std::unique_ptr<store::Link> link_;  // changed under the mutex: stop interrupts it

  std::uint64_t serial_ = 0;
  std::size_t batch_limit_ = 0;  // 0 = not known yet
  std::thread thread_;
};

}  // namespace stile::cli

// Threads for passes: made when needed, up to a number; a thread that is idle takes the next job.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "stile/types.hpp"

namespace stile::runtime {

class Pool {
 public:
  explicit Pool(unsigned most);
  /// Abandons what still runs: its threads end when their jobs do, and own what they need.
  ~Pool();

  /// Never waits: the caller sees to it that no more than `most` jobs are under way.
  void run(std::function<void()> job);
  /// Waits until a job could start, or until `until`; how many could. Returns early, with 0, after wake().
  unsigned wait_for_room(Deadline until);
  void wake();
  /// Waits until nothing runs; false when `until` came first.
  bool wait_idle(Deadline until);
  unsigned busy() const;

 private:
  struct State {
    std::mutex mutex;
    std::condition_variable work, room;
    std::deque<std::function<void()>> jobs;
    unsigned busy = 0, idle = 0, threads = 0;
    bool closed = false, woken = false;
  };
  static void serve(const std::shared_ptr<State>& state);

  const unsigned most_;
  std::shared_ptr<State> state_ = std::make_shared<State>();
};

}  // namespace stile::runtime

// The heartbeat: one thread that renews the lease, the budget and the delivery of every pass of a process together.
//
// No user code runs on it, but for what the host hangs on a stop_token.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "runtime/life.hpp"
#include "stile/store.hpp"

namespace stile::runtime {

class Keeper {
 public:
  Keeper(Store store, Duration lease, Duration step_warning);
  ~Keeper();

  void keep(std::shared_ptr<Life> life);
  void forget(const std::shared_ptr<Life>& life);
  /// A pass has something earlier to be told of than was known.
  void look_again();

  /// Tells every pass to stop; they may still write.
  void stop_all();

 private:
  void work();
  void renew(const std::vector<std::shared_ptr<Life>>& due);

  Store store_;
  const Duration lease_, step_warning_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::shared_ptr<Life>> lives_;
  bool look_ = false, stopping_ = false;
  std::stop_source stop_;
  std::thread thread_;
};

}  // namespace stile::runtime

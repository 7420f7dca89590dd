// A place where one thread waits for others to tell it something, and a bound to how long.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "clock.hpp"

namespace stile::sqlite {

class Parking {
 public:
  /// What can be told. Kept until the waiting thread has seen it.
  static constexpr std::uint32_t done = 1;         ///< somebody else did the work
  static constexpr std::uint32_t lead = 2;         ///< it is this thread's turn to do the work for all
  static constexpr std::uint32_t look = 4;         ///< what is waited for may be there
  static constexpr std::uint32_t interrupted = 8;  ///< the host wants the call back (W6)

  void tell(std::uint32_t what) {
    // Told under the lock: the waiting thread may take the place away as soon as it has heard.
    const std::lock_guard guard(mutex_);
    told_ |= what;
    changed_.notify_one();
  }

  /// Waits until one of these was told or the time is over, by CLOCK_MONOTONIC; answers which were, and forgets them.
  std::uint32_t wait(std::uint32_t what, std::int64_t until) {
    std::unique_lock lock(mutex_);
    const auto there = [&] { return (told_ & what) != 0; };
    if (until == INT64_MAX)
      changed_.wait(lock, there);
    else
      changed_.wait_until(lock, std::chrono::steady_clock::time_point(std::chrono::microseconds(until)), there);
    const std::uint32_t heard = told_ & what;
    told_ &= ~what;
    return heard;
  }

  void forget(std::uint32_t what) {
    const std::lock_guard guard(mutex_);
    told_ &= ~what;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint32_t told_ = 0;
};

}  // namespace stile::sqlite

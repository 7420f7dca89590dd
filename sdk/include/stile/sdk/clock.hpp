// A store's clock where it has none of its own: the system's, or one that is moved by hand (A12, A14).
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <time.h>

#include <atomic>
#include <cstdint>

#include "stile/sdk/engine/row.hpp"

namespace stile::sdk {

/// What a reader of the clock remembers, so that time never goes back for it.
struct ClockMemory {
  engine::Time latest = 0;
  engine::Span ahead = 0;  // of the system's clock, since that was stepped back
};

/// Read after the store's lock was taken (A3): a time read before it may be a time that has passed.
class Clock {
 public:
  explicit Clock(bool manual) : manual_(manual) {
    if (manual) stands_.store(system());
  }

  bool manual() const { return manual_; }

  /// One reader at a time for one memory. After the system's clock was stepped back, goes on from the latest time that
  /// was used, at the usual pace, until the system's clock has caught up.
  engine::Time now(ClockMemory& memory) const {
    if (manual_) return stands_.load(std::memory_order_relaxed);
    const engine::Time raw = system();
    if (raw >= memory.latest) {
      memory.ahead = 0;
      return memory.latest = raw;
    }
    if (raw + memory.ahead < memory.latest) {
      memory.ahead = memory.latest - raw;
      if (memory.ahead > ahead_.load()) ahead_.store(memory.ahead);
    }
    return memory.latest = raw + memory.ahead;
  }

  /// Where it stands, for what needs no order; not behind any reader by more than the time since it last looked.
  engine::Time glance() const {
    if (manual_) return stands_.load(std::memory_order_relaxed);
    return system() + ahead_.load(std::memory_order_relaxed);
  }

  /// Moves a manual clock; answers where it stands then, or 0 when that would be after the year 9999.
  engine::Time advance(engine::Span by) {
    auto stands = stands_.load();
    do {
      if (by > engine::last_instant - stands) return 0;
    } while (!stands_.compare_exchange_weak(stands, stands + by));
    return stands + by;
  }

 private:
  static engine::Time system() {
    timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return static_cast<engine::Time>(t.tv_sec) * 1000000 + t.tv_nsec / 1000;
  }

  const bool manual_;
  std::atomic<engine::Time> stands_{0};
  mutable std::atomic<engine::Span> ahead_{0};  // the most that any reader ever was ahead of the system's clock
};

}  // namespace stile::sdk

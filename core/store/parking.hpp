// A place where one thread waits for a word to change, with a bound.
//
// Unlike a condition variable it may be gone when it is woken: waking only names an address, so whoever changes the
// word under a mutex can wake after letting go of it.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <ctime>

#include "stile/types.hpp"

namespace stile::store {

using Word = std::atomic<std::uint32_t>;
static_assert(sizeof(Word) == sizeof(std::uint32_t) && Word::is_always_lock_free);

/// Waits while word holds value, until the deadline at most; may return for no reason.
inline void park(const Word& word, std::uint32_t value, Deadline deadline) {
  timespec until{};
  timespec* bound = nullptr;
  if (deadline != Deadline::max()) {
    auto left = deadline.time_since_epoch();
    if (left.count() < 0) left = {};
    auto whole = std::chrono::floor<std::chrono::seconds>(left);
    until.tv_sec = static_cast<std::time_t>(whole.count());
    until.tv_nsec = static_cast<long>(std::chrono::nanoseconds(left - whole).count());
    bound = &until;
  }
  // WAIT_BITSET takes an absolute moment, and CLOCK_MONOTONIC is steady_clock's.
  syscall(SYS_futex, reinterpret_cast<const std::uint32_t*>(&word), FUTEX_WAIT_BITSET_PRIVATE, value, bound, nullptr,
          FUTEX_BITSET_MATCH_ANY);
}

/// Wakes who waits at this address, if anybody still does.
inline void unpark(const void* word) { syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0); }

}  // namespace stile::store

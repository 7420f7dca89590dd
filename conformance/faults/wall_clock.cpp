// The C library's wall clock, interposed: a program's own definition comes before the library's, for the libraries that
// it loads too. Monotonic clocks are left alone.
//
// SPDX-License-Identifier: Apache-2.0
#include "faults/wall_clock.hpp"

#include <dlfcn.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>

namespace {

std::atomic<std::int64_t> moved_seconds{0};

using ClockGettime = int (*)(clockid_t, timespec*);

int real_clock_gettime(clockid_t clock, timespec* time) {
  // The library's needs no system call; asking for it may need memory, which must not ask for the time.
  static std::atomic<ClockGettime> real{nullptr};
  ClockGettime known = real.load(std::memory_order_relaxed);
  if (!known) {
    known = reinterpret_cast<ClockGettime>(dlsym(RTLD_NEXT, "clock_gettime"));
    real.store(known, std::memory_order_relaxed);
  }
  if (known) return known(clock, time);
  return static_cast<int>(syscall(SYS_clock_gettime, clock, time));
}

bool is_wall_clock(clockid_t clock) { return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE; }

}  // namespace

extern "C" {

__attribute__((visibility("default"))) int clock_gettime(clockid_t clock, timespec* time) noexcept {
  const int failed = real_clock_gettime(clock, time);
  if (failed == 0 && is_wall_clock(clock)) time->tv_sec += moved_seconds.load(std::memory_order_relaxed);
  return failed;
}

__attribute__((visibility("default"))) int gettimeofday(timeval* time, void*) noexcept {
  timespec now{};
  if (clock_gettime(CLOCK_REALTIME, &now) != 0) return -1;
  *time = {now.tv_sec, now.tv_nsec / 1000};
  return 0;
}

__attribute__((visibility("default"))) time_t time(time_t* out) noexcept {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  if (out) *out = now.tv_sec;
  return now.tv_sec;
}

}  // extern "C"

namespace stile::conformance::faults {

MovedClock::MovedClock(Duration by) : by_(by) {
  moved_seconds = std::chrono::duration_cast<std::chrono::seconds>(by).count();
}

MovedClock::~MovedClock() { moved_seconds = 0; }

bool MovedClock::seen() const {
  timespec machine{};
  if (syscall(SYS_clock_gettime, CLOCK_REALTIME, &machine) != 0) return false;
  const auto told = std::chrono::system_clock::now().time_since_epoch();
  const Duration off = std::chrono::duration_cast<Duration>(told - std::chrono::seconds{machine.tv_sec}) - by_;
  return std::chrono::abs(off) < std::chrono::seconds{10};
}

}  // namespace stile::conformance::faults

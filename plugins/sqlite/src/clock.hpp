// The two clocks: the store's, which is this host's wall clock, and the monotonic one of deadlines.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <ctime>

namespace stile::sqlite {

constexpr std::int64_t second_us = 1'000'000;

inline std::int64_t microseconds(clockid_t clock) {
  timespec now = {};
  clock_gettime(clock, &now);
  return now.tv_sec * second_us + now.tv_nsec / 1000;
}

/// Unix microseconds. SQLite's own unixepoch('subsec') is NULL before 3.42, so the time never comes from SQL.
inline std::int64_t store_clock() { return microseconds(CLOCK_REALTIME); }
inline std::int64_t monotonic_now() { return microseconds(CLOCK_MONOTONIC); }

inline timespec timespec_of(std::int64_t at) {
  return {static_cast<time_t>(at / second_us), static_cast<long>(at % second_us) * 1000};
}

}  // namespace stile::sqlite

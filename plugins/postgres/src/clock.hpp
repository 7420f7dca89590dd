// The monotonic clock of deadlines. The store's clock is the server's, and only SQL reads it.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <ctime>

namespace stile::postgres {

constexpr std::int64_t second_us = 1'000'000;

inline std::int64_t monotonic_now() {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * second_us + now.tv_nsec / 1000;
}

inline std::int64_t after(std::int64_t now, std::int64_t span) {
  return span > INT64_MAX - now ? INT64_MAX : now + span;
}

}  // namespace stile::postgres

// SPDX-License-Identifier: Apache-2.0
#include "runtime/decisions.hpp"

#include <algorithm>
#include <cmath>

namespace stile::runtime {
namespace {

/// first * factor^(n-1), at most `most`, then jittered down to half of it at least.
Duration grown(Duration first, Duration most, double factor, double steps, double chance) {
  double pause = static_cast<double>(std::max(first, Duration{0}).count()) * std::pow(std::max(factor, 1.0), steps);
  pause = std::min(pause, static_cast<double>(std::max(most, Duration{0}).count()));
  return Duration{static_cast<std::int64_t>(pause * (0.5 + 0.5 * std::clamp(chance, 0.0, 1.0)))};
}

}  // namespace

std::optional<Duration> next_attempt(const Retry& retry, int attempt, bool permanent, double chance) {
  if (permanent || attempt >= retry.attempts) return std::nullopt;
  return grown(retry.first, retry.most, retry.factor, attempt - 1, chance);
}

Duration pause_after_trouble(std::uint32_t delivery_count, double chance) {
  return grown(Duration{200'000}, Duration{30'000'000}, 2, std::max<double>(delivery_count, 1) - 1, chance);
}

Duration pause_when_stuck(std::uint32_t delivery_count, double chance) {
  return grown(Duration{5'000'000}, Duration{60'000'000}, 2, std::max<double>(delivery_count, 1) - 1, chance);
}

bool is_poison(std::uint32_t delivery_count, unsigned answered_failures, std::string_view last_error, int most) {
  if (most <= 0 || last_error.starts_with(stuck_prefix)) return false;
  return delivery_count > static_cast<std::uint64_t>(most) + answered_failures;
}

}  // namespace stile::runtime

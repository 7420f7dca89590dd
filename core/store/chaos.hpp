// Faults, drawn from a seed: what a bad network does to a batch, decided without one.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "stile/abi.h"
#include "stile/types.hpp"

namespace stile::store {

/// A small generator whose numbers are the same everywhere.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next();
  double unit() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }  ///< in [0, 1)
  bool hit(double probability) { return probability > 0 && unit() < probability; }
  std::size_t below(std::size_t n) { return n ? static_cast<std::size_t>(next() % n) : 0; }

 private:
  std::uint64_t state_;
};

struct ChaosRates {
  double lose_request = 0, lose_reply = 0, duplicate = 0, delay = 0, cut = 0, refuse = 0;
  Duration delay_for{20'000};
};

/// What becomes of one batch.
struct ChaosPlan {
  enum class Fault : std::uint8_t { none, lost_request, lost_reply };
  std::vector<Fault> faults;            ///< one an operation
  std::vector<std::size_t> duplicates;  ///< places of writes that arrive once more, after the batch
  Duration delay{0};
  bool cut = false;  ///< the session is gone afterwards
};
/// A fault that meets an operation meets what is chained to it too, as one connection carries both. A cut loses replies
/// from some place on and requests from the same or a later one.
ChaosPlan plan_chaos(std::span<const stile_op* const> ops, const ChaosRates& rates, Dice& dice);

}  // namespace stile::store

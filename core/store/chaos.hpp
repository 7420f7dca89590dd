// Faults, drawn from a seed or asked for by number: what a bad network does to a batch, decided without one.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
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

/// A fault that is to meet one operation for certain.
struct ChaosOrder {
  enum class Kind : std::uint8_t { lose_request, lose_reply, duplicate, delay, cut };
  std::uint64_t at = 0;  ///< its number, counted from 1 over all sessions of the backend
  Kind kind = Kind::lose_request;
};
/// From "3:lose_reply,7:cut". Throws Error (invalid) that says what is wrong.
std::vector<ChaosOrder> parse_chaos_orders(std::string_view text);
/// Adds to the plan of a batch what is ordered for it; `first` is the number of its first operation. Ordered, a cut
/// loses the reply of that operation and of all behind it, and what R1 does not make safe may arrive twice as well.
void add_ordered(ChaosPlan& plan, std::span<const stile_op* const> ops, std::span<const ChaosOrder> orders,
                 std::uint64_t first, Duration delay_for);

}  // namespace stile::store

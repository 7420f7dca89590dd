// What the callers of a trial know of each other, over all its processes: fences and receipts wander, so that late ones
// meet new ones.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <string_view>

#include "stile/types.hpp"

namespace stile::conformance::workloads {

/// A delivery somebody was handed.
struct Card {
  unsigned workflow = 0;
  Fence fence;  ///< none where it came without a lease
  std::string receipt;
};

/// In memory that processes share; made before they are forked. Thread-safe.
class Board {
 public:
  Board();
  ~Board();
  Board(const Board&) = delete;
  Board& operator=(const Board&) = delete;

  void keep(unsigned workflow, const Fence& fence);
  /// One that was granted: as a rule the latest, now and then one before it. None where nothing was granted yet.
  std::optional<Fence> fence(unsigned workflow, std::mt19937_64& random);
  void keep(const Card& card);
  /// One of the latest deliveries.
  std::optional<Card> card(std::mt19937_64& random);

  /// Everybody who begins says so, and waits until all have: threads of all processes start together.
  void meet(unsigned everybody);

 private:
  struct Shared;
  Shared* shared_;
};

}  // namespace stile::conformance::workloads

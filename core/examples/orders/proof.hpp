// What must stand in the ledger and in the store when all is done, from the file of orders alone; and what stands
// there.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "ledger.hpp"
#include "order.hpp"
#include "stile/store.hpp"

namespace orders {

struct Proof {
  unsigned finished = 0, shipped = 0, refused = 0, undeliverable = 0;
  std::size_t expected = 0;   ///< effects
  std::size_t once = 0;       ///< of those, in the ledger exactly once
  std::size_t recorded = 0;   ///< of those, in the store with the ledger's reference
  std::size_t repeats = 0;    ///< asked again and refused by the ledger
  std::size_t processes = 0;  ///< that acted
  std::int64_t charged = 0, refunded = 0, expected_kept = 0;
  std::vector<std::string> wrong;  ///< everything that is not as it must be

  bool holds() const { return wrong.empty(); }
};

Proof prove(const std::vector<Order>& orders, const std::vector<Act>& acts, const stile::Store& store);

}  // namespace orders

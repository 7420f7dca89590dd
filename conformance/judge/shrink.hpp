// From a history without a lawful order to the few operations that contradict each other.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "judge/search.hpp"

namespace stile::conformance::judge {

struct Core {
  std::vector<std::uint32_t> items;  ///< places in what was given: those that contradict each other
  Outcome outcome;                   ///< of the search for an order of these alone
};

/// A read or a refusal is dropped; a write is made to be one that may or may not have happened, since others may rest
/// on it. What remains contradicts itself whatever became of the rest. Items must be refused; `cap` bounds all
/// searches.
template <class State>
Core shrink(const History& history, std::span<const Item> items, const Outcome& refused, std::size_t cap);

extern template Core shrink<WorkflowState>(const History&, std::span<const Item>, const Outcome&, std::size_t);
extern template Core shrink<DocumentState>(const History&, std::span<const Item>, const Outcome&, std::size_t);

}  // namespace stile::conformance::judge

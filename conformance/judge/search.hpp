// Whether there is an order of overlapping operations in which every answer is right: Wing and Gong's search, with
// Lowe's memory of what was tried.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "judge/state.hpp"
#include "judge/step.hpp"

namespace stile::conformance::judge {

struct Outcome {
  enum class Kind { linear, refused, undecided } kind = Kind::linear;
  std::size_t steps = 0;
  std::size_t depth = 0;      ///< how many operations the longest order has
  std::uint32_t blocked = 0;  ///< refused: the item that fits at no place after that order
  Reason reason;              ///< refused: why not
};

/// Items stand in the order of their invocation. One whose end is never may be left out, so may an optional one; each
/// other has its place between its invocation and its end. The state begins empty. After `cap` steps: undecided.
template <class State>
Outcome search(const History& history, std::span<const Item> items, std::size_t cap);

extern template Outcome search<WorkflowState>(const History&, std::span<const Item>, std::size_t);
extern template Outcome search<DocumentState>(const History&, std::span<const Item>, std::size_t);

}  // namespace stile::conformance::judge

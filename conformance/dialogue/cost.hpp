// Does the cost of something grow with what is there? Measured as a ratio, never against a clock (B10, C5).
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "dialogue/syntax.hpp"
#include "target.hpp"

namespace stile::conformance {

/// Plays a `cost` block: builds a small and a large state in namespaces of their own, measures the probes in turns, and
/// compares the medians; measured anew up to five times before it is called a difference.
std::optional<std::string> compare_costs(const Line& line, const Target& target);

}  // namespace stile::conformance

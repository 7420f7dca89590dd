// What happened beside a contradiction: the few operations on the same subject that make it understandable.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "judge/verdict.hpp"

namespace stile::conformance::judge {

/// Of the same workflow or document, nearest in time, in the order in which they were asked. Looks at no more than the
/// surroundings of the finding's operations, however long the history is.
std::vector<std::uint32_t> beside(const History& history, const Finding& finding, std::size_t most = 40);

}  // namespace stile::conformance::judge

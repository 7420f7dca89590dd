// Running the operations of one line over a link, as R3 says, when some of them were refused before.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "cli/call/job.hpp"
#include "store/link.hpp"

namespace stile::cli {

/// Executes operations in one call.
using Execute = std::function<store::Fate(std::span<stile_op* const> ops)>;

/// Runs the members that are not refused, in order, at most limit in one call (the store's stated batch). A member that
/// is chained to one that was refused, or that did not answer ok in an earlier call, is skipped.
store::Fate run_members(std::span<Member> members, std::size_t limit, const Execute& execute);

}  // namespace stile::cli

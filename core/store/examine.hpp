// Examining an opened store, where its plugin can (stile/abi/examine.h).
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string_view>

#include "stile/types.hpp"
#include "store/link.hpp"

namespace stile::store {

/// Tells what of a store does not agree with its data, and mends it where asked to. Throws Error: unsupported where the
/// plugin has no such thing, else what it answered.
void examine(Backend& backend, bool mend, Deadline deadline,
             const std::function<void(std::string_view what, bool mended)>& said);

}  // namespace stile::store

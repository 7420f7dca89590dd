// The checks that the model judges: CellTable/<state>, Random/<number>.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "target.hpp"

namespace stile::conformance {

/// Registers them for a store, as far as it does what they need (see check.hpp).
void register_model_suites(const Target& target);

}  // namespace stile::conformance

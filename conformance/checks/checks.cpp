// Checks that are written in code: what a dialogue cannot say.
//
// SPDX-License-Identifier: Apache-2.0
#include "checks/checks.hpp"

namespace stile::conformance {

void add_checks_in_code(const Target&) { add_declared_checks(); }

}  // namespace stile::conformance

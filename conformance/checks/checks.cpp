// Checks that are written in code: what a dialogue cannot say.
//
// SPDX-License-Identifier: Apache-2.0
#include "checks/checks.hpp"

#include "model/model_suite.hpp"

namespace stile::conformance {

void add_checks_in_code(const Target& target) {
  add_declared_checks();
  register_model_suites(target);
}

}  // namespace stile::conformance

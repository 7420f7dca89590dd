// Checks that are written in code: what a dialogue cannot say.
//
// SPDX-License-Identifier: Apache-2.0
#include "checks/checks.hpp"

#include "model/model_suite.hpp"

namespace stile::conformance {

void add_checks_in_code(const Target& target) {
  add_declared_checks();
  add_limit_checks();
  add_unprepared_checks();
  add_callback_checks(target);
  register_model_suites(target);
}

}  // namespace stile::conformance

// Checks that are written in code: what a dialogue cannot say.
//
// SPDX-License-Identifier: Apache-2.0
#include "checks/checks.hpp"

#include "faults/faults.hpp"
#include "model/model_suite.hpp"
#include "servers/servers.hpp"
#include "workloads/suite.hpp"

namespace stile::conformance {

void add_checks_in_code(const Target& target) {
  add_declared_checks();
  add_limit_checks();
  add_unprepared_checks();
  add_callback_checks(target);
  add_leak_checks();
  register_model_suites(target);
  add_fault_checks(target);
  add_workload_checks(target);
  add_interrupt_checks(target);
  if (!target.driver.empty()) add_server_checks();
}

void add_check_in_code(std::string suite, std::string name, std::vector<std::string> ids, std::string about,
                       Outcome (*run)(const Target&)) {
  Check check;
  check.suite = std::move(suite);
  check.name = std::move(name);
  check.ids = std::move(ids);
  check.about = std::move(about);
  check.run = run;
  add_check(std::move(check));
}

}  // namespace stile::conformance

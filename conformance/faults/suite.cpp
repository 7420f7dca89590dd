// Making the faults known to the runner.
//
// SPDX-License-Identifier: Apache-2.0
#include "faults/faults.hpp"

#include <utility>

namespace stile::conformance {

void faults::add_fault(std::string name, std::string about, std::vector<std::string> ids, std::chrono::seconds limit,
                       std::function<Outcome(const Target&)> run, bool alone) {
  Check check;
  check.suite = "Faults";
  check.name = std::move(name);
  check.ids = std::move(ids);
  check.about = std::move(about);
  check.level = 3;
  check.limit = limit;
  check.alone = alone;
  check.run = std::move(run);
  add_check(std::move(check));
}

void add_fault_checks(const Target& target) {
  if (target.facts.part == Part::nothing) return;
  faults::add_matrix(target);
  faults::add_workers(target);
  faults::add_clocks(target);
  faults::add_forks(target);
  faults::add_silence(target);
  faults::add_deaths(target);
  faults::add_handle(target);
  faults::add_network(target);
}

}  // namespace stile::conformance

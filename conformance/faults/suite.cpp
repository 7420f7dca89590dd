// Making the faults known to the runner.
//
// SPDX-License-Identifier: Apache-2.0
#include "faults/faults.hpp"

namespace stile::conformance {

void add_fault_checks(const Target& target) {
  if (target.facts.part == Part::nothing) return;
  faults::add_matrix(target);
  faults::add_workers(target);
  faults::add_clocks(target);
  faults::add_forks(target);
  faults::add_silence(target);
  faults::add_network(target);
}

}  // namespace stile::conformance

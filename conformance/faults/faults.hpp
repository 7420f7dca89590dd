// Level 3: faults. Messages lost and late, callers killed and frozen, clocks moved, forks, hints dropped.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "check.hpp"
#include "target.hpp"

namespace stile::conformance {

/// Suite Faults, as far as the store keeps what they need.
void add_fault_checks(const Target& target);

namespace faults {

/// Makes one of the suite known. Alone: what it does to the store it does to all namespaces.
void add_fault(std::string name, std::string about, std::vector<std::string> ids, std::chrono::seconds limit,
               std::function<Outcome(const Target&)> run, bool alone = false);

// The parts of it, one a file.
void add_matrix(const Target& target);
void add_workers(const Target& target);
void add_crowd(const Target& target);
void add_clocks(const Target& target);
void add_forks(const Target& target);
void add_silence(const Target& target);
void add_deaths(const Target& target);
void add_handle(const Target& target);
void add_network(const Target& target);

}  // namespace faults
}  // namespace stile::conformance

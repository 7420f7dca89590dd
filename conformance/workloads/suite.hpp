// The suites of level 2: every workload as a check of its own.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "target.hpp"

namespace stile::conformance {

/// Concurrent.NAME for each workload that the store has the operations for.
void add_workload_checks(const Target& target);

}  // namespace stile::conformance

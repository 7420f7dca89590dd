// Checks that are written in code: what a dialogue cannot say.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "target.hpp"

namespace stile::conformance {

/// All of them, the model's suites included.
void add_checks_in_code(const Target& target);

/// What a store declares, against what it answers (S3).
void add_declared_checks();
/// Effects that are functions of this process, run inside the store's transaction (E1-E6).
void add_callback_checks();

}  // namespace stile::conformance

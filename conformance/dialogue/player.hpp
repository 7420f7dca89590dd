// Playing one case against a store, and saying where it went another way.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "check.hpp"
#include "dialogue/syntax.hpp"
#include "target.hpp"

namespace stile::conformance {

/// Plays a case in namespaces of its own; passed, failed with the dialogue, or absent where the store declares that it
/// does not have what the case needs and was seen to answer so (S3). In the child process that judges this case.
Outcome play(const Case& one, const Target& target);

}  // namespace stile::conformance

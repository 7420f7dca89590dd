// Which checks are asked for, and the list of them.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "check.hpp"
#include "runner/options.hpp"

namespace stile::conformance {

/// The checks asked for; false with a word about it where one of the wishes fits none.
bool choose(const Options& options, std::vector<const Check*>& chosen);
/// Makes GoogleTest run these and no others; and of these not what a filter of GoogleTest's own leaves out
/// (`-Random.*`).
void filter(const std::vector<const Check*>& chosen);

std::string list_text(const std::vector<const Check*>& chosen);
std::string list_json(const std::vector<const Check*>& chosen);

}  // namespace stile::conformance

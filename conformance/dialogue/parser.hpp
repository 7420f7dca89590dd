// From the text of a case file to its cases.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dialogue/syntax.hpp"

namespace stile::conformance {

/// Every case of a file; throws SyntaxError. The language is in README.md. file is its name for errors.
std::vector<Case> parse_cases(const std::string& file, std::string_view text);

}  // namespace stile::conformance

// The checks of a run, known to GoogleTest by name.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "check.hpp"
#include "runner/results.hpp"

namespace stile::conformance {

/// Every check that add_check was given, in that order.
const std::vector<std::unique_ptr<Check>>& all_checks();
const Check* find_check(std::string_view suite, std::string_view name);

/// What a GoogleTest of a check does: asks for the result and fails where it is no pass.
void set_judge(std::function<Result(const Check&)> judge);

}  // namespace stile::conformance

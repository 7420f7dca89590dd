// What a store declares not to have, and whether it answers so (S3).
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "check.hpp"
#include "dialogue/syntax.hpp"
#include "target.hpp"

namespace stile::conformance {

/// Nothing where the store has all that the case needs; else absent, or failed where it answers something else than
/// `unsupported` to what it declares not to have.
std::optional<Outcome> absence(const Case& one, const Target& target);

/// A request of this operation that no store refuses by its arguments; empty where there is none to ask with.
json::object harmless_request(std::string_view op);
/// A request that needs this capability; empty where no answer shows it.
json::object request_needing(std::string_view capability);

/// The operations that stand or fall together: those of a part (name_of), and those of the store as a whole.
std::vector<std::vector<std::string_view>> operation_groups();

}  // namespace stile::conformance

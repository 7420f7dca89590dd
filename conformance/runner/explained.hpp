// What `explain` says of a check and of a status.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "check.hpp"
#include "stile/types.hpp"

namespace stile::conformance {

/// Lines of at most `width`, each with the indent.
std::string folded(const std::string& text, std::size_t width, const std::string& indent);

/// The checks that a word names: `lease.free-is-granted`, `free_is_granted`, a suite, a name with *.
std::vector<const Check*> checks_called(std::string_view word);
/// What it does, its script, the command that runs it alone.
std::string text_of(const Check& check);
boost::json::object json_of(const Check& check);

std::optional<Status> status_called(std::string_view word);
/// What it means, what a store that answers it must do, who sends again, which promises speak of it.
std::string text_of(Status status);
boost::json::object json_of(Status status);

/// " did you mean ...?" or nothing, out of all ids, checks and statuses.
std::string meant(const std::string& word);

}  // namespace stile::conformance

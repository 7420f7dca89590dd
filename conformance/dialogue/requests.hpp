// From the lines of a case to requests in the JSON of CALL.md.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json.hpp>
#include <cstdint>
#include <string>

#include "dialogue/syntax.hpp"
#include "dialogue/terms.hpp"
#include "target.hpp"

namespace stile::conformance {

/// What every case knows from the start: $effect_language, $render_language, and each limit as $limit_NAME.
Scope new_scope(const Facts& facts);

json::object make_request(const Request& request, Scope& scope);
/// deadline= of a line, else a bound that only a store that hangs meets.
Duration deadline_of(const Request& request, Scope& scope);
/// A whole number, or a duration in microseconds.
std::int64_t number_of(const Term& term, Scope& scope);

/// The language among those the store declares that the suite can write effects in; empty = none.
std::string effect_language(const Facts& facts);
/// The first language of render:LANGUAGE; empty = none.
std::string render_language(const Facts& facts);

}  // namespace stile::conformance

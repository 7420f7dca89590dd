// Terms: reading them from a case file, and making values of them while a case is played.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json.hpp>
#include <map>
#include <string>

#include "dialogue/cursor.hpp"
#include "dialogue/syntax.hpp"

namespace stile::conformance {

/// Reads one term; inside_brackets says that a line's end is a blank.
Term parse_term(Cursor& at);
/// Reads what follows `member` or `=`: one shape.
Shape parse_shape(Cursor& at);
/// Reads `member=...`, `member>...`, `!member`.
Expected parse_expected(Cursor& at);
/// One of = != < <= > >= ~ ; false if none stands here.
bool parse_test(Cursor& at, Expected::Test& test);

/// "16MiB", "64KiB", "100" as a number; throws SyntaxError at the place.
std::uint64_t size_from_text(const std::string& text, const Place& place);

/// What a case knows while it is played.
struct Scope {
  std::map<std::string, json::value> variables;
  std::map<std::string, std::string> op_ids;  ///< @name
  std::string effect_language;                ///< what giving("v") and its like are written in
};

/// A case that asks for something that cannot be made: an unset variable, a fence that is none. A bug of the case.
class Unplayable : public std::runtime_error {
 public:
  Unplayable(const Place& place, const std::string& what) : std::runtime_error(place.text() + ": " + what) {}
};

/// The value of a term, in the JSON of CALL.md.
json::value evaluate(const Term& term, Scope& scope);

}  // namespace stile::conformance

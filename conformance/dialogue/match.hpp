// Comparing what a store answered with what a case expects.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json.hpp>
#include <optional>
#include <string>

#include "dialogue/syntax.hpp"
#include "dialogue/terms.hpp"

namespace stile::conformance {

/// What a comparison may look at besides: how far above its mark an instant told with ~ may lie.
struct Matching {
  Scope& scope;
  Duration slack{0};
};

/// Nothing where the answer is as expected (captures are then taken), else what differs, in words.
std::optional<std::string> mismatch(const Expectation& expect, const json::object& answer, Matching matching);
std::optional<std::string> mismatch(const Shape& shape, const json::value& value, Matching matching);
/// One comparison of two values.
std::optional<std::string> mismatch(Expected::Test test, const json::value& left, const json::value& right,
                                    Duration slack);

/// JSON in one line, long texts cut in the middle, for people.
std::string brief(const json::value& value);

}  // namespace stile::conformance

// Small histories written by hand, and what the judge says of them.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "judge/judge.hpp"

namespace stile::conformance::judge {

/// The lines of a history from lines "CLIENT INVOKE RETURN REQUEST -> ANSWER": "A 10 20 {...} -> {...}". RETURN "-" and
/// no answer: it never came. "A/1" is place 1 of the batch that "A" began in the line before.
std::string lines_of(std::string_view script);

/// The ids of all findings, in order, each once: "A4, B12"; empty = accepted.
std::string judged(std::string_view script, const Options& options = {});
/// By the passes alone, by the search alone.
std::string passed(std::string_view script);
std::string searched(std::string_view script);

}  // namespace stile::conformance::judge

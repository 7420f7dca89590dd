// One line of JSON, read strictly: what the JSON form of an operation, a case or a trace stands in.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json.hpp>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

namespace stile::codec {

/// The longest line that is read.
inline constexpr std::size_t longest_line = std::size_t{64} << 20;
/// How deep objects and lists may stand inside each other.
inline constexpr std::size_t deepest_line = 64;

/// Why a text is no JSON: what() names the column.
struct BadLine : std::runtime_error {
  BadLine(std::size_t place, const std::string& why)
      : std::runtime_error("column " + std::to_string(place) + ": " + why), column(place) {}
  std::size_t column;  ///< in characters, the first is 1
};

/// Parses one JSON text: no duplicate members, no lone surrogates, no invalid UTF-8, no number beyond a double's range,
/// nothing after it, not deeper than deepest_line. Throws BadLine.
boost::json::value parse_line(std::string_view text);

}  // namespace stile::codec

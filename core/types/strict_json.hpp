// JSON as this project reads it: a duplicate member is an error, and every error says where.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/value.hpp>
#include <cstddef>
#include <string>
#include <string_view>

namespace stile::types {

/// What is wrong with a text that is no JSON, or says something twice.
struct BadJson {
  std::string text;
  std::size_t offset = 0;  ///< in bytes, from 0

  /// "line 3, column 4", both from 1.
  std::string place(std::string_view json) const;
};

/// The value of a JSON text with at most depth levels. Throws BadJson: no JSON, invalid UTF-8, a lone surrogate, a
/// duplicate member, a number beyond a double's range, too deep.
boost::json::value parse_json(std::string_view text, std::size_t depth = 32);

}  // namespace stile::types

// Comma-separated values as real programs export them: quotes, commas and line ends inside quotes, CRLF, a BOM.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace orders {

struct Row {
  std::size_t line = 0;  ///< where it begins, from 1
  std::vector<std::string> fields;
  std::string wrong;  ///< why it cannot be read; empty = it can
};

/// Cuts the text into rows; a row that breaks the rules says so and the next one is read. Blank lines are no rows.
std::vector<Row> read_csv(std::string_view text);

}  // namespace orders

// The table of mutants: what fails each, and how soon. It is committed, and the tests make it anew.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "mutants/entries.hpp"

namespace stile::conformance::mutants {

struct Row {
  std::string mutant;
  std::string slip;  ///< as it stands in a cell
  int level = 1;
  std::vector<std::string> ids;     ///< promises it breaks
  std::vector<std::string> checks;  ///< level 1: what fails it for each of ids, in their order; above: what fails it
  std::uint64_t seeds = 0;          ///< median of how many were tried until it was caught, that one included
};

/// The row of a mutant that nothing is known of but its entry.
Row row_of(const Mutant& mutant);

/// The whole file. title is its first line; rows are sorted by level, promise and name.
std::string table_text(const std::string& title, std::vector<Row> rows);

struct Table {
  std::string title;
  std::vector<Row> rows;

  const Row* find(const std::string& mutant) const;
};
/// Throws std::runtime_error where the text is no such table.
Table read_table(std::string_view text, const std::string& path);

/// Where the table and the entries part: a line for each, empty for none.
std::string differences(const Table& table, const std::vector<Mutant>& mutants);

/// How far a median that is measured again may be from the one in the table: threads never meet alike twice.
constexpr std::uint64_t median_factor = 4, median_margin = 4;
inline bool median_holds(std::uint64_t in_table, std::uint64_t measured) {
  return measured <= in_table * median_factor + median_margin;
}

}  // namespace stile::conformance::mutants

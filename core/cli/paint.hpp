// Text for people: colours where a terminal shows them, columns, moments.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace stile::cli {

enum class Colour { none, good, bad, faint, strong };

/// Paints where standard output is a terminal, NO_COLOR is not set and TERM is not dumb; elsewhere text stays as it is.
class Paint {
 public:
  Paint();
  std::string operator()(Colour colour, std::string_view text) const;

 private:
  bool on_;
};

/// Rows as columns, two blanks apart; the last column is not filled up. Colours do not count.
class Table {
 public:
  struct Cell {
    std::string text;
    Colour colour = Colour::none;
    bool right = false;  ///< numbers
  };
  void add(std::vector<Cell> row) { rows_.push_back(std::move(row)); }
  /// Without the newline at its end.
  std::string text(const Paint& paint) const;

 private:
  std::vector<std::vector<Cell>> rows_;
};

/// "2025-11-29T23:12:01.123456Z" for Unix microseconds.
std::string moment_text(std::int64_t microseconds);

/// How many columns text takes, as far as that can be known without a font: its characters.
std::size_t width_of(std::string_view text);

}  // namespace stile::cli

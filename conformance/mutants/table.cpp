// Writing, reading and comparing the table of mutants.
//
// SPDX-License-Identifier: Apache-2.0
#include "mutants/table.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <sstream>
#include <stdexcept>
#include <tuple>

namespace stile::conformance::mutants {
namespace {

constexpr std::string_view about =
    "Made by `cmake --build BUILD --target stile_mutant_tables`; `ctest -R mutants` sees every row hold. `seeds` is "
    "the\n"
    "median of how many seeds it took until the mutant was caught; 1 where nothing is left to chance. A mutant of "
    "level\n"
    "1 is failed by a check for each of its promises, in their order; above that one of them is enough.\n";
constexpr std::string_view head = "| level | mutant | breaks | failed by | seeds | what its author thought |";
constexpr std::string_view rule = "|---|---|---|---|---|---|";

std::string joined(const std::vector<std::string>& words, std::string_view quote = "") {
  std::string text;
  for (const std::string& word : words) text.append(text.empty() ? "" : " ").append(quote).append(word).append(quote);
  return text;
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;) {
    std::erase(word, '`');
    words.push_back(word);
  }
  return words;
}

/// A text in one cell: no line breaks, no bars.
std::string cell(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  for (std::size_t bar = text.find('|'); bar != std::string::npos; bar = text.find('|', bar + 2))
    text.insert(bar, "\\");
  return text;
}

auto order(const Row& row) {
  const std::string& id = row.ids.front();
  return std::make_tuple(row.level, id.substr(0, 1), std::atoi(id.c_str() + 1), row.mutant);
}

std::string line_of(const Row& row) {
  return "| " + std::to_string(row.level) + " | " + row.mutant + " | " + joined(row.ids) + " | " +
         joined(row.checks, "`") + " | " + std::to_string(row.seeds) + " | " + row.slip + " |\n";
}

Row read_row(const std::string& line, const std::string& where) {
  std::array<std::string, 6> cells;
  std::size_t at = 0;
  for (std::string& one : cells) {
    std::size_t end = line.find(" | ", at + 2);
    if (&one == &cells.back()) end = line.size() - std::string_view(" |").size();
    if (end == std::string::npos || end < at + 2) throw std::runtime_error(where + ": no row of a table of mutants");
    one = line.substr(at + 2, end - at - 2);
    at = end + 1;
  }
  Row row;
  row.mutant = cells[1];
  row.slip = cells[5];
  row.level = std::atoi(cells[0].c_str());
  row.ids = words_of(cells[2]);
  row.checks = words_of(cells[3]);
  row.seeds = std::strtoull(cells[4].c_str(), nullptr, 10);
  if (row.level < 1 || row.ids.empty() || row.checks.size() != (row.level == 1 ? row.ids.size() : 1) || row.seeds == 0)
    throw std::runtime_error(where + ": no row of a table of mutants");
  return row;
}

}  // namespace

Row row_of(const Mutant& mutant) {
  Row row;
  row.mutant = mutant.name;
  row.slip = cell(mutant.slip);
  row.level = mutant.level.empty() ? 1 : std::stoi(mutant.level);
  row.ids = mutant.breaks;
  return row;
}

std::string table_text(const std::string& title, std::vector<Row> rows) {
  std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return order(a) < order(b); });
  std::map<int, unsigned> levels;
  for (const Row& row : rows) ++levels[row.level];
  std::string text = title + "\n\n" + std::string(about) + "\n" + std::to_string(rows.size()) + " mutants";
  for (const auto& [level, count] : levels)
    text +=
        (level == levels.begin()->first ? ": " : ", ") + std::to_string(count) + " of level " + std::to_string(level);
  text += ".\n\n" + std::string(head) + "\n" + std::string(rule) + "\n";
  for (const Row& row : rows) text += line_of(row);
  return text;
}

const Row* Table::find(const std::string& mutant) const {
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const Row& row) { return row.mutant == mutant; });
  return found == rows.end() ? nullptr : &*found;
}

Table read_table(std::string_view text, const std::string& path) {
  Table table;
  std::istringstream in{std::string(text)};
  bool rows = false;
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    if (++number == 1) table.title = line;
    if (rows) table.rows.push_back(read_row(line, path + ":" + std::to_string(number)));
    rows = rows || line == rule;
  }
  if (!rows) throw std::runtime_error(path + ": there is no table of mutants in it");
  return table;
}

std::string differences(const Table& table, const std::vector<Mutant>& mutants) {
  std::string text;
  for (const Mutant& mutant : mutants) {
    const Row wanted = row_of(mutant);
    const Row* row = table.find(mutant.name);
    if (row == nullptr)
      text += mutant.name + ": has no row\n";
    else if (std::tie(row->level, row->ids, row->slip) != std::tie(wanted.level, wanted.ids, wanted.slip))
      text += mutant.name + ": level, promises or slip are not those of its entry\n";
  }
  for (const Row& row : table.rows)
    if (std::none_of(mutants.begin(), mutants.end(), [&](const Mutant& one) { return one.name == row.mutant; }))
      text += row.mutant + ": there is no such mutant\n";
  return text;
}

}  // namespace stile::conformance::mutants

// Colours, columns, moments.
//
// SPDX-License-Identifier: Apache-2.0
#include "cli/paint.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "types/text.hpp"

namespace stile::cli {

Paint::Paint() {
  auto no_colour = types::environment("NO_COLOR");
  auto terminal = types::environment("TERM");
  on_ = isatty(STDOUT_FILENO) == 1 && (!no_colour || no_colour->empty()) && terminal && *terminal != "dumb";
}

std::string Paint::operator()(Colour colour, std::string_view text) const {
  static constexpr const char* codes[] = {"", "32", "31", "2", "1"};
  if (!on_ || colour == Colour::none) return std::string(text);
  return std::string("\033[") + codes[static_cast<int>(colour)] + "m" + std::string(text) + "\033[0m";
}

std::size_t width_of(std::string_view text) {
  auto begins = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; };
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), begins));
}

std::string Table::text(const Paint& paint) const {
  std::vector<std::size_t> widths;
  for (const auto& row : rows_) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i].text));
  }
  std::string out;
  for (const auto& row : rows_) {
    if (!out.empty()) out += '\n';
    for (std::size_t i = 0; i < row.size(); ++i) {
      std::string blanks(widths[i] - width_of(row[i].text), ' ');
      if (i != 0) out += "  ";
      if (row[i].right) out += blanks;
      out += paint(row[i].colour, row[i].text);
      if (!row[i].right && i + 1 < row.size()) out += blanks;
    }
  }
  return out;
}

std::string moment_text(std::int64_t microseconds) {
  using namespace std::chrono;
  sys_time<std::chrono::microseconds> moment{std::chrono::microseconds(microseconds)};
  auto day = floor<days>(moment);
  year_month_day date(day);
  hh_mm_ss time(moment - day);
  char text[64];
  std::snprintf(text, sizeof(text), "%04d-%02u-%02uT%02d:%02d:%02d.%06dZ", static_cast<int>(date.year()),
                static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                static_cast<int>(time.hours().count()), static_cast<int>(time.minutes().count()),
                static_cast<int>(time.seconds().count()), static_cast<int>(time.subseconds().count()));
  return text;
}

}  // namespace stile::cli

// Long texts of failures, made short enough to be read.
//
// SPDX-License-Identifier: Apache-2.0
#include "runner/shorter.hpp"

#include <algorithm>
#include <vector>

namespace stile::conformance {
namespace {

constexpr std::size_t most_lines_of_one = 6;  ///< that a line too wide is folded into

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    lines.push_back(line);
  }
  return lines;
}

bool inside_a_character(std::string_view text, std::size_t at) {
  return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80;
}

/// Where to fold: behind the last comma, blank or brace of the second half, else between two characters.
std::size_t fold_at(std::string_view line, std::size_t width) {
  std::size_t mark = line.substr(0, width).find_last_of(", }");
  if (mark != std::string_view::npos && mark + 1 > width / 2) return mark + 1;
  while (width > 1 && inside_a_character(line, width)) --width;
  return width;
}

void fold(std::string& out, std::string_view line, std::size_t width) {
  std::size_t indent = std::min(line.find_first_not_of(' '), width / 2) + 4;
  if (std::size_t arrow = line.find("-> {"); arrow != std::string_view::npos && arrow < width / 2) indent = arrow + 4;
  for (std::size_t lines = 1; line.size() > width; ++lines) {
    std::size_t at = fold_at(line, width);
    if (lines == most_lines_of_one) {
      out += std::string(line.substr(0, at)) + " ... (" + std::to_string(line.size() - at) + " bytes more)\n";
      return;
    }
    out += std::string(line.substr(0, at)) + "\n" + std::string(indent, ' ');
    line.remove_prefix(at);
    width -= lines == 1 ? indent : 0;
  }
  out += std::string(line) + "\n";
}

}  // namespace

std::string ends_of(std::string_view text, std::size_t first, std::size_t last) {
  std::vector<std::string_view> lines = lines_of(text);
  if (lines.size() <= first + last) return std::string(text);
  std::string out;
  for (std::size_t i = 0; i < first; ++i) out += std::string(lines[i]) + "\n";
  out += "  ... (" + std::to_string(lines.size() - first - last) + " lines more)\n";
  for (std::size_t i = lines.size() - last; i < lines.size(); ++i) out += std::string(lines[i]) + "\n";
  return out;
}

std::string cut_line(std::string_view line, std::size_t most) {
  if (line.size() <= most) return std::string(line);
  std::size_t at = most - std::min<std::size_t>(most, 4);
  while (at > 0 && inside_a_character(line, at)) --at;
  return std::string(line.substr(0, at)) + " ...";
}

std::string for_terminal(std::string_view text, std::size_t width) {
  std::string plain(text), out;
  for (char& c : plain)
    if ((static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') || c == 0x7f) c = '?';
  for (std::string_view line : lines_of(plain)) fold(out, line, width);
  return out;
}

}  // namespace stile::conformance

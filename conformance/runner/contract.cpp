// The written contract, as the reports quote it.
//
// SPDX-License-Identifier: Apache-2.0
#include "runner/contract.hpp"

#include <algorithm>

#include "stile_contract_text.hpp"

namespace stile::conformance {
namespace {

/// The next line, taken away from the text.
std::string_view take_line(std::string_view& text) {
  std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(text.size(), line.size() + 1));
  return line;
}

std::vector<Promise> read_promises(std::string_view text) {
  std::vector<Promise> promises;
  std::string chapter;
  bool open = false;
  while (!text.empty()) {
    std::string_view line = take_line(text);
    if (line.starts_with("## ")) chapter = line.substr(3);
    if (line.starts_with("- **")) {
      std::size_t end = line.find("**", 4);
      promises.push_back({std::string(line.substr(4, end - 4)), std::string(line.substr(end + 3)), chapter});
      open = true;
    } else if (open && line.starts_with("  ")) {
      promises.back().text += " " + std::string(line.substr(2));
    } else {
      open = false;
    }
  }
  return promises;
}

}  // namespace

const std::vector<Promise>& promises() {
  static const std::vector<Promise> all = read_promises(stile_contract_text::CONTRACT);
  return all;
}

const Promise* promise(std::string_view id) {
  for (const Promise& one : promises())
    if (one.id == id) return &one;
  return nullptr;
}

std::string chapter_about(std::string_view chapter) {
  std::string_view text = stile_contract_text::CONTRACT;
  while (!text.empty() && take_line(text) != "## " + std::string(chapter)) continue;
  std::string about;
  while (!text.empty()) {
    std::string_view line = take_line(text);
    if (line.starts_with("- **") || line.starts_with("## ") || (line.empty() && !about.empty())) break;
    if (!line.empty()) about += (about.empty() ? "" : " ") + std::string(line);
  }
  return about;
}

std::string_view contract_version() {
  constexpr std::string_view before = "Contract version ";
  std::string_view text = stile_contract_text::CONTRACT;
  std::size_t at = text.find(before);
  if (at == std::string_view::npos) return "?";
  text.remove_prefix(at + before.size());
  return text.substr(0, text.find_first_of(".\n"));
}

}  // namespace stile::conformance

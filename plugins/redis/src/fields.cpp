// Reading the list of fields, and writing scripts by it.
//
// SPDX-License-Identifier: Apache-2.0
#include "fields.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>

#include "stile_redis_lua.hpp"

namespace stile::redis {
namespace {

constexpr std::string_view list_mark = "--FIELDS ", use = "row.";

bool part_of_name(char c) {
  return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/// Where the name that begins there ends.
std::size_t end_of_name(std::string_view text, std::size_t at) {
  return static_cast<std::size_t>(
      std::find_if_not(text.begin() + static_cast<std::ptrdiff_t>(at), text.end(), part_of_name) - text.begin());
}

/// Gives each line of a text, without its end.
template <class Take>
void each_line(std::string_view text, Take&& take) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    take(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

using Places = std::map<std::string, std::size_t, std::less<>>;

Places read_places() {
  Places out;
  each_line(stile_redis_lua::row, [&](std::string_view line) {
    if (line.substr(0, list_mark.size()) != list_mark) return;
    for (std::size_t at = list_mark.size(); at < line.size();) {
      const std::size_t end = end_of_name(line, at);
      out.emplace(line.substr(at, end - at), out.size() + 1);
      at = end + 1;
    }
  });
  return out;
}

void add_line(std::string& out, std::string_view line, const Places& places) {
  for (std::size_t at = 0;;) {
    const std::size_t found = line.find(use, at);
    out.append(line.substr(at, found - at));
    if (found == std::string_view::npos) return;
    const std::size_t from = found + use.size(), end = end_of_name(line, from);
    at = end;
    if ((found != 0 && part_of_name(line[found - 1])) || end == from) {
      out.append(line.substr(found, end - found));
      continue;
    }
    const auto place = places.find(line.substr(from, end - from));
    if (place == places.end())
      throw std::logic_error("a row has no field " + std::string(line.substr(from, end - from)));
    out.append("row[").append(std::to_string(place->second)).append("]");
  }
}

}  // namespace

std::string numbered(std::string_view script) {
  static const Places places = read_places();
  std::string out;
  each_line(script, [&](std::string_view line) {
    const std::size_t first = line.find_first_not_of(' ');
    const bool comment = first != std::string_view::npos && line.substr(first, 2) == "--";
    if (!comment) add_line(out, line, places);
    out += '\n';
  });
  return out;
}

}  // namespace stile::redis

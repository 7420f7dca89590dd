// The strict parser of one line of JSON.
//
// SPDX-License-Identifier: Apache-2.0
#include "codec/line.hpp"

#include <algorithm>

#include "types/strict_json.hpp"

namespace stile::codec {
namespace {

namespace json = boost::json;

std::size_t column_of(std::string_view text, std::size_t offset) {
  auto begins = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; };
  auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(offset, text.size()));
  return 1 + static_cast<std::size_t>(std::count_if(text.begin(), end, begins));
}

}  // namespace

json::value parse_line(std::string_view text) {
  try {
    return types::parse_json(text, deepest_line);
  } catch (const types::BadJson& bad) {
    throw BadLine(column_of(text, bad.offset), bad.text);
  }
}

}  // namespace stile::codec

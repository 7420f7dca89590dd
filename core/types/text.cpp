// What is visible, what is near, and the guarded environment.
//
// SPDX-License-Identifier: Apache-2.0
#include "types/text.hpp"

#include <sys/auxv.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

namespace stile::types {
namespace {

struct Character {
  char32_t code = 0;
  std::size_t length = 0;  // 0 = no valid UTF-8
};

Character decode(std::string_view text) {
  if (text.empty()) return {};
  auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  unsigned char lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < length) return {};
  char32_t code = lead & (0x7fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3fu);
  }
  constexpr char32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  bool surrogate = code >= 0xd800 && code < 0xe000;
  if (code < least[length] || code > 0x10ffff || surrogate) return {};
  return {code, length};
}

// Characters that change how a line looks without being seen in it: controls, soft hyphen, zero widths, directions,
// line separators, variation selectors, private use.
bool visible(char32_t code) {
  if (code < 0x20 || (code >= 0x7f && code < 0xa1) || code == 0xad) return false;
  if (code == 0x61c || code == 0x180e || code == 0x3000 || code == 0xfeff) return false;
  if ((code >= 0x2000 && code <= 0x200f) || (code >= 0x2028 && code <= 0x202f)) return false;
  if ((code >= 0x205f && code <= 0x206f) || (code >= 0xe000 && code <= 0xf8ff)) return false;
  if ((code >= 0xfe00 && code <= 0xfe0f) || (code >= 0xfff0 && code <= 0xffff)) return false;
  return code < 0xe0000;
}

constexpr char digits[] = "0123456789abcdef";

void escape(std::string& out, std::string_view text, const Character& character) {
  auto byte = static_cast<unsigned char>(text[0]);
  if (text[0] == '\n') {
    out += "\\n";
  } else if (text[0] == '\t') {
    out += "\\t";
  } else if (character.length > 1) {
    out += "\\u{";
    int shift = 20;
    while (shift > 0 && (character.code >> shift) == 0) shift -= 4;
    for (; shift >= 0; shift -= 4) out += digits[(character.code >> shift) & 15u];
    out += '}';
  } else {
    out += "\\x";
    out += digits[byte >> 4];
    out += digits[byte & 15];
  }
}

}  // namespace

std::size_t visible_length(std::string_view text) {
  Character character = decode(text);
  return character.length > 0 && visible(character.code) ? character.length : 0;
}

std::string printable(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size());
  while (!bytes.empty()) {
    Character character = decode(bytes);
    std::size_t length = std::max<std::size_t>(character.length, 1);
    if (character.length > 0 && visible(character.code)) {
      if (bytes[0] == '\\') out += '\\';
      out += bytes.substr(0, length);
    } else {
      escape(out, bytes, character);
    }
    bytes.remove_prefix(length);
  }
  return out;
}

std::size_t edit_distance(std::string_view one, std::string_view other) {
  std::vector<std::size_t> before(other.size() + 1), last(other.size() + 1), row(other.size() + 1);
  for (std::size_t j = 0; j <= other.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= one.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= other.size(); ++j) {
      std::size_t replaced = last[j - 1] + (one[i - 1] == other[j - 1] ? 0 : 1);
      row[j] = std::min({replaced, last[j] + 1, row[j - 1] + 1});
      bool swapped = i > 1 && j > 1 && one[i - 1] == other[j - 2] && one[i - 2] == other[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(row);
  }
  return last[other.size()];
}

std::optional<std::string> nearest(std::string_view word, std::span<const std::string> known) {
  constexpr std::size_t longest = 64;
  if (word.empty() || word.size() > longest) return std::nullopt;
  std::optional<std::string> best;
  std::size_t least = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string& name : known) {
    if (name.size() > longest) continue;
    std::size_t distance = edit_distance(word, name);
    if (name.starts_with(word) && word.size() >= 3) distance = std::min<std::size_t>(distance, 1);
    if (distance < least) {
      least = distance;
      best = name;
    }
  }
  return best;
}

std::string enumerate(std::span<const std::string> words) {
  if (words.empty()) return "none";
  std::string out = words[0];
  for (std::size_t i = 1; i < words.size(); ++i) out += (i + 1 == words.size() ? " and " : ", ") + words[i];
  return out;
}

bool raised_privileges() { return getauxval(AT_SECURE) != 0; }

std::optional<std::string> environment(const char* name) {
  if (raised_privileges()) return std::nullopt;
  const char* value = std::getenv(name);
  if (value == nullptr) return std::nullopt;
  return value;
}

}  // namespace stile::types

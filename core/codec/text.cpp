// UTF-8, base64, durations, the names of states.
//
// SPDX-License-Identifier: Apache-2.0
#include "codec/text.hpp"

#include <array>
#include <cstring>

#include "codec/op.hpp"
#include "types/text.hpp"
#include "types/units.hpp"

namespace stile::codec {
namespace {

constexpr std::string_view base64_digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

constexpr std::array<std::int8_t, 256> base64_values = [] {
  std::array<std::int8_t, 256> values{};
  values.fill(-1);
  for (std::size_t i = 0; i < base64_digits.size(); ++i)
    values[static_cast<unsigned char>(base64_digits[i])] = static_cast<std::int8_t>(i);
  return values;
}();

// The length of the character that starts at text[0], or 0 when there is none.
std::size_t character(std::string_view text) {
  auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  auto follows = [&](std::size_t n) {
    if (text.size() < n) return false;
    for (std::size_t i = 1; i < n; ++i)
      if ((byte(i) & 0xC0) != 0x80) return false;
    return true;
  };
  unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return follows(2) ? 2 : 0;
  if (lead >= 0xE0 && lead <= 0xEF) {
    if (!follows(3) || (lead == 0xE0 && byte(1) < 0xA0) || (lead == 0xED && byte(1) > 0x9F)) return 0;
    return 3;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    if (!follows(4) || (lead == 0xF0 && byte(1) < 0x90) || (lead == 0xF4 && byte(1) > 0x8F)) return 0;
    return 4;
  }
  return 0;
}

constexpr std::string_view state_names[] = {"",         "ready", "delayed",   "in_flight", "dead",
                                            "finished", "idle",  "coalesced", "deferred",  "requeued"};

}  // namespace

bool is_utf8(std::string_view bytes) {
  while (!bytes.empty()) {
    if (bytes.size() >= 8) {
      std::uint64_t word;
      std::memcpy(&word, bytes.data(), sizeof(word));
      if ((word & 0x8080808080808080u) == 0) {
        bytes.remove_prefix(8);
        continue;
      }
    }
    std::size_t length = character(bytes);
    if (length == 0) return false;
    bytes.remove_prefix(length);
  }
  return true;
}

std::string to_base64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::string_view part = bytes.substr(i, 3);
    std::uint32_t bits = 0;
    for (std::size_t k = 0; k < 3; ++k) bits = bits << 8 | (k < part.size() ? static_cast<unsigned char>(part[k]) : 0u);
    for (std::size_t k = 0; k < 4; ++k) text += k <= part.size() ? base64_digits[bits >> (18 - 6 * k) & 63] : '=';
  }
  return text;
}

std::optional<std::string> from_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  for (std::size_t i = 0; i < text.size(); i += 4) {
    std::string_view part = text.substr(i, 4);
    std::size_t digits = 4;
    if (i + 4 == text.size()) digits -= part.ends_with("==") ? 2 : part.ends_with('=') ? 1 : 0;
    std::uint32_t bits = 0;
    for (std::size_t k = 0; k < 4; ++k) {
      int value = k < digits ? base64_values[static_cast<unsigned char>(part[k])] : 0;
      if (value < 0) return std::nullopt;
      bits = bits << 6 | static_cast<std::uint32_t>(value);
    }
    if (digits < 4 && (bits & (digits == 3 ? 0xFFu : 0xFFFFu)) != 0) return std::nullopt;
    for (std::size_t k = 0; k + 1 < digits; ++k) bytes += static_cast<char>(bits >> (16 - 8 * k) & 255);
  }
  return bytes;
}

std::string state_name(std::uint32_t state) {
  if (state > 0 && state < std::size(state_names)) return std::string(state_names[state]);
  return "state " + std::to_string(state);
}

std::uint32_t state_from_name(std::string_view name) {
  for (std::uint32_t state = 1; state < std::size(state_names); ++state)
    if (state_names[state] == name) return state;
  return 0;
}

std::int64_t duration_from_text(std::string_view text, std::string_view member) {
  // A bare number is a JSON number, never text.
  bool unit = !text.empty() && text.back() > '9';
  auto duration = unit ? types::parse_duration(text) : std::nullopt;
  if (!duration)
    throw BadRequest{Status::invalid,
                     std::string(member) + ": \"" + types::printable(text.substr(0, 40)) +
                         "\" is no duration: write digits and a unit of us ms s m h d, such as \"1.5s\""};
  return *duration;
}

}  // namespace stile::codec

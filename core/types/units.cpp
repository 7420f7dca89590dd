// Durations and sizes from text and to text, exact.
//
// SPDX-License-Identifier: Apache-2.0
#include "types/units.hpp"

#include <array>
#include <charconv>
#include <limits>

namespace stile::types {
namespace {

__extension__ typedef __int128 Wide;

struct Unit {
  std::string_view name;
  std::int64_t worth;
};

constexpr std::int64_t second = 1'000'000;
constexpr std::array<Unit, 6> durations{
    {{"d", 86'400 * second}, {"h", 3'600 * second}, {"m", 60 * second}, {"s", second}, {"ms", 1'000}, {"us", 1}}};
constexpr std::int64_t kibi = 1'024;
constexpr std::array<Unit, 9> sizes{{{"TiB", kibi* kibi* kibi* kibi},
                                     {"GiB", kibi* kibi* kibi},
                                     {"MiB", kibi* kibi},
                                     {"KiB", kibi},
                                     {"TB", 1'000'000'000'000},
                                     {"GB", 1'000'000'000},
                                     {"MB", 1'000'000},
                                     {"kB", 1'000},
                                     {"B", 1}}};

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t number = 0;
  if (text.empty() || text[0] < '0' || text[0] > '9') return std::nullopt;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// (whole + fraction) * worth, rounded towards positive infinity; nothing when it does not fit.
std::optional<std::int64_t> scaled(std::int64_t whole, std::string_view fraction, std::int64_t worth, bool negative) {
  Wide value = static_cast<Wide>(whole) * worth;
  if (!fraction.empty()) {
    constexpr std::size_t most_digits = 18;
    auto numerator = whole_number(fraction);
    if (!numerator || fraction.size() > most_digits) return std::nullopt;
    Wide denominator = 1;
    for (std::size_t i = 0; i < fraction.size(); ++i) denominator *= 10;
    Wide part = static_cast<Wide>(*numerator) * worth;
    value += part / denominator;
    if (part % denominator != 0 && !negative) ++value;
  }
  if (value > std::numeric_limits<std::int64_t>::max()) return std::nullopt;
  return static_cast<std::int64_t>(negative ? -value : value);
}

template <std::size_t N>
std::optional<std::int64_t> parse(std::string_view text, const std::array<Unit, N>& units) {
  bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  std::size_t end = text.find_first_not_of("0123456789.");
  if (end == std::string_view::npos) {
    auto number = whole_number(text);
    return number ? scaled(*number, {}, 1, negative) : std::nullopt;
  }
  std::string_view number = text.substr(0, end), fraction;
  std::size_t dot = number.find('.');
  if (dot != std::string_view::npos) {
    fraction = number.substr(dot + 1);
    number = number.substr(0, dot);
    if (fraction.empty()) return std::nullopt;
  }
  auto whole = whole_number(number);
  if (!whole) return std::nullopt;
  for (const Unit& unit : units) {
    if (unit.name == text.substr(end)) return scaled(*whole, fraction, unit.worth, negative);
  }
  return std::nullopt;
}

template <std::size_t N>
std::string print(std::int64_t value, const std::array<Unit, N>& units) {
  if (value == 0) return "0";
  for (const Unit& unit : units) {
    if (value % unit.worth == 0) return std::to_string(value / unit.worth) + std::string(unit.name);
  }
  return std::to_string(value);
}

}  // namespace

std::optional<std::int64_t> parse_duration(std::string_view text) { return parse(text, durations); }

std::optional<std::int64_t> parse_size(std::string_view text) {
  if (text.starts_with('-')) return std::nullopt;
  return parse(text, sizes);
}

std::string duration_text(std::int64_t microseconds) { return print(microseconds, durations); }
std::string size_text(std::int64_t bytes) { return print(bytes, sizes); }

}  // namespace stile::types

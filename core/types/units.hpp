// Lengths of time and sizes, as people write them.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace stile::types {

/// Microseconds of "[-]digits[.digits]unit" with us, ms, s, m, h, d, or of a whole number of them; rounded up. Nothing
/// when it is anything else, does not fit, or has more than 18 digits behind the point.
std::optional<std::int64_t> parse_duration(std::string_view text);
/// Bytes of "digits[.digits]unit" with B, kB, MB, GB, TB, KiB, MiB, GiB, TiB, or of a whole number of them; rounded up.
std::optional<std::int64_t> parse_size(std::string_view text);

/// 86400000000 as "1d", 1500 as "1500us"; parse_duration gives the same again.
std::string duration_text(std::int64_t microseconds);
/// 16777216 as "16MiB"; parse_size gives the same again.
std::string size_text(std::int64_t bytes);

}  // namespace stile::types

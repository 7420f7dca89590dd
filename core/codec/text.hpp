// The texts inside the JSON form: UTF-8, base64, durations, the names of states.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace stile::codec {

/// Strict UTF-8: no overlong forms, no surrogates, nothing above U+10FFFF.
bool is_utf8(std::string_view bytes);

/// RFC 4648 with padding; from_base64 takes nothing else, and no stray bits in the last digit.
std::string to_base64(std::string_view bytes);
std::optional<std::string> from_base64(std::string_view text);

/// The name of a STILE_STATE_* in lower case; "state N" for another number.
std::string state_name(std::uint32_t state);
/// The reverse; 0 when there is none.
std::uint32_t state_from_name(std::string_view name);

}  // namespace stile::codec

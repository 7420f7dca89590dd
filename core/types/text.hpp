// Text for people: bytes made visible, and the name somebody probably meant.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace stile::types {

/// Bytes as they can be shown: visible UTF-8 stands as it is; control characters, invisible ones and bytes that are no
/// UTF-8 are escaped (\n, \x9f, \u{200b}), a backslash too. So no file name can forge a line of a message.
std::string printable(std::string_view bytes);

/// The length of the visible UTF-8 character that text begins with; 0 when it begins with anything else.
std::size_t visible_length(std::string_view text);

/// How many insertions, removals, replacements or swaps of neighbours make one word the other.
std::size_t edit_distance(std::string_view one, std::string_view other);

/// The known name nearest to word, if one is near enough to be what was meant; else nothing.
std::optional<std::string> nearest(std::string_view word, std::span<const std::string> known);

/// "a, b and c"; "none" for an empty list.
std::string enumerate(std::span<const std::string> words);

/// The environment variable of that name. Nothing when it is not set, or when this program runs with raised privileges
/// (AT_SECURE, which file capabilities set too): whoever started it must not steer it. The only way to read one.
std::optional<std::string> environment(const char* name);
/// True when AT_SECURE is set: environment() answers nothing.
bool raised_privileges();

}  // namespace stile::types

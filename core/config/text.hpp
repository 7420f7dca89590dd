// What the parts of this room share: percent-encoding, names, and hiding what must not be shown.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "stile/types.hpp"

namespace stile::config {

inline constexpr std::size_t namespace_bytes = 128;

/// [a-z][a-z0-9.-]*, at most 64 bytes: what a scheme may be called, and a plugin, which may hold + too.
bool is_name(std::string_view text, bool plus = false);
/// The same without dots: what stands before the first dot of an option is its layer.
bool is_layer_name(std::string_view text);
/// [A-Za-z][A-Za-z0-9_.-]*, at most 64 bytes.
bool is_option_name(std::string_view text);
/// 1 to 65535 in decimal.
bool is_port(std::string_view text);
/// auto, check or never.
bool is_prepare(std::string_view text);
/// What is wrong with an address in brackets, or nothing.
bool is_ipv6(std::string_view text);

/// Bytes with everything escaped that is invisible, is no UTF-8, or stands in special.
std::string encode(std::string_view bytes, std::string_view special);

/// True for the name of an option whose value sounds like a secret: password, token, ...
bool sounds_secret(std::string_view option);

/// A value or a path as it may be shown: *** for what stands before an @ (where a colon is in it, or anyway with
/// user_first), and for all that follows a word such as password= (so that secrets with spaces and quotes are hidden).
std::string hide_secrets(std::string_view text, bool user_first = false);

/// An error of a program, with what hide_secrets hides of the arguments that it was called with hidden where the error
/// shows one, as it is or as printable() writes it: a config string may stand where something else is wanted.
std::string hide_arguments(std::string error, std::span<const std::string> arguments);

/// What may be shown of a text that could not be read as a config string, any part of which could thus be a secret: its
/// scheme, if that is surely one, and its length.
std::string describe_unread(std::string_view text);

/// The last newline of a secret that was read from a file goes. Errors do not show the path: it could be the secret.
std::string secret_from_file(const std::string& path);

/// The bytes of a file of at most limit bytes; throws Error that says what it is.
std::string read_file(const std::string& path, std::size_t limit, const std::string& what);

}  // namespace stile::config

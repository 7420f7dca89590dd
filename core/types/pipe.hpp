// Pipes between a process and its children.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>

namespace stile::types {

/// Both ends, to read and to write, closed on exec. The caller closes them. Throws std::system_error.
std::array<int, 2> make_pipe();

/// Writes all of it, or what is taken before the other end goes. Safe in a forked child of one thread.
void write_all(int to, std::string_view text);

}  // namespace stile::types

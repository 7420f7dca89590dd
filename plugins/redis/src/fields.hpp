// Names of a row's fields in Lua, as places in an array.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace stile::redis {

/// Writes row.NAME as row[NUMBER] in a script, by the list that row.lua begins with, and leaves out lines of comment. A
/// table of so many names takes three times as long to make as an array, and each call of a script makes many. Throws
/// std::logic_error for a name that is not on the list.
std::string numbered(std::string_view script);

}  // namespace stile::redis

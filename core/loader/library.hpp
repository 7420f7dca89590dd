// Loading one plugin file, for good.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "loader/inspect.hpp"
#include "stile/abi.h"

namespace stile::loader {

/// Loads a file that was found good, and asks it for its table. It stays in memory for ever: threads and thread-exit
/// handlers of a plugin would crash the host after an unload. Throws Error with the linker's own reason, explained.
const stile_plugin& load_library(const std::string& path, const Inspected& inspected);

/// The dynamic linker's message in words that say which file is to blame and what to do; needed is what the plugin
/// names as its libraries.
std::string explain_load_error(std::string_view message, const std::string& path,
                               const std::vector<std::string>& needed);

}  // namespace stile::loader

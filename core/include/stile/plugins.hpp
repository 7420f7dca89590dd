// The plugins of this process, for programs that want a say in them. Most need none of this: a config string finds its
// plugin by itself.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace stile {
inline namespace v1 {

/// Looks for plugins in a directory before all others. It must be absolute, and is used only if nobody but root, this
/// user, or who can replace this program may write to it. Throws Error (invalid). Any thread.
void add_plugin_directory(const std::string& directory);

/// Stops every plugin that no open store uses, so that their threads end; answers the names of those still in use. For
/// programs that want quiet before their end, once their last store is closed: nothing is stopped by itself when a
/// process ends, where no order would be right. A store opened later starts its plugin again. Any thread.
std::vector<std::string> shutdown_plugins();

}  // namespace v1
}  // namespace stile

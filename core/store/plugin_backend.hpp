// A store opened through a plugin: the verb of the core, said through the C ABI.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "config/check.hpp"
#include "loader/loader.hpp"
#include "store/link.hpp"

namespace stile::store {

/// What a plugin says of itself, from its table and its file.
PluginIdentity identity_of(const loader::Plugin& plugin);

/// Opens a store by a config that was checked against the plugin's tables. Throws Error with what open answered.
std::shared_ptr<Backend> open_with_plugin(const loader::Plugin& plugin, const config::Checked& config,
                                          const std::string& program, Deadline deadline);

}  // namespace stile::store

// From a config string to an opened store: loads the plugin, checks the options, opens, stacks the layers.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "store/link.hpp"

namespace stile::store {

struct OpenOptions {
  std::string plugin_file;             ///< load this one file first; empty = search
  std::optional<std::string> ns;       ///< replaces the namespace of the config string
  std::optional<std::string> prepare;  ///< replaces prepare= of the config string
  std::string prepare_unsaid;     ///< what prepare= is where the config string says none; empty = the plugin's usual
  std::string program = "stile";  ///< named to servers and in hints
  bool compose = true;            ///< false = as the plugin gives it: the suite judges stores, not the core
  Deadline deadline = Deadline::max();
};

/// Opens the store that a config string names ("-" means $STILE_STORE, "@file.json" a JSON file). Throws Error: invalid
/// for a config string that is refused, else what the plugin answered. The backend composes what the store does not
/// couple, and has the layers that stand before the scheme.
std::shared_ptr<Backend> open_backend(std::string_view config, const OpenOptions& options = {});

}  // namespace stile::store

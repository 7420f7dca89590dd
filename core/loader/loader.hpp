// Plugins of this process: found, loaded once, started once, kept for ever.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "loader/inspect.hpp"
#include "loader/search.hpp"
#include "stile/abi.h"
#include "types/process_mark.hpp"

namespace stile::loader {

/// A loaded plugin. Lives until the process ends.
struct Plugin {
  std::string path;
  Inspected file;
  const stile_plugin* table = nullptr;

  const std::string& name() const { return file.note->name; }
  /// "plugin memory (/usr/lib/...)", for errors.
  std::string who() const;
};

/// Every plugin file this process can see, without loading any.
Discovery discover();

/// The plugin for a scheme, found as DESIGN says and loaded if it was not; name picks one of several, empty = any.
/// Throws Error (invalid) that says every place tried. Any thread.
const Plugin& plugin_for(std::string_view scheme, std::string_view name = {});

/// The plugin in one file, whatever lies elsewhere. A relative path starts at the working directory: naming a file is
/// the caller's decision. Throws Error.
const Plugin& plugin_in(const std::string& file);

/// A directory to look into before all others; absolute.
void add_directory(const std::string& directory);

/// The right to use a started plugin: while one lives, it is not stopped.
class Running {
 public:
  virtual ~Running() = default;
  stile_instance* instance() const { return instance_; }
  const Plugin& plugin() const { return *plugin_; }

 protected:
  stile_instance* instance_ = nullptr;
  const Plugin* plugin_ = nullptr;
};

/// Starts a plugin, the first time; program is what it is told this program is called. Throws Error with what start
/// answered. Any thread.
std::shared_ptr<const Running> run(const Plugin& plugin, const std::string& program);

/// Stops every plugin that no open store uses, so that its threads end; the names of those still in use come back. A
/// program that wants quiet before its end calls it after its last store is closed; nothing is stopped at exit by
/// itself, where no order could be right. A store opened later starts its plugin again.
std::vector<std::string> shutdown();

}  // namespace stile::loader

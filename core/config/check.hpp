// From a config string's parts to what a plugin is given: options checked against its tables, defaults filled in.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "stile/abi.h"
#include "stile/config.hpp"

namespace stile::config {

/// An option table, as a plugin or a layer has it.
using OptionTable = std::span<const stile_option* const>;

/// What a config string is checked against.
struct Rules {
  std::string plugin;  ///< its name, for errors
  OptionTable options;
  bool namespace_required = false;
  bool passthrough = false;
  bool prepare_check = false;     ///< prepare=check is the default
  std::string program = "stile";  ///< the namespace that an error suggests
};

/// A config that passed, and the ABI's view of it. The view points into this object.
class Checked {
 public:
  Checked(const Checked&) = delete;
  Checked& operator=(const Checked&) = delete;

  const stile_config& view() const { return view_; }
  const std::string& redacted() const { return redacted_; }
  /// What is allowed but should be said once: deprecated options.
  const std::vector<std::string>& warnings() const { return warnings_; }

  /// Checks; throws Error (invalid) that names the option, what it may be, and the nearest known one.
  static std::unique_ptr<const Checked> check(const Config& config, const Rules& rules);

 private:
  struct Pair {
    std::string key, value;
  };
  explicit Checked(const Config& config) : config_(config) {}
  void fill(const Rules& rules);
  void build();

  Config config_;
  std::vector<Pair> options_, passthrough_;
  std::vector<stile_pair> hosts_view_, options_view_, passthrough_view_;
  stile_config view_{};
  std::string redacted_;
  std::vector<std::string> warnings_;
};

/// A value of an option as the plugin gets it: "200ms" as 200000, "16MiB" as 16777216; throws Error (invalid).
std::string checked_value(const stile_option& option, const std::string& value);

/// The names in a table that may not be shown.
std::vector<std::string> secret_names(OptionTable options);

}  // namespace stile::config

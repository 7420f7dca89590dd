// The first look at a store: does it open, who is it, what does it answer at all.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "runner/child.hpp"
#include "target.hpp"

namespace stile::conformance {

/// What the look found, or why the store cannot be judged.
struct Look {
  std::optional<Facts> facts;
  std::string error;
  std::optional<Status> status;  ///< what it answered instead; invalid: the config string, the plugin file
};

/// A store that has everything, a driver too: all checks there are stand for it, where they are only to be named.
Target store_with_all();

/// Opens the store in a child and asks each operation once.
Look look_at(const Target& target);

}  // namespace stile::conformance

// Trying a plugin file where it can do no harm: in a child process.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/object.hpp>
#include <string>

#include "loader/inspect.hpp"
#include "stile/types.hpp"

namespace stile::loader {

/// What came of loading a file and asking it for its table.
struct Probed {
  Inspected inspected;
  bool good = false;
  std::string reason;  ///< why not: what the file says of itself, what the linker said, how the child died
  std::string sha256;  ///< of the file; empty when it cannot be read
  /// What its table says, when good: license, help, flags and capabilities as texts, options as objects.
  boost::json::object table;
};

/// Looks at a file, then loads it in a child, which code that aborts, exits or hangs takes with it. Asked again for the
/// same content in the same place it answers from memory. The child is a fork, and ends with the thread that called:
/// call it before threads are started, or expect it to be slow to give up on a lock that one held. Any thread, one at a
/// time.
Probed probe(const std::string& path, Duration limit = 10s);

}  // namespace stile::loader

// A wall clock that can be wrong: this program's own, for everything in the process that asks the C library.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "stile/types.hpp"

namespace stile::conformance::faults {

/// Moves it against the machine's for as long as this lives; forked children begin with it moved. One at a time.
class MovedClock {
 public:
  explicit MovedClock(Duration by);
  ~MovedClock();
  MovedClock(const MovedClock&) = delete;
  MovedClock& operator=(const MovedClock&) = delete;

  /// Whether the C++ library is told the moved time: what it asks is what plugins ask.
  bool seen() const;

 private:
  Duration by_;
};

}  // namespace stile::conformance::faults

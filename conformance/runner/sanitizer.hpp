// What a sanitizer says in the midst of all that a child writes.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace stile::conformance {

/// Listens to what a process writes, piece by piece, and keeps the first report of a sanitizer in it: of
/// -fsanitize=address, leak, thread, memory, undefined, and of Valgrind's memcheck.
class SanitizerReport {
 public:
  void hear(std::string_view piece);
  /// From the line that begins it, as far as it is kept; empty = nothing was reported.
  const std::string& text() const { return report_; }

 private:
  std::string line_;  // not ended yet, as far as a report could begin in it
  std::string report_;
};

}  // namespace stile::conformance

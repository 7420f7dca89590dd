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

/// How a process ended that a sanitizer ended with this exit status, or else nothing. Without a report, for that may
/// have gone to a file, by its last words or by the status that only the thread sanitizer has.
std::string ended_by_sanitizer(int status, std::string_view report, std::string_view noise);

}  // namespace stile::conformance

// Level 4: the store's server killed, frozen, filled, demoted and restarted, by a driver of the store's owner.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <string>

#include "stile/types.hpp"

namespace stile::conformance {

/// Suite `Servers`. Its checks need Target::driver.
void add_server_checks();

namespace servers {

/// What a whole run needs that has a driver: whatever a driver starts and loses ends with the run, and, where the
/// command line names no store, a server for the other levels. One at a time, on the main thread.
class ForRun {
 public:
  /// start: a server is wanted; waits until it is there, or until stop answers anything but 0. slowness: how many times
  /// longer than on a machine that is not busy that may take. Throws std::runtime_error with the reason.
  ForRun(const std::string& driver, const std::string& folder, bool start, int slowness, int (*stop)());
  ~ForRun();
  ForRun(const ForRun&) = delete;
  ForRun& operator=(const ForRun&) = delete;
  /// How callers reach the server; empty where none was wanted.
  const std::string& config() const { return config_; }

 private:
  void hear(int said, Duration patience, int (*stop)());

  pid_t pid_ = 0;
  int hold_ = -1;  // closed, the process that holds the server ends
  std::string config_;
};

/// Ends what checks left running. The runner's, while none of them runs.
void sweep();

}  // namespace servers
}  // namespace stile::conformance

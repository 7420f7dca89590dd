// A caller that sends one operation and is killed before it can say what was answered.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <string>

#include "target.hpp"

namespace stile::conformance::faults {

/// Forked while this process is single-threaded and has opened nothing; waits for its one request.
class Courier {
 public:
  Courier(const Target& target, const std::string& ns);
  ~Courier();
  Courier(const Courier&) = delete;
  Courier& operator=(const Courier&) = delete;
  Courier(Courier&& from) noexcept;
  Courier& operator=(Courier&&) = delete;

  /// Lets it open the store, send and be killed by SIGKILL. False where it died in another way, or never had an answer.
  bool carry(const json::object& request);

 private:
  pid_t pid_ = -1;
  int request_fd_ = -1, done_fd_ = -1;
};

}  // namespace stile::conformance::faults

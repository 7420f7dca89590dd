// Tells a process from the one that forked it: handles of a plugin are dead in a child, and so is what was drawn
// ahead of time.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>

namespace stile::types {

/// Made in one process, false in every other one. Looking costs one load: the word it looks at stands in a page that
/// the kernel empties in a child; where it cannot, the process id is asked for.
class ProcessMark {
 public:
  ProcessMark();

  bool here() const noexcept {
    return word_->load(std::memory_order_relaxed) == value_ && (emptied_ || getpid() == process_);
  }
  /// The process it was made in.
  pid_t process() const noexcept { return process_; }

 private:
  std::atomic<std::uint64_t>* word_;
  std::uint64_t value_;
  pid_t process_;
  bool emptied_;
};

}  // namespace stile::types

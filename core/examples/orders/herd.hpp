// The worker processes: started, killed, replaced, counted.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <random>
#include <string>
#include <vector>

#include "fulfil.hpp"

namespace orders {

/// A page of this folder that the conductor and its workers share.
Board& shared_board(const std::string& folder);
/// Whether a run had this folder: its board lies there.
bool used(const std::string& folder);

class Herd {
 public:
  /// arguments: of a worker process; its program is this one.
  Herd(std::vector<std::string> arguments, unsigned size);
  /// Kills what still runs.
  ~Herd();

  /// Kills one worker with SIGKILL and starts another in its place.
  void kill_one(std::minstd_rand& random);
  /// Replaces workers that ended by themselves; throws when that happens again and again.
  void look();
  /// SIGTERM to all, then waits; kills what does not end within a second.
  void stop();

  unsigned size() const { return static_cast<unsigned>(workers_.size()); }
  unsigned killed() const { return killed_; }

 private:
  pid_t start_one();

  std::vector<std::string> arguments_;
  std::vector<pid_t> workers_;
  unsigned killed_ = 0, ended_ = 0;
};

}  // namespace orders

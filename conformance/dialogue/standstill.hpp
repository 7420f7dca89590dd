// How long the machine that judges stood still: a length of real time is judged less that.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "stile/types.hpp"

namespace stile::conformance {

/// A thread that wants to run every few milliseconds: where it could not, others could not either. It sees a process
/// that was frozen and a machine with too much to do; not one thread that was kept from running while others ran.
class Standstill {
 public:
  using Time = std::chrono::steady_clock::time_point;

  Standstill();
  ~Standstill();

  /// For how long of the time between the two nothing ran.
  Duration between(Time from, Time to);

 private:
  struct Gap {
    Time from, to;
  };
  void watch();

  std::mutex guard_;
  std::condition_variable over_;
  bool ends_ = false;
  Time beat_;
  std::vector<Gap> gaps_;
  std::thread thread_;
};

}  // namespace stile::conformance

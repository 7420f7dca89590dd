// Which children run when: up to so many at once, in the order in which their results will be asked for.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>

#include "runner/child.hpp"
#include "runner/results.hpp"

namespace stile::conformance {

/// Runs checks in children. Single-threaded: everything happens inside take.
class Schedule {
 public:
  /// timeout_multiplier: how much more than its limit each check may take.
  /// in_process: no children; each is judged here when its result is asked for.
  Schedule(const Target& target, int jobs, int timeout_multiplier, bool in_process = false)
      : target_(target), jobs_(jobs), timeout_multiplier_(timeout_multiplier), in_process_(in_process) {}

  /// What will be asked for, in order, so that it can be begun ahead.
  void plan(std::deque<const Check*> checks) { waiting_ = std::move(checks); }
  /// The result of a check; runs others beside it.
  Result take(const Check& check);
  /// Who hears of it.
  struct Listener {
    std::function<void(const Check&, Duration)> ended = [](const Check&, Duration) {};
    std::function<void()> tick = [] {};  ///< every few milliseconds while children run
  };
  void listen(Listener listener) { listener_ = std::move(listener); }
  /// Ends every child: the run is given up.
  void stop();

 private:
  void begin(const Check& check);
  Result judge_here(const Check& check) const;
  bool may_begin(const Check& check) const;
  void fill();
  void watch();
  Duration limit_of(const Check& check) const {
    // One that was given time may need as much again to make a failure short.
    Duration more = check.random ? 3 * target_.time : Duration{0};
    return (check.limit + more) * timeout_multiplier_;
  }

  const Target& target_;
  int jobs_;
  int timeout_multiplier_;
  bool in_process_;
  Listener listener_;
  std::deque<const Check*> waiting_;
  std::map<const Check*, std::unique_ptr<Child>> running_;
  std::map<const Check*, Result> done_;
};

/// What a child that judges a check does; also what comes of an exception that leaves it.
std::string judge(const Check& check, const Target& target);

/// The verdict on a check from how its child ended, which had so much time.
Result result_of(const Check& check, const Ended& ended, Duration limit);

/// Set by SIGINT, SIGTERM and SIGHUP once watch_signals was called: 0, or the signal.
int interrupted_by();
void watch_signals();

}  // namespace stile::conformance

// How long the rest of a run will take, and what each random check may take of it.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "check.hpp"

namespace stile::conformance {

/// What one random check gets of the time that all of them together may take, so many of them at once. Of 0, which
/// stands for no bound, each gets 0.
Duration share_of(Duration budget, const std::deque<const Check*>& checks, int jobs);

/// Told of what is planned and of what ended; a check that is still to come is taken to last as long as those of its
/// suite did, else as much of its limit as all did, and never longer than that.
class Estimate {
 public:
  explicit Estimate(int jobs) : jobs_(jobs) {}

  /// `time`: what each random check was given; 0 = nothing was said.
  void plan(const std::deque<const Check*>& checks, Duration time);
  void ended(const Check& check, Duration took);

  std::size_t done() const { return done_; }
  /// Of the rest, after the run went on for so long. Nothing while too little has ended to say.
  std::optional<Duration> left(Duration elapsed) const;

 private:
  struct Sum {
    Duration took{0}, limit{0};
    std::int64_t count = 0;
    Duration mean() const { return count == 0 ? Duration{0} : took / count; }
  };
  Duration expected(const Check& check) const;

  int jobs_;
  Duration time_{0};
  std::size_t done_ = 0;
  std::set<const Check*> pending_;
  std::map<std::string, Sum> suites_;
  Sum all_;
};

/// "4 s", "2 min", "1 h 10 min": as exactly as an estimate may be said.
std::string roughly(Duration length);

}  // namespace stile::conformance

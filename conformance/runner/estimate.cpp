// How long the rest of a run will take.
//
// SPDX-License-Identifier: Apache-2.0
#include "runner/estimate.hpp"

#include <algorithm>

namespace stile::conformance {

Duration share_of(Duration budget, const std::deque<const Check*>& checks, int jobs) {
  std::int64_t alone = 0, beside = 0;
  for (const Check* check : checks)
    if (check->random) ++(check->alone ? alone : beside);
  std::int64_t turns = alone + (beside + jobs - 1) / std::max(1, jobs);
  return turns == 0 || budget.count() == 0 ? Duration{0} : std::max(Duration{1}, budget / turns);
}

void Estimate::plan(const std::deque<const Check*>& checks, Duration time) {
  pending_.insert(checks.begin(), checks.end());
  time_ = time;
}

void Estimate::ended(const Check& check, Duration took) {
  if (pending_.erase(&check) == 0) return;
  ++done_;
  for (Sum* sum : {&suites_[check.suite], &all_}) {
    sum->took += took;
    sum->limit += check.limit;
    ++sum->count;
  }
}

Duration Estimate::expected(const Check& check) const {
  if (check.random && time_.count() != 0) return time_;
  auto suite = suites_.find(check.suite);
  if (suite != suites_.end()) return std::min(suite->second.mean(), check.limit);
  double part =
      static_cast<double>(all_.took.count()) / static_cast<double>(std::max<std::int64_t>(1, all_.limit.count()));
  return Duration{static_cast<std::int64_t>(std::min(1.0, part) * static_cast<double>(check.limit.count()))};
}

std::optional<Duration> Estimate::left(Duration elapsed) const {
  constexpr std::size_t enough = 5;
  if (done_ < enough || all_.took.count() <= 0) return std::nullopt;
  double work = 0, longest = 0;
  for (const Check* check : pending_) {
    double length = static_cast<double>(expected(*check).count());
    longest = std::max(longest, length);
    // What runs alone takes its whole time from everybody.
    work += check->alone ? length : length / jobs_;
  }
  // What was asked of so many children at once went as fast as the machine let it: so will the rest.
  double pace = static_cast<double>(elapsed.count()) * jobs_ / static_cast<double>(all_.took.count());
  pace = std::clamp(pace, 0.5, 4.0);
  return Duration{static_cast<std::int64_t>(std::max(work * pace, longest))};
}

std::string roughly(Duration length) {
  std::int64_t seconds = (length.count() + 999'999) / 1'000'000;
  if (seconds <= 10) return std::to_string(seconds) + " s";
  if (seconds < 100) return std::to_string((seconds + 4) / 5 * 5) + " s";
  std::int64_t minutes = (seconds + 30) / 60;
  if (minutes < 60) return std::to_string(minutes) + " min";
  return std::to_string(minutes / 60) + " h " + std::to_string(minutes % 60) + " min";
}

}  // namespace stile::conformance

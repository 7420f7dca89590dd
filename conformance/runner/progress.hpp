// What a run says while it goes on: the first failures as they come, and on a terminal how far it is.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <string>

#include "runner/estimate.hpp"
#include "runner/results.hpp"
#include "runner/schedule.hpp"

namespace stile::conformance {

/// Plans the children once GoogleTest has chosen what it will run, and says how far the run is.
class Progress : public testing::EmptyTestEventListener {
 public:
  /// `planned` is told what will run before anything does.
  using Planned = std::function<void(const std::deque<const Check*>&)>;
  Progress(Schedule& schedule, Run& run, int jobs, Planned planned);

  void OnTestIterationStart(const testing::UnitTest& unit, int) override;
  void show(const Result& result);
  void clear();

 private:
  void draw();
  void tell(const std::string& text);
  std::string line() const;

  Schedule& schedule_;
  Run& run_;
  Planned told_;
  Estimate estimate_;
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now(), drawn_ = begun_;
  bool terminal_;
  bool shown_ = false;
  std::size_t broken_ = 0;  ///< that were told
  std::size_t planned_ = 0, of_level_ = 0;
  std::string last_;
};

}  // namespace stile::conformance

// The thread that notices that it was not run.
//
// SPDX-License-Identifier: Apache-2.0
#include "dialogue/standstill.hpp"

#include <algorithm>

namespace stile::conformance {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds pause{2};
/// A timer comes so much late on an idle machine too.
constexpr std::chrono::milliseconds usual{2};

}  // namespace

Standstill::Standstill() : beat_(Clock::now()), thread_([this] { watch(); }) {}

Standstill::~Standstill() {
  {
    std::lock_guard lock(guard_);
    ends_ = true;
  }
  over_.notify_one();
  thread_.join();
}

void Standstill::watch() {
  std::unique_lock lock(guard_);
  while (!ends_) {
    over_.wait_for(lock, pause);
    Time now = Clock::now();
    if (now - beat_ > pause + usual) gaps_.push_back({beat_ + pause, now});
    beat_ = now;
  }
}

Duration Standstill::between(Time from, Time to) {
  std::lock_guard lock(guard_);
  Clock::duration sum{0};
  auto add = [&](Time begun, Time ended) {
    sum += std::max(Clock::duration{0}, std::min(ended, to) - std::max(begun, from));
  };
  for (const Gap& gap : gaps_) add(gap.from, gap.to);
  // It may lie in a gap right now: whoever asks was run first.
  if (Time now = Clock::now(); now - beat_ > pause + usual) add(beat_ + pause, now);
  return std::chrono::duration_cast<Duration>(sum);
}

}  // namespace stile::conformance

// Every answer that tells the store's time bounds the offset: it was told between the call and its return.
//
// SPDX-License-Identifier: Apache-2.0
#include "judge/clock.hpp"

#include <unordered_map>

namespace stile::conformance::judge {
namespace {

class Samples {
 public:
  /// The store's clock showed `told` at some time between.
  void during(const Event& event, Time told) {
    least_ = std::max(least_, told - event.returned);
    most_ = std::min(most_, told - event.invoke);
    ++count_;
  }
  /// It showed at least `told` by the return (A12 lets a stamp lag, never lead).
  void by(const Event& event, Time told) { least_ = std::max(least_, told - event.returned); }

  /// A clock that is moved by hand may stand and leap between two samples that agree.
  Calibration result(bool by_hand, Time span) const {
    Calibration found;
    found.samples = count_;
    if (count_ == 0) return found;
    Time slack = resolution + span / 2000;
    found.contradicts = by_hand || least_ - slack > most_ + slack;
    if (found.contradicts) return found;
    found.least = std::min(least_, most_) - slack;
    found.most = std::max(least_, most_) + slack;
    return found;
  }

 private:
  Time least_ = -never, most_ = never;
  std::size_t count_ = 0;
};

}  // namespace

Calibration calibrate(const History& history) {
  std::unordered_map<Text, int> sends;  // a lease that is answered again was granted earlier (A9)
  for (const Event& event : history.events)
    if (event.kind == STILE_OP_ACQUIRE && event.asked.op_id != Text::none) ++sends[event.asked.op_id];
  Samples samples;
  Time first = never, last = -never;
  for (const Event& event : history.events) {
    first = std::min(first, event.invoke);
    if (event.returned < never) last = std::max(last, event.returned);
    if (!event.ok()) continue;
    if (event.kind == STILE_OP_RECEIVE || event.kind == STILE_OP_INFO) samples.during(event, event.told.store_time);
    if (event.kind == STILE_OP_ACQUIRE && (event.asked.op_id == Text::none || sends[event.asked.op_id] == 1))
      samples.during(event, event.told.budget_until - event.asked.budget);
    if (event.told.written_at != 0) samples.by(event, event.told.written_at);
  }
  bool by_hand = false;
  for (const Event& event : history.events) by_hand = by_hand || event.kind == STILE_OP_ADVANCE;
  return samples.result(by_hand, last > first ? last - first : 0);
}

}  // namespace stile::conformance::judge

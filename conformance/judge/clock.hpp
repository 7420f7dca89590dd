// The store's clock against the recorder's: an offset known to an interval, found from answers that tell the time.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "judge/history.hpp"
#include "judge/time.hpp"

namespace stile::conformance::judge {

/// store time = monotonic time + offset, the offset somewhere in [least, most].
struct Calibration {
  Time least = -never, most = never;
  std::size_t samples = 0;   ///< answers that tell the store's time
  bool contradicts = false;  ///< no one offset fits: a clock that is moved by hand, or was stepped

  bool known() const { return least > -never && most < never; }
  Time width() const { return known() ? most - least : never; }
  /// The store's time while something happened between two instants of the recorder.
  Moment between(Time invoke, Time end) const {
    return {known() ? plus(invoke, least) : -never, known() && end < never ? plus(end, most) : never};
  }
};

/// Where the samples contradict each other nothing is known of the offset, and only what the store itself tells of time
/// is judged. The interval allows for a clock that is slewed (500 parts in a million) and for its resolution.
Calibration calibrate(const History& history);

}  // namespace stile::conformance::judge

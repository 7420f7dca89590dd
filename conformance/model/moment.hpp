// Time as the model knows it: exact where the clock stands still or the store told it, else within the bracket of a
// call.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace stile::conformance::model {

/// Microseconds: a length, or a Unix instant by the store's clock.
using Time = std::int64_t;

/// The last microsecond of the year 9999 (W8).
inline constexpr Time end_of_time = 253402300799999999;
/// How long a husk, a cancelled receipt and the memory of an erased document are kept (C2, K3).
inline constexpr Time memory_span = Time{600} * 1000 * 1000;

/// An instant the contract fixes: at, or at most slack away from it.
struct Moment {
  Time at = 0;
  Time slack = 0;
};

inline Moment operator+(Moment from, Time length) { return {from.at + length, from.slack}; }
inline Moment later_of(Moment a, Moment b) { return a.at >= b.at ? a : b; }
inline Moment earlier_of(Moment a, Moment b) { return a.at <= b.at ? a : b; }

/// True when an instant that a store gave can be this moment.
inline bool can_be(Moment moment, Time given) {
  return given >= moment.at - moment.slack && given <= moment.at + moment.slack;
}

/// When an operation took effect. Without a manual clock only a bracket is known: what the store wrote down lies within
/// stamp, and the harness asks again with another `at` where something ends inside the bracket.
struct Now {
  Time at = 0;   ///< what the model decides by: live or lapsed, due or not
  Moment stamp;  ///< what the store may have written down

  /// An end belongs to the time after it: at live_until a lease has lapsed, at its due time a wakeup can be delivered.
  bool reached(Moment moment) const { return at >= moment.at; }
  static Now exactly(Time at) { return {at, {at, 0}}; }
};

}  // namespace stile::conformance::model

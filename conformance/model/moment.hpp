// Time as the model knows it: exact where the clock stands still or the store told it, else within the bracket of a
// call.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

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

  Time earliest() const { return at - slack; }
  Time latest() const { return at + slack; }
  bool operator==(const Moment&) const = default;
};

/// Somewhere between the two; at most a microsecond wider, since the middle is a whole number.
inline Moment between(Time earliest, Time latest) {
  return {earliest + (latest - earliest) / 2, (latest - earliest + 1) / 2};
}

inline Moment operator+(Moment from, Time length) { return {from.at + length, from.slack}; }
inline Moment later_of(Moment a, Moment b) {
  return between(std::max(a.earliest(), b.earliest()), std::max(a.latest(), b.latest()));
}
inline Moment earlier_of(Moment a, Moment b) {
  return between(std::min(a.earliest(), b.earliest()), std::min(a.latest(), b.latest()));
}

/// True when an instant that a store gave can be this moment.
inline bool can_be(Moment moment, Time given) { return given >= moment.earliest() && given <= moment.latest(); }

/// By a real clock a call took effect somewhere in a bracket, and what ends there had ended by then, or had not. Every
/// way is tried, one after the other; each question narrows the bracket for those after it, so that no way contradicts
/// itself.
class Choices {
 public:
  Choices(Time from, Time to) : from_(from), to_(to), earliest_(from), latest_(to) {}

  /// Whether the moment had come when the call took effect, in the way that is being tried.
  bool reached(Moment moment) {
    if (earliest_ >= moment.latest()) return true;
    if (latest_ < moment.earliest()) return false;
    for (const auto& [each, yes] : answered_) {
      if (each == moment) return yes;
    }
    if (asked_ == way_.size()) way_.push_back(false);
    bool yes = way_[asked_++];
    answered_.emplace_back(moment, yes);
    if (yes) {
      earliest_ = std::max(earliest_, moment.earliest());
    } else {
      latest_ = std::min(latest_, moment.latest() - 1);
    }
    return yes;
  }

  /// Goes on to another way; false when all were tried.
  bool next() {
    while (!way_.empty() && way_.back()) way_.pop_back();
    if (way_.empty()) return false;
    way_.back() = true;
    earliest_ = from_;
    latest_ = to_;
    asked_ = 0;
    answered_.clear();
    return true;
  }

  /// Whether there was anything to choose.
  bool any() const { return !way_.empty(); }

 private:
  Time from_, to_;
  Time earliest_, latest_;
  std::vector<bool> way_;
  std::size_t asked_ = 0;
  std::vector<std::pair<Moment, bool>> answered_;
};

/// When an operation took effect. By a real clock only a bracket is known.
struct Now {
  Time at = 0;                 ///< somewhere inside the bracket
  Moment stamp;                ///< what the store may have written down
  Choices* choices = nullptr;  ///< where it is not known exactly

  /// An end belongs to the time after it: at live_until a lease has lapsed, at its due time a wakeup can be delivered.
  bool reached(Moment moment) const { return choices ? choices->reached(moment) : at >= moment.at; }
  static Now exactly(Time at) { return {at, {at, 0}, nullptr}; }
};

}  // namespace stile::conformance::model

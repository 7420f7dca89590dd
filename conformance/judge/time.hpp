// Time as the judge knows it: instants between two bounds, and the bracket in which an operation took effect.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "judge/event.hpp"

namespace stile::conformance::judge {

/// A store may count in milliseconds (W7): an instant it tells may lie so much before the real one.
inline constexpr Time resolution = 1000;

/// An instant of the store's clock, somewhere between the two.
struct Moment {
  Time earliest = -never, latest = -never;
  static constexpr Moment at(Time instant) { return {instant, instant}; }
  static constexpr Moment any() { return {-never, never}; }
  bool can_be(Time told) const { return told >= earliest - resolution && told <= latest + resolution; }
  bool operator==(const Moment&) const = default;
};

/// A sum that stays between the two nevers.
constexpr Time plus(Time instant, Time length) {
  if (instant <= -never || instant >= never) return instant;
  return std::clamp<Time>(instant + length, -never, never);
}
constexpr Moment operator+(Moment from, Time length) {
  return {plus(from.earliest, length), plus(from.latest, length)};
}
constexpr Moment later_of(Moment a, Moment b) {
  return {std::max(a.earliest, b.earliest), std::max(a.latest, b.latest)};
}
constexpr Moment earlier_of(Moment a, Moment b) {
  return {std::min(a.earliest, b.earliest), std::min(a.latest, b.latest)};
}

/// When an operation took effect by the store's clock, as far as is known. Every demand narrows it; one that cannot be
/// met answers false. An end belongs to the time after it: at its end a lease has lapsed.
class Window {
 public:
  Window(Time from, Time to) : from_(from), to_(to) {}

  bool possible() const { return from_ <= to_; }
  Time from() const { return from_; }
  Time to() const { return to_; }
  /// What exactly() was told; -never where it was not.
  Time told() const { return told_; }

  /// The moment had not come: a lease is live, a document not expired.
  bool not_yet(Moment end) {
    if (from_ >= end.latest) return false;
    to_ = std::min(to_, end.latest - 1);
    return true;
  }
  /// It had come: a lease has lapsed, a wakeup is due.
  bool has_come(Moment end) {
    if (to_ < end.earliest) return false;
    from_ = std::max(from_, end.earliest);
    return true;
  }
  bool surely_come(Moment end) const { return from_ >= end.latest; }
  bool surely_not_yet(Moment end) const { return to_ < end.earliest; }
  /// The store told when it was.
  bool exactly(Time told) {
    if (told > to_ + resolution || told < from_ - resolution) return false;
    told_ = told;
    from_ = std::max(from_, std::min(told, to_));
    to_ = std::max(from_, std::min(to_, told));
    return true;
  }

 private:
  Time from_, to_;
  Time told_ = -never;
};

}  // namespace stile::conformance::judge

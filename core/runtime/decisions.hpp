// What to do next, decided from plain values: retries, dead letters, pauses, when a lease counts as lost.
//
// No clock, thread or store is touched here.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "stile/run.hpp"
#include "stile/types.hpp"

namespace stile::runtime {

/// Waits up to this long keep the pass; longer ones end it.
inline constexpr Duration short_wait{1'000'000};

/// A failed attempt of a step: try again after a pause, or record the failure when there is none.
/// chance: 0 to 1, where in the jitter's range the pause falls (half the pause to all of it).
std::optional<Duration> next_attempt(const Retry& retry, int attempt, bool permanent, double chance);

/// The pause before a delivery is tried again that the store's trouble ended, growing with the deliveries.
Duration pause_after_trouble(std::uint32_t delivery_count, double chance);
/// The same for a workflow that this worker's code cannot go on with.
Duration pause_when_stuck(std::uint32_t delivery_count, double chance);

/// How the last error of a stuck workflow begins: deliveries of such a one spend no retries.
inline constexpr std::string_view stuck_prefix = "stuck: ";

/// True when a delivery should be put aside instead of run: it was handed out too often without an answer.
/// answered_failures: deliveries that ended because a step's next attempt waits for a later one.
bool is_poison(std::uint32_t delivery_count, unsigned answered_failures, std::string_view last_error, int most);

/// Whether a pass may still believe in its lease, by this host's monotonic clock alone.
///
/// A renewal counts from before it was sent, so this end is never later than the store's.
class Liveness {
 public:
  Liveness(Deadline sent, Duration lease) : lease_(lease), live_until_(sent + lease), next_beat_(sent + lease / 3) {}

  bool lost(Deadline now) const { return now >= live_until_; }
  Deadline live_until() const { return live_until_; }
  /// When the next renewal is due.
  Deadline next_beat() const { return next_beat_; }

  void confirmed(Deadline sent) {
    if (sent + lease_ > live_until_) live_until_ = sent + lease_;
    next_beat_ = sent + lease_ / 3;
  }
  /// A renewal without an answer: try again soon, while there is time.
  void unanswered(Deadline now) { next_beat_ = now + lease_ / 12; }

 private:
  Duration lease_;
  Deadline live_until_, next_beat_;
};

/// The store's time now: at least what it last said, plus what has passed here since. Never ahead of the store, as long
/// as `heard` is when the answer was in hand.
class StoreClock {
 public:
  /// manual: the store's clock stands still but for `advance`, so nothing passes here.
  explicit StoreClock(bool manual) : manual_(manual) {}

  void hear(StoreTime said, Deadline heard) {
    if (said > now(heard)) said_ = said, heard_ = heard;
  }
  StoreTime now(Deadline now) const {
    if (manual_ || now <= heard_) return said_;
    return said_ + std::chrono::duration_cast<Duration>(now - heard_);
  }
  bool manual() const { return manual_; }

 private:
  bool manual_;
  StoreTime said_{};
  Deadline heard_ = Deadline::max();  // nothing heard yet: nothing passes
};

}  // namespace stile::runtime

// When to send again, how long to pause, when to connect again: decisions without threads or clocks.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "stile/types.hpp"

namespace stile::store {

/// Pauses that double from first to most, each multiplied by a number drawn from [0.5, 1): many callers that failed
/// together do not come back together.
struct Backoff {
  Duration first{2'000};
  Duration most{1'000'000};

  /// The pause before send number sends + 1; chance in [0, 1). Never shorter than the store's hint.
  Duration pause(int sends, double chance, Duration hint = Duration{0}) const;
};

/// A number in [0, 1), per thread.
double chance();

/// True when an operation with this answer may and should be sent again (R1): a lease that was forced and a clock that
/// was advanced are not, since a second time would act once more.
bool worth_sending_again(std::uint32_t kind, bool force, Status status);

/// What one operation of a call has come to, in the caller's order.
struct Sent {
  Status status = Status::ok;
  bool after_ok = false;  ///< chained to the one before it
  bool again = false;     ///< worth_sending_again
};
/// The places to send again, rising. Of a chain, what follows the first that is not ok goes with it as long as it was
/// skipped by it; an operation whose predecessor was ok is sent without its chain to it.
std::vector<std::size_t> plan_resend(std::span<const Sent> sent);

/// The honest status at the end of a call (R2): a send that was lost is not forgotten because a later one never left.
Status settle(Status last, bool doubt);

/// When a lane may connect. A dropped session is replaced at once; what fails again and again is tried ever more
/// rarely, and callers are told meanwhile.
class Reconnect {
 public:
  explicit Reconnect(Backoff backoff = {Duration{10'000}, Duration{1'000'000}}) : backoff_(backoff) {}

  /// Nothing, or how long nobody may connect.
  std::optional<Duration> closed_for(Deadline now) const;
  void connect_failed(Deadline now, double chance);
  void dropped(Deadline now, double chance);
  /// An execute came back with its session kept.
  void worked() { failures_ = 0; }

 private:
  Backoff backoff_;
  int failures_ = 0;
  Deadline not_before_ = Deadline::min();
};

}  // namespace stile::store

// One pass as its worker's heartbeat sees it: its lease, and how to tell it to stop.
//
// Shared by the thread that runs the pass and the one that keeps it alive.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>

#include "runtime/decisions.hpp"
#include "stile/types.hpp"

namespace stile::runtime {

class Life {
 public:
  struct Id {
    Bytes workflow;
    Bytes receipt;  ///< empty for a pass without a delivery
    Fence fence;
  };
  Life(Id id, Liveness liveness, bool cancel_requested)
      : id_(std::move(id)), liveness_(liveness), cancel_requested_(cancel_requested) {}

  const Bytes& workflow() const { return id_.workflow; }
  const Bytes& receipt() const { return id_.receipt; }
  const Fence& fence() const { return id_.fence; }

  /// The lease is gone: superseded, cancelled, or silent for too long. Never comes back.
  bool lost(Deadline now) const;
  Deadline live_until() const;
  bool cancel_requested() const;
  /// Fires when the pass is lost, or told to stop.
  std::stop_token stop_token() const { return stop_.get_token(); }

  /// Tells the pass to stop: it may not write any more (lost), or should not go on.
  void stop(bool lost);
  /// A renewal was confirmed that was sent then.
  void confirmed(Deadline sent, bool cancel_requested);
  void unanswered(Deadline now);

  /// The attempt of a step that runs now, and when to tell it that its time is over.
  struct Running {
    std::string name;
    std::stop_source stop;
    std::optional<Deadline> until;
    Deadline began{};
    bool warned = false;
  };
  void begin(Running attempt);
  void end();

  /// What the keeper has to do: tells attempts whose time is over, ends what went silent; says when to look again.
  struct Chores {
    bool beat = false;                  ///< a renewal is due
    std::string slow;                   ///< a step to warn of, once
    std::optional<Deadline> next_look;  ///< none: nothing will be due
  };
  Chores chores(Deadline now, Duration step_warning);

 private:
  const Id id_;
  mutable std::mutex mutex_;
  Liveness liveness_;
  bool lost_ = false, cancel_requested_;
  std::stop_source stop_;
  std::optional<Running> running_;
};

}  // namespace stile::runtime

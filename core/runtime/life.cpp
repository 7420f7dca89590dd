// SPDX-License-Identifier: Apache-2.0
#include "runtime/life.hpp"

#include <algorithm>

namespace stile::runtime {

bool Life::lost(Deadline now) const {
  std::lock_guard lock(mutex_);
  return lost_ || liveness_.lost(now);
}

Deadline Life::live_until() const {
  std::lock_guard lock(mutex_);
  return liveness_.live_until();
}

bool Life::cancel_requested() const {
  std::lock_guard lock(mutex_);
  return cancel_requested_;
}

void Life::stop(bool lost) {
  std::optional<std::stop_source> attempt;
  {
    std::lock_guard lock(mutex_);
    lost_ = lost_ || lost;
    if (running_) attempt = running_->stop;
  }
  // Outside the lock: what the host hung on a stop_token runs here.
  if (attempt) attempt->request_stop();
  stop_.request_stop();
}

void Life::confirmed(Deadline sent, bool cancel_requested) {
  std::lock_guard lock(mutex_);
  liveness_.confirmed(sent);
  cancel_requested_ = cancel_requested_ || cancel_requested;
}

void Life::unanswered(Deadline now) {
  std::lock_guard lock(mutex_);
  liveness_.unanswered(now);
}

void Life::begin(Running attempt) {
  std::lock_guard lock(mutex_);
  if (stop_.stop_requested()) attempt.stop.request_stop();
  running_ = std::move(attempt);
}

void Life::end() {
  std::lock_guard lock(mutex_);
  running_.reset();
}

Life::Chores Life::chores(Deadline now, Duration step_warning) {
  Chores chores;
  std::optional<std::stop_source> attempt;
  bool silent = false;
  {
    std::lock_guard lock(mutex_);
    if (lost_) return chores;
    silent = liveness_.lost(now);
    chores.beat = !silent && now >= liveness_.next_beat();
    Deadline next = std::min(liveness_.live_until(), liveness_.next_beat());
    if (running_ && running_->until) {
      if (now >= *running_->until) {
        attempt = running_->stop;
        running_->until.reset();
      } else {
        next = std::min(next, *running_->until);
      }
    }
    if (running_ && !running_->warned) {
      Deadline warn = running_->began + step_warning;
      if (now >= warn) {
        running_->warned = true;
        chores.slow = running_->name;
      } else {
        next = std::min(next, warn);
      }
    }
    chores.next_look = next;
  }
  if (attempt) attempt->request_stop();
  if (silent) {
    stop(true);
    chores.next_look.reset();
  }
  return chores;
}

}  // namespace stile::runtime

// The waiting room of a memory store: receivers that wait for a wakeup, watchers that wait for a record (W4-W6, B14).
//
// Of the receivers that wait for a queue, the first in line keeps its timer (when the next wakeup of that queue is due)
// and is the one that news of the queue wakes; who leaves the line hands both on. So one wakeup wakes one receiver, not
// all of them, and none is missed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <list>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "shard.hpp"

namespace stile::memory {

/// Somebody who waits. Lives on the stack of the waiting call.
struct Waiter {
  std::condition_variable wake;
  bool rung = false;  // look again
};

/// What makes the waiting calls of one session return early. Guarded by the room.
struct Interrupts {
  std::uint64_t up_to = 0;    // the serial of the last call that shall not wait
  Waiter* waiting = nullptr;  // the call that waits now

  bool cover(std::uint64_t serial) const { return serial <= up_to; }
};

struct Receiving : Waiter {
  std::vector<std::string> queues;  // without doubles
};

struct Watching : Waiter {
  std::vector<std::uint64_t> gone;  // indices of what was discarded or trimmed meanwhile
};

class WaitingRoom {
 public:
  using Instant = std::chrono::steady_clock::time_point;

  bool anyone_receives() const { return receivers_.load() != 0; }
  bool anyone_watches() const { return watchers_.load() != 0; }

  /// Tells news of a shard that was just unlocked.
  void tell(const News& news, Time now);
  /// Wakes everybody: a manual clock moved.
  void wake_all();
  /// Calls of that session up to serial wait no longer.
  void interrupt(Interrupts& session, std::uint64_t serial);
  bool interrupted(const Interrupts& session, std::uint64_t serial);

  // A receiver: enter, then look, ask `when` to sleep, look again, ...; leave whatever comes.
  void enter(Receiving& who, Interrupts& session);
  /// To be called before each look: from here on, news of its queues rings it.
  void about_to_look(Receiving& who);
  /// Sleeps until rung, until `until`, or, for queues it is first in line of, until the time given for that queue.
  void sleep(Receiving& who, const std::vector<Instant>& next_due, Instant until, const Interrupts& session,
             std::uint64_t serial);
  void leave(Receiving& who, Interrupts& session);

  // A watcher likewise; `workflows` are its indices.
  void enter(Watching& who, const std::vector<std::string_view>& workflows, Interrupts& session);
  /// Adds to gone what was discarded or trimmed since the last look.
  void about_to_look(Watching& who, std::vector<std::uint64_t>& gone);
  void sleep(Watching& who, Instant until, const Interrupts& session, std::uint64_t serial);
  void leave(Watching& who, const std::vector<std::string_view>& workflows, Interrupts& session);

 private:
  /// Those who wait for one queue.
  struct Line {
    std::list<Receiving*> waiting;
    Instant armed = Instant::max();  // when the first in line looks by itself
  };

  void ring(Waiter& who) {
    who.rung = true;
    who.wake.notify_one();
  }

  std::mutex mutex_;
  std::atomic<int> receivers_{0}, watchers_{0};
  std::map<std::string, Line, std::less<>> lines_;
  std::unordered_multimap<std::string, std::pair<Watching*, std::uint64_t>> watched_;
};

}  // namespace stile::memory

// Calls that wait, for a store in one process: receivers for a wakeup, watchers for a record (W4-W6, B14).
//
// The store tells the room what happened (News) after it let go of its lock. Of the receivers that wait for a queue,
// the first in line keeps its timer (when the next wakeup of that queue is due) and is the one that news of the queue
// wakes; who leaves the line hands both on. So one wakeup wakes one receiver, not all of them (W5), and none is missed.
//
//   bool execute(...) { ... case STILE_OP_RECEIVE: waits_.receive(call, op, look, due); ... }
//   void interrupt(std::uint64_t serial) noexcept { waits_.interrupt(serial); }
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <iterator>
#include <list>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "stile/sdk/author.h"
#include "stile/sdk/clock.hpp"
#include "stile/sdk/engine/context.hpp"

namespace stile::sdk {

/// What happened that somebody may wait for. Kept by the tables, told when the lock is gone.
struct News {
  struct Due {  ///< a wakeup was put into a queue, or moved
    std::string queue;
    engine::Time at;
  };
  struct Changed {
    std::string workflow;
    bool gone;  ///< discarded or trimmed; else it has a new record
  };
  std::vector<Due> due;
  std::vector<Changed> changed;

  bool empty() const { return due.empty() && changed.empty(); }
};

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
  std::vector<std::string> queues;  // in order, without doubles
};

struct Watching : Waiter {
  std::vector<std::uint64_t> gone;  // indices of what was discarded or trimmed meanwhile
};

/// One for all sessions that share a store.
class WaitingRoom {
 public:
  using Instant = std::chrono::steady_clock::time_point;

  bool anyone_receives() const { return receivers_.load() != 0; }
  bool anyone_watches() const { return watchers_.load() != 0; }

  /// Tells news of a store that was just unlocked. Time: the store's.
  void tell(const News& news, engine::Time now) {
    if (news.empty()) return;
    const std::lock_guard lock(mutex_);
    for (const News::Due& due : news.due) tell_due(due, now);
    for (const News::Changed& change : news.changed) {
      const auto [first, last] = watched_.equal_range(change.workflow);
      for (auto at = first; at != last; ++at) {
        auto& [who, index] = at->second;
        if (change.gone) who->gone.push_back(index);
        ring(*who);
      }
    }
  }

  /// Wakes everybody: a manual clock moved.
  void wake_all() {
    const std::lock_guard lock(mutex_);
    for (auto& [queue, line] : lines_)
      for (Receiving* who : line.waiting) ring(*who);
    for (auto& [workflow, watcher] : watched_) ring(*watcher.first);
  }

  /// Calls of that session up to serial wait no longer.
  void interrupt(Interrupts& session, std::uint64_t serial) {
    const std::lock_guard lock(mutex_);
    session.up_to = std::max(session.up_to, serial);
    if (session.waiting != nullptr) ring(*session.waiting);
  }
  bool interrupted(const Interrupts& session, std::uint64_t serial) {
    const std::lock_guard lock(mutex_);
    return session.cover(serial);
  }

  // A receiver: enter, then look, ask `when` to sleep, look again, ...; leave whatever comes.
  void enter(Receiving& who, Interrupts& session) {
    const std::lock_guard lock(mutex_);
    session.waiting = &who;
    for (const std::string& queue : who.queues) lines_[queue].waiting.push_back(&who);
    ++receivers_;
  }

  /// To be called before each look: from here on, news of its queues rings it.
  void about_to_look(Receiving& who) {
    const std::lock_guard lock(mutex_);
    who.rung = false;
    for (const std::string& queue : who.queues) {
      Line& line = lines_[queue];
      if (line.waiting.front() == &who) line.armed = Instant::max();
    }
  }

  /// Sleeps until rung, until `until`, or, for queues it is first in line of, until the time given for that queue.
  void sleep(Receiving& who, const std::vector<Instant>& next_due, Instant until, const Interrupts& session,
             std::uint64_t serial) {
    std::unique_lock lock(mutex_);
    if (who.rung || session.cover(serial)) return;
    for (std::size_t i = 0; i < who.queues.size(); ++i) {
      Line& line = lines_[who.queues[i]];
      if (line.waiting.front() != &who) continue;
      line.armed = next_due[i];
      until = std::min(until, next_due[i]);
    }
    who.wake.wait_until(lock, until, [&] { return who.rung; });
  }

  void leave(Receiving& who, Interrupts& session) {
    const std::lock_guard lock(mutex_);
    session.waiting = nullptr;
    --receivers_;
    for (const std::string& queue : who.queues) {
      const auto line = lines_.find(queue);
      auto& waiting = line->second.waiting;
      const bool was_first = waiting.front() == &who;
      waiting.remove(&who);
      if (waiting.empty()) {
        lines_.erase(line);
        continue;
      }
      if (was_first) line->second.armed = Instant::max();
      // What it was rung for may not be what it took, and its timer needs a keeper.
      if (was_first || who.rung) ring(*waiting.front());
    }
  }

  // A watcher likewise; `workflows` are its indices.
  void enter(Watching& who, const std::vector<std::string_view>& workflows, Interrupts& session) {
    const std::lock_guard lock(mutex_);
    session.waiting = &who;
    for (std::size_t i = 0; i < workflows.size(); ++i)
      watched_.emplace(std::string(workflows[i]), std::pair{&who, std::uint64_t{i}});
    ++watchers_;
  }

  /// Adds to gone what was discarded or trimmed since the last look.
  void about_to_look(Watching& who, std::vector<std::uint64_t>& gone) {
    const std::lock_guard lock(mutex_);
    gone.insert(gone.end(), who.gone.begin(), who.gone.end());
    who.gone.clear();
    who.rung = false;
  }

  void sleep(Watching& who, Instant until, const Interrupts& session, std::uint64_t serial) {
    std::unique_lock lock(mutex_);
    if (who.rung || session.cover(serial)) return;
    who.wake.wait_until(lock, until, [&] { return who.rung; });
  }

  void leave(Watching& who, const std::vector<std::string_view>& workflows, Interrupts& session) {
    const std::lock_guard lock(mutex_);
    session.waiting = nullptr;
    --watchers_;
    for (const std::string_view workflow : workflows) {
      const auto [first, last] = watched_.equal_range(std::string(workflow));
      for (auto at = first; at != last;) at = at->second.first == &who ? watched_.erase(at) : std::next(at);
    }
  }

 private:
  /// Those who wait for one queue.
  struct Line {
    std::list<Receiving*> waiting;
    Instant armed = Instant::max();  // when the first in line looks by itself
  };

  void tell_due(const News::Due& due, engine::Time now) {
    const auto line = lines_.find(due.queue);
    if (line == lines_.end() || line->second.waiting.empty()) return;
    if (due.at <= now) {
      // The first in line that was not rung for another wakeup already.
      auto& waiting = line->second.waiting;
      const auto free = std::find_if(waiting.begin(), waiting.end(), [](const auto* who) { return !who->rung; });
      if (free != waiting.end()) ring(**free);
    } else if (std::chrono::steady_clock::now() + std::chrono::microseconds(due.at - now) < line->second.armed) {
      ring(*line->second.waiting.front());
    }
  }

  void ring(Waiter& who) {
    who.rung = true;
    who.wake.notify_one();
  }

  std::mutex mutex_;
  std::atomic<int> receivers_{0}, watchers_{0};
  std::map<std::string, Line, std::less<>> lines_;
  std::unordered_multimap<std::string, std::pair<Watching*, std::uint64_t>> watched_;
};

namespace waiting_detail {

using Instant = WaitingRoom::Instant;
using std::chrono::microseconds;
using std::chrono::steady_clock;

/// How long a waiting call goes without a look of its own, whatever it is told (W5).
inline constexpr std::chrono::seconds fallback{5};

inline Instant after(engine::Span span) {
  const Instant now = steady_clock::now();
  const auto most = std::chrono::duration_cast<microseconds>(Instant::max() - now).count();
  return span >= most ? Instant::max() : now + microseconds(span);
}

inline Instant deadline_of(const stile_call& call) {
  return call.deadline == STILE_NEVER ? Instant::max() : Instant(microseconds(call.deadline));
}

/// When a waiting call is over: by its own wait, by the call's deadline, or by a manual clock (A14).
class Patience {
 public:
  Patience(const Clock& clock, const stile_call& call, engine::Span wait)
      : clock_(clock), until_(std::min(after(wait), deadline_of(call))) {
    if (clock.manual()) manual_until_ = engine::later(clock.glance(), wait);
  }
  Instant until() const { return std::min(until_, steady_clock::now() + fallback); }
  bool over() const { return steady_clock::now() >= until_ || (clock_.manual() && clock_.glance() >= manual_until_); }

 private:
  const Clock& clock_;
  Instant until_;
  engine::Time manual_until_ = engine::never;
};

/// Leaves the room at the end of the call, also by an exception.
template <class Leave>
class Leaver {
 public:
  explicit Leaver(Leave leave) : leave_(std::move(leave)) {}
  ~Leaver() { leave_(); }
  Leaver(const Leaver&) = delete;
  Leaver& operator=(const Leaver&) = delete;

 private:
  Leave leave_;
};

inline void refuse_interrupted(stile_op& op) {
  engine::refuse(op, STILE_INTERRUPTED, "the host asked this call to return");
}

}  // namespace waiting_detail

/// Answers a watch with the indices of what changed.
inline void answer_changed(stile_op& op, const std::vector<std::uint64_t>& changed) {
  stile_bytes kept{};
  if (!stile_copy(&op, &kept, changed.data(), changed.size() * sizeof(std::uint64_t))) return;
  auto& out = engine::result_of<stile_watch_result>(op);
  out.changed = reinterpret_cast<const std::uint64_t*>(kept.ptr);
  out.n_changed = changed.size();
  engine::accept(op);
}

/// The waiting calls of one session. Everything but interrupt is for the thread that is in execute.
class Waits {
 public:
  Waits(WaitingRoom& room, const Clock& clock) : room_(room), clock_(clock) {}

  void interrupt(std::uint64_t serial) noexcept { room_.interrupt(interrupts_, serial); }

  /// A receive. look(first) does it once under the store's lock, without waiting, and answers it; the lock is let go
  /// and the news are told when it returns. due(queues) gives for each of these queues how long it is until a wakeup
  /// that is not due yet can be delivered, engine::never where there is none.
  template <class Look, class Due>
  void receive(const stile_call& call, stile_op& op, Look&& look, Due&& due) {
    using namespace waiting_detail;
    const auto& asked = engine::request_of<stile_receive_request>(op);
    look(true);
    if (!empty_handed(op) || asked.wait == 0) return;
    Receiving who;
    for (std::uint64_t i = 0; i < asked.n_queues; ++i) who.queues.emplace_back(engine::view(asked.queues[i]));
    std::sort(who.queues.begin(), who.queues.end());
    who.queues.erase(std::unique(who.queues.begin(), who.queues.end()), who.queues.end());
    const Patience patience(clock_, call, asked.wait);
    room_.enter(who, interrupts_);
    const Leaver leaver([&] { room_.leave(who, interrupts_); });
    for (;;) {
      room_.about_to_look(who);
      op.status = STILE_UNSET;
      look(false);
      if (!empty_handed(op)) return;
      std::vector<Instant> timers(who.queues.size(), Instant::max());
      if (!clock_.manual()) {  // one that is moved by hand wakes everybody
        const std::vector<engine::Span> spans = due(who.queues);
        std::transform(spans.begin(), spans.end(), timers.begin(), after);
      }
      if (room_.interrupted(interrupts_, call.serial)) return refuse_interrupted(op);
      if (patience.over()) return;
      room_.sleep(who, timers, patience.until(), interrupts_, call.serial);
    }
  }

  /// A watch. look() does it once (engine::watch) under the store's lock, without waiting.
  template <class Look>
  void watch(const stile_call& call, stile_op& op, Look&& look) {
    using namespace waiting_detail;
    const auto& asked = engine::request_of<stile_watch_request>(op);
    const auto& out = engine::result_of<stile_watch_result>(op);
    look();
    if (op.status != STILE_OK || out.n_changed != 0 || asked.wait == 0) return;
    std::vector<std::string_view> workflows;
    for (std::uint64_t i = 0; i < asked.n_watched; ++i) workflows.push_back(engine::view(asked.watched[i].workflow));
    Watching who;
    const Patience patience(clock_, call, asked.wait);
    room_.enter(who, workflows, interrupts_);
    const Leaver leaver([&] { room_.leave(who, workflows, interrupts_); });
    for (std::vector<std::uint64_t> changed;;) {
      room_.about_to_look(who, changed);
      look();
      if (op.status != STILE_OK) return;
      if (!changed.empty()) {  // and what the look saw
        changed.insert(changed.end(), out.changed, out.changed + out.n_changed);
        std::sort(changed.begin(), changed.end());
        changed.erase(std::unique(changed.begin(), changed.end()), changed.end());
        return answer_changed(op, changed);
      }
      if (out.n_changed != 0) return;
      if (room_.interrupted(interrupts_, call.serial)) return refuse_interrupted(op);
      if (patience.over()) return;
      room_.sleep(who, patience.until(), interrupts_, call.serial);
    }
  }

 private:
  /// A look found nothing, and did not stop short of anything (D9).
  static bool empty_handed(const stile_op& op) {
    const auto& out = *static_cast<const stile_receive_result*>(op.result);
    return op.status == STILE_OK && out.deliveries == nullptr && !out.more;
  }

  WaitingRoom& room_;
  const Clock& clock_;
  Interrupts interrupts_;
};

}  // namespace stile::sdk

// Those who wait: receivers and watches of this process, and the one thread that looks for all of them.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "parking.hpp"
#include "tables.hpp"

namespace stile::sqlite {

class Database;
struct Desk;

/// Somebody who waits. It is told `look` once, and then waits no longer until it is added again.
struct Waiter {
  Parking* parking = nullptr;
  std::int64_t ns = 0;
  std::vector<std::string> queues;  ///< waits for a wakeup in one of these
  std::int64_t stands = 0;          ///< the namespace's clock as it saw it before, where that stands still
  Mask workflows = 0;               ///< or for a record in one of these
  bool waiting = false;             ///< the watcher's, under its lock: it stands in its lists
  bool listed = false;              ///< the waiting thread's: it was added, and has not heard since
};

class Watcher {
 public:
  /// Within this time a waiter looks again, whatever it was told (W5).
  static constexpr std::int64_t fallback = second_us;
  /// The same where other processes cannot ring.
  static constexpr std::int64_t poll = 20'000;

  explicit Watcher(Database& database);
  ~Watcher();

  void add(Waiter& waiter);
  /// Answers whether it still waited: if not, it was told to look, and hands on what it does not use.
  bool remove(Waiter& waiter);
  /// Something may be left in these queues for somebody else: here, else in another process.
  void hand_on(const Waiter& waiter);
  /// A commit of this process, where no other process's bell is heard.
  void ring(const Touched& touched);

 private:
  // The waiters of one queue, first come first served.
  struct Line {
    Mask mask = 0;
    std::deque<Waiter*> waiters;
    bool look = true;                   // somebody rang, or it is new
    std::int64_t stands = 0;            // the namespace's clock at the last look, where it stands still
    std::int64_t next_due = INT64_MAX;  // by the store's clock, as of the last look
  };
  using Lines = std::map<std::pair<std::int64_t, std::string>, Line>;

  void run();
  /// One round: looks where there is reason to, tells whom it concerns; answers when to look next, CLOCK_MONOTONIC.
  std::int64_t round(bool tick);
  std::int64_t look_at(Lines::iterator at, Desk& desk);
  void take_out(Waiter& waiter);
  void tell(Waiter& waiter);
  void publish();
  bool changed_elsewhere(Desk& desk);

  Database& database_;
  std::mutex mutex_;
  Lines lines_;
  std::vector<Waiter*> watches_;
  Bell own_bell_{};  // where there is no side file, or no bell left in it
  Bell* bell_ = &own_bell_;
  bool stopping_ = false;
  std::pair<std::uint64_t, std::int64_t> seen_version_{};  // of which desk, and what
  std::thread thread_;
};

}  // namespace stile::sqlite

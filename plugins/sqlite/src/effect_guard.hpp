// What an effect may do to the connection it runs on, and for how long (E8).
//
// An effect is somebody else's SQL, or code, inside our transaction. It may read everything and write its own tables;
// it may not end the transaction, nor write ours. When its time is over the transaction is given up, wherever it is.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sqlite3.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

namespace stile::sqlite {

class EffectGuard {
 public:
  /// Sets the guard up on a connection, for its whole life.
  void install(sqlite3* db);

  /// From begin to end an effect runs. give_up_at: CLOCK_MONOTONIC microseconds.
  void begin(std::int64_t give_up_at);
  void end();
  bool running() const { return running_.load(); }
  /// Was a statement stopped because the time was over?
  bool overdue() const;

 private:
  friend class Watchdog;

  static int authorize(void* self, int action, const char* first, const char* second, const char*, const char*);
  static int on_commit(void* self);
  static int on_progress(void* self);
  int judge(int action, const char* first, const char* second) const;

  sqlite3* db_ = nullptr;
  std::atomic<bool> running_{false};
  std::atomic<bool> giving_up_{false};
  std::atomic<std::int64_t> give_up_at_{INT64_MAX};
};

/// Ends the transaction of an effect that runs the caller's code when its time is over, from a thread of its own. The
/// connection must be serialized. Later statements of that code find no transaction, and cannot commit.
class Watchdog {
 public:
  Watchdog(EffectGuard& guard, sqlite3* db, std::int64_t give_up_at);
  ~Watchdog();

  /// The effect is over. Answers whether it was given up before.
  bool call_off();
  bool gave_up();

 private:
  void run(std::int64_t give_up_at);

  EffectGuard& guard_;
  sqlite3* db_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false, gave_up_ = false;
  std::thread thread_;
};

}  // namespace stile::sqlite

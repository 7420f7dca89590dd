// One namespace of a schema, as a config string opened it.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "connection.hpp"
#include "listener.hpp"
#include "schema.hpp"
#include "stile/sdk/waiting.hpp"
#include "texts.hpp"

namespace stile::postgres {

extern const stile_limits limits;

/// Which clock a config string asks for; `any` takes what the namespace has, and the server's for a new one.
enum class ClockWish { any, server, manual };

/// What a config string says.
struct Options {
  ConnectionWords words;
  ConnectionWords hints;  ///< of the connection that listens: past a pooler
  std::string schema = "stile";
  std::string ns;
  ClockWish clock = ClockWish::any;
  bool relaxed = false;  ///< commits are not waited for: the latest may be lost
};

class Session;

class Store {
 public:
  explicit Store(Options options)
      : options_(std::move(options)), texts_(options_.schema), listener_(options_.hints, texts_) {}

  std::unique_ptr<Session> connect(const stile_call& call);
  /// Connects, looks, and prepares where that is asked for.
  void open(bool prepare, std::int64_t deadline);

  const Texts& texts() const { return texts_; }
  const Options& options() const { return options_; }
  Listener& listener() { return listener_; }

  /// Asks whether it is prepared, and for the number of the namespace, unless both are known.
  bool ready(Connection& connection, std::int64_t deadline);
  /// It is no longer, or never was.
  void unprepared() { number_.store(0); }
  std::int32_t number() const { return number_.load(std::memory_order_acquire); }
  bool manual_clock() const { return manual_.load(std::memory_order_acquire); }
  std::string server() const;
  /// So much of the server's log is on disk, as a commit says that was acknowledged.
  void reached(std::int64_t place) {
    std::int64_t before = reached_.load(std::memory_order_relaxed);
    while (before < place && !reached_.compare_exchange_weak(before, place, std::memory_order_relaxed)) {
    }
  }

 private:
  Facts look(Connection& connection, std::int64_t deadline);
  std::unique_ptr<Connection> take_first();
  void enter(Connection& connection, std::int64_t deadline);

  Options options_;
  Texts texts_;
  Listener listener_;
  std::atomic<std::int32_t> number_{0};
  std::atomic<bool> manual_{false};
  std::atomic<std::int64_t> reached_{0};
  mutable std::mutex mutex_;
  std::string server_;
  std::unique_ptr<Connection> opened_by_;
  std::int64_t opened_at_ = 0;
  Past seen_;  ///< of the latest connection
  std::int64_t seen_epoch_ = 0;
};

}  // namespace stile::postgres

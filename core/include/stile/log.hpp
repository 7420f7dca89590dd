// What the library tells its host: log messages through one function, metrics through one Observer.
//
// Nothing is printed unless a program asks: both are silent until set.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <string_view>

#include "stile/types.hpp"

namespace stile {
inline namespace v1 {

enum class LogLevel : std::uint32_t {
  error = STILE_LOG_ERROR,
  warn = STILE_LOG_WARN,
  info = STILE_LOG_INFO,
  debug = STILE_LOG_DEBUG,
};
/// "error", "warn", ...
std::string_view name_of(LogLevel level);

/// One named value beside a message.
struct LogField {
  std::string_view key, value;
};
using LogFunction = std::function<void(LogLevel level, std::string_view message, std::span<const LogField> fields)>;

/// Sends messages up to a level to a function of the host, in place of the one before; an empty one silences. The
/// function is called on any thread, many at once, and must not call back into the store that logs. What it throws is
/// dropped.
void on_log(LogFunction function, LogLevel most = LogLevel::info);

/// True when somebody listens to this level: ask before making a costly message.
bool logs(LogLevel level);
void log(LogLevel level, std::string_view message, std::span<const LogField> fields = {});
void log(LogLevel level, std::string_view message, std::initializer_list<LogField> fields);

/// Looks on: metrics, spans. Called on the thread that does the work, many at once; must be quick and not throw.
class Observer {
 public:
  virtual ~Observer() = default;

  struct Operation {
    std::string_view store;  ///< the config string, secrets redacted
    std::string_view name;   ///< "record", ...
    Status status{};
    std::size_t batch = 1;  ///< operations in the same round trip
    Duration took{};        ///< of that round trip
  };
  /// An operation was answered by the store, seen by a `trace` layer.
  virtual void operation(const Operation&) {}

  struct Session {
    std::string_view store;
    enum class Event { connected, dropped, failed } event{};
    std::string_view text;  ///< why it failed
  };
  /// A session came or went.
  virtual void session(const Session&) {}

  struct Resend {
    std::string_view store, name;
    Status status{};  ///< of the send before
    int attempt = 1;  ///< sends so far
    Duration pause{};
  };
  /// An operation will be sent again.
  virtual void resend(const Resend&) {}
};

/// Sets the process's observer in place of the one before; null = none.
void observe(std::shared_ptr<Observer> observer);
/// The present one, or null.
std::shared_ptr<Observer> observer();

}  // namespace v1
}  // namespace stile

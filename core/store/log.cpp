// Log messages and the observer of this process.
//
// SPDX-License-Identifier: Apache-2.0
#include "stile/log.hpp"

#include <array>
#include <atomic>
#include <mutex>

namespace stile {
inline namespace v1 {
namespace {

// Never destroyed: plugins and abandoned threads may log until the very end of the process.
struct Listeners {
  std::mutex mutex;
  std::shared_ptr<const LogFunction> function;
  std::shared_ptr<Observer> observer;
  std::atomic<int> most{-1};  // the highest level that is listened to
};

Listeners& listeners() {
  static Listeners* const all = new Listeners;
  return *all;
}

}  // namespace

std::string_view name_of(LogLevel level) {
  constexpr std::array<std::string_view, 4> names{"error", "warn", "info", "debug"};
  auto index = static_cast<std::size_t>(level);
  return index < names.size() ? names[index] : "debug";
}

void on_log(LogFunction function, LogLevel most) {
  auto shared = function ? std::make_shared<const LogFunction>(std::move(function)) : nullptr;
  Listeners& all = listeners();
  std::lock_guard lock(all.mutex);
  all.most = shared ? static_cast<int>(most) : -1;
  all.function.swap(shared);
}

bool logs(LogLevel level) { return static_cast<int>(level) <= listeners().most.load(std::memory_order_relaxed); }

void log(LogLevel level, std::string_view message, std::span<const LogField> fields) {
  if (!logs(level)) return;
  std::shared_ptr<const LogFunction> function;
  {
    Listeners& all = listeners();
    std::lock_guard lock(all.mutex);
    function = all.function;
  }
  if (!function) return;
  try {
    (*function)(level, message, fields);
  } catch (...) {
    // A logger that fails must not fail what it logs about.
  }
}

void log(LogLevel level, std::string_view message, std::initializer_list<LogField> fields) {
  log(level, message, std::span(fields.begin(), fields.size()));
}

void observe(std::shared_ptr<Observer> observer) {
  Listeners& all = listeners();
  std::lock_guard lock(all.mutex);
  all.observer.swap(observer);
}

std::shared_ptr<Observer> observer() {
  Listeners& all = listeners();
  std::lock_guard lock(all.mutex);
  return all.observer;
}

}  // namespace v1
}  // namespace stile

// The authorizer, the commit hook, the watchdog.
//
// SPDX-License-Identifier: Apache-2.0
#include "effect_guard.hpp"

#include <chrono>
#include <string_view>

#include "clock.hpp"
#include "threads.hpp"

namespace stile::sqlite {
namespace {

constexpr int steps_between_looks = 1'000;

bool ours(const char* name) { return name && std::string_view(name).substr(0, 6) == "stile_"; }

}  // namespace

void EffectGuard::install(sqlite3* db) {
  db_ = db;
  // Set once and for all: to set an authorizer makes SQLite prepare every statement anew.
  sqlite3_set_authorizer(db, authorize, this);
  sqlite3_commit_hook(db, on_commit, this);
}

void EffectGuard::begin(std::int64_t give_up_at) {
  give_up_at_.store(give_up_at);
  running_.store(true);
  sqlite3_progress_handler(db_, steps_between_looks, on_progress, this);
}

void EffectGuard::end() {
  sqlite3_progress_handler(db_, 0, nullptr, nullptr);
  running_.store(false);
}

bool EffectGuard::overdue() const { return monotonic_now() >= give_up_at_.load(); }

int EffectGuard::authorize(void* self, int action, const char* first, const char* second, const char*, const char*) {
  return static_cast<EffectGuard*>(self)->judge(action, first, second);
}

int EffectGuard::judge(int action, const char* first, const char* second) const {
  if (!running_.load(std::memory_order_relaxed)) return SQLITE_OK;
  switch (action) {
    case SQLITE_TRANSACTION:
      return giving_up_.load() && std::string_view(first) == "ROLLBACK" ? SQLITE_OK : SQLITE_DENY;
    case SQLITE_SAVEPOINT: return ours(second) ? SQLITE_DENY : SQLITE_OK;
    case SQLITE_ATTACH:
    case SQLITE_DETACH:
    case SQLITE_PRAGMA: return SQLITE_DENY;
    // What render says may be said here too.
    case SQLITE_INSERT: return ours(first) && std::string_view(first) != "stile_said" ? SQLITE_DENY : SQLITE_OK;
    case SQLITE_UPDATE:
    case SQLITE_DELETE:
    case SQLITE_DROP_TABLE:
    case SQLITE_ALTER_TABLE: return ours(first) || ours(second) ? SQLITE_DENY : SQLITE_OK;
    case SQLITE_CREATE_TRIGGER:
    case SQLITE_CREATE_TEMP_TRIGGER:
    case SQLITE_CREATE_INDEX:
    case SQLITE_DROP_INDEX: return ours(second) ? SQLITE_DENY : SQLITE_OK;
    default: return SQLITE_OK;
  }
}

// While an effect runs nothing of it may be committed: not by its own COMMIT, nor, once it was given up, by statements
// that it goes on to run outside of any transaction.
int EffectGuard::on_commit(void* self) { return static_cast<EffectGuard*>(self)->running_.load() ? 1 : 0; }

int EffectGuard::on_progress(void* self) { return static_cast<EffectGuard*>(self)->overdue() ? 1 : 0; }

Watchdog::Watchdog(EffectGuard& guard, sqlite3* db, std::int64_t give_up_at) : guard_(guard), db_(db) {
  thread_ = quiet_thread([this, give_up_at] { run(give_up_at); });
}

Watchdog::~Watchdog() {
  call_off();
  thread_.join();
}

bool Watchdog::call_off() {
  const std::lock_guard guard(mutex_);
  over_ = true;
  changed_.notify_one();
  return gave_up_;
}

bool Watchdog::gave_up() {
  const std::lock_guard guard(mutex_);
  return gave_up_;
}

void Watchdog::run(std::int64_t give_up_at) {
  std::unique_lock lock(mutex_);
  const auto over = [this] { return over_; };
  if (give_up_at == INT64_MAX) return changed_.wait(lock, over);
  const auto at = std::chrono::steady_clock::time_point(std::chrono::microseconds(give_up_at));
  if (changed_.wait_until(lock, at, over)) return;
  gave_up_ = true;
  guard_.giving_up_.store(true);
  sqlite3_interrupt(db_);
  sqlite3_exec(db_, "ROLLBACK", nullptr, nullptr, nullptr);
  guard_.giving_up_.store(false);
}

}  // namespace stile::sqlite

// Checkpoints in two steps: most of the log while others write, the rest in a turn of its own.
//
// SPDX-License-Identifier: Apache-2.0
#include "keeper.hpp"

#include "clock.hpp"
#include "database.hpp"
#include "threads.hpp"

namespace stile::sqlite {
namespace {

constexpr int worth_it = 2'000;  // pages in the log: 8 MB
constexpr int short_rest = 200;  // pages left that are copied while writers wait, so that the log can begin anew
constexpr int tries = 8;

struct Copied {
  int in_log = 0, copied = 0;
  int rest() const { return in_log - copied; }
};

// Without waiting for anybody. A reader that still needs the older pages only makes it stop earlier.
Copied copy(sqlite3* db) {
  Copied out;
  sqlite3_wal_checkpoint_v2(db, "main", SQLITE_CHECKPOINT_PASSIVE, &out.in_log, &out.copied);
  return out;
}

void copy_in_a_turn(SideFile& side, sqlite3* db) {
  const std::int64_t until = monotonic_now() + second_us;
  if (!side.lock_gate(until)) return;
  const bool turn = side.lock_writer(until);
  side.unlock_gate();
  if (!turn) return;
  copy(db);
  side.unlock_writer();
}

}  // namespace

Keeper::~Keeper() {
  {
    const std::lock_guard guard(mutex_);
    stopping_ = true;
    changed_.notify_one();
  }
  if (thread_.joinable()) thread_.join();
}

void Keeper::written(int pages) {
  // Each time costs two syncs of the disk that commits wait for, so it is not for every commit to an overlong log.
  if (pages < worth_it) tried_at_ = 0;
  if (pages - tried_at_ < worth_it) return;
  const std::lock_guard guard(mutex_);
  if (wanted_ || stopping_) return;
  wanted_ = true;
  if (!thread_.joinable()) thread_ = quiet_thread([this] { run(); });
  changed_.notify_one();
}

void Keeper::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return wanted_ || stopping_; });
    if (stopping_) return;
    lock.unlock();
    try {
      copy_back();
    } catch (const StoreError& error) {
      database_.host().warn("the log was not copied back", database_.options().path, error.text());
    }
    lock.lock();
    wanted_ = false;
  }
}

void Keeper::copy_back() {
  SideFile* side = database_.side();
  if (side && !side->try_lock_checkpointer()) return;
  try {
    Database::Reader reader(database_);
    sqlite3* db = reader->connection.handle();
    Copied copied = copy(db);
    for (int i = 0; i < tries && copied.rest() > short_rest; ++i) copied = copy(db);
    // The log begins anew only when all of it is copied at a moment when nobody writes.
    if (side && copied.rest() <= short_rest) copy_in_a_turn(*side, db);
    tried_at_ = copied.in_log;
  } catch (...) {
    if (side) side->unlock_checkpointer();
    throw;
  }
  if (side) side->unlock_checkpointer();
}

}  // namespace stile::sqlite

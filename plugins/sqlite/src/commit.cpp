// How a write begins, becomes visible and becomes durable.
//
// A commit is written to the log without a sync, under SQLite's write lock; the lock and the turn go to the next
// process; then the log is synced, and only then is anybody answered. The log is one sequence, so a sync after a commit
// covers all commits before it. Commits are numbered before they can be seen, so whoever sees one also sees by the
// numbers that it may not be synced yet.
//
// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <system_error>

#include "clock.hpp"
#include "database.hpp"
#include "keeper.hpp"

namespace stile::sqlite {
namespace {

constexpr std::int64_t slice = 20'000;             // how soon somebody who is called away notices
constexpr std::int64_t long_wait = 5'000;          // whoever waited so long goes before those who come
constexpr std::int64_t turn_patience = second_us;  // no commit for so long: whoever has the turn is frozen
constexpr std::int64_t gate_patience = 200'000;    // ... or whoever holds the gate
constexpr std::int64_t first_pause = 50, longest_pause = 3'000;

int step_once(sqlite3_stmt* statement) {
  const int code = sqlite3_step(statement);
  sqlite3_reset(statement);
  return code == SQLITE_DONE ? SQLITE_OK : code;
}

bool over(const Patience& patience) {
  return monotonic_now() >= patience.until || (patience.interrupted && patience.interrupted());
}

// Held by whoever has the turn next.
class Gate {
 public:
  explicit Gate(SideFile& side) : side_(side) {}
  ~Gate() {
    if (held_) side_.unlock_gate();
  }
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;
  bool lock(std::int64_t until) { return held_ = held_ || side_.lock_gate(until); }

 private:
  SideFile& side_;
  bool held_ = false;
};

enum class Turn { had, frozen, over };

// The turn goes to whoever is quickest, since handing it over costs two switches of threads; only whoever waited long
// goes before those who come. While commits go on nobody gives up waiting, however long the others' take.
Turn wait_for_turn(SideFile& side, const Patience& patience) {
  Gate gate(side);
  bool last = !side.gate_open();  // somebody waited long already
  const std::atomic<std::uint64_t>& begun = side.content().begun;
  std::uint64_t seen = begun.load();
  const std::int64_t start = monotonic_now();
  for (std::int64_t now = start, moved = start;;) {
    const std::int64_t end = std::min(patience.until, now + (last ? slice : long_wait));
    if ((!last || gate.lock(end)) && side.lock_writer(end)) return Turn::had;
    if (over(patience)) return Turn::over;
    now = monotonic_now();
    if (const std::uint64_t count = begun.load(); count != seen) seen = count, moved = now;
    if (now - moved >= turn_patience) return Turn::frozen;
    last = now - start >= long_wait && now - moved < gate_patience;
  }
}

}  // namespace

std::optional<Database::WriteLock> Database::WriteLock::take(Database& database, Connection& connection,
                                                             const Patience& patience) {
  bool turn = false;
  if (SideFile* side = database.side()) {
    const Turn waited = wait_for_turn(*side, patience);
    if (waited == Turn::over) return std::nullopt;
    turn = waited == Turn::had;
  }
  WriteLock lock(database, connection, turn);
  for (std::int64_t pause = first_pause;; pause = std::min(pause * 2, longest_pause)) {
    const int code = step_once(connection.statement(Sql::begin_write));
    if (code == SQLITE_OK) break;
    if (!is_busy(code)) connection.fail(code);
    if (over(patience)) return std::nullopt;
    const timespec rest = timespec_of(pause);
    nanosleep(&rest, nullptr);
  }
  database.check_still_there();
  return lock;
}

Database::WriteLock::WriteLock(WriteLock&& other) noexcept
    : database_(other.database_), connection_(std::exchange(other.connection_, nullptr)), turn_(other.turn_) {}

Database::WriteLock::~WriteLock() { give_back(); }

void Database::WriteLock::give_back() {
  if (!connection_) return;
  std::exchange(connection_, nullptr)->rollback();
  give_up_turn();
}

void Database::WriteLock::give_up_turn() {
  if (std::exchange(turn_, false)) database_->side()->unlock_writer();
}

Commit Database::WriteLock::commit() {
  Commit commit;
  if (SideFile* side = database_->side()) commit.number = side->content().begun.fetch_add(1) + 1;
  const int code = step_once(connection_->statement(Sql::commit));
  if (code != SQLITE_OK) {
    const StoreError error = error_of(connection_->handle(), code, connection_->path(), Phase::commit);
    connection_->rollback();
    throw error;
  }
  give_up_turn();
  commit.wrote = connection_->take_wrote();
  if (commit.wrote) database_->keeper().written(connection_->log_pages());
  return commit;
}

void Database::sync_log(std::int32_t status_of_failure) {
  int code;
  do code = fdatasync(log_);
  while (code != 0 && errno == EINTR);
  if (code == 0) return;
  throw StoreError(status_of_failure,
                   options_.path + ": the log could not be synced: " + std::generic_category().message(errno),
                   "SQLITE_IOERR");
}

void Database::settle(const Commit& commit) {
  if (!own_sync_) return;
  std::atomic<std::uint64_t>& synced = side_->content().synced;
  std::uint64_t seen = synced.load();
  if (seen >= commit.number) return;
  if (!commit.wrote && seen == commit.number - 1 && synced.compare_exchange_strong(seen, commit.number)) return;
  sync_log(STILE_UNKNOWN);
  seen = synced.load();
  while (seen < commit.number && !synced.compare_exchange_weak(seen, commit.number)) {
  }
}

void Database::settle_read() {
  if (!own_sync_) return;
  const SideContent& content = side_->content();
  // Somebody may be between numbering a commit and making it visible, so this sync proves nothing to others.
  if (content.synced.load() < content.begun.load()) sync_log(STILE_UNAVAILABLE);
}

void Database::check_still_there() const {
  struct stat there = {};
  if (stat(options_.path.c_str(), &there) == 0 && static_cast<std::int64_t>(there.st_ino) == inode_) return;
  throw StoreError(STILE_STORE_LOST,
                   options_.path + ": the file was removed or replaced while it was open; open the store again");
}

}  // namespace stile::sqlite

// Opening a file, its clock, its readers.
//
// SPDX-License-Identifier: Apache-2.0
#include "database.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <ctime>
#include <system_error>

#include "clock.hpp"
#include "epoch.hpp"
#include "keeper.hpp"
#include "place.hpp"
#include "watcher.hpp"

namespace stile::sqlite {
namespace {

constexpr std::size_t kept_idle = 16;

std::int64_t inode_of(const std::string& path) {
  struct stat there = {};
  return stat(path.c_str(), &there) == 0 ? static_cast<std::int64_t>(there.st_ino) : 0;
}

std::string journal_mode(Connection& connection) {
  std::string mode;
  const auto see = [](void* to, int, char** values, char**) {
    *static_cast<std::string*>(to) = values[0] ? values[0] : "";
    return 0;
  };
  const int code = sqlite3_exec(connection.handle(), "PRAGMA journal_mode", see, &mode, nullptr);
  if (code != SQLITE_OK) connection.fail(code);
  return mode;
}

// Runs what may meet another process that recovers, migrates or closes, until the time is over.
template <class Body>
auto patiently(std::int64_t until, Body body) {
  for (;;) {
    try {
      return body();
    } catch (const StoreError& error) {
      if (!is_busy(error) || monotonic_now() >= until) throw;
    }
    const timespec pause{0, 2'000'000};
    nanosleep(&pause, nullptr);
  }
}

}  // namespace

Database::Database(FileOptions options, Host host, std::shared_ptr<Tally> tally)
    : options_(std::move(options)), host_(host), tally_(std::move(tally)) {
  watcher_ = std::make_unique<Watcher>(*this);
  keeper_ = std::make_unique<Keeper>(*this);
}

Database::~Database() {
  keeper_.reset();
  watcher_.reset();
  readers_.idle.clear();
  effects_.idle.clear();
  writer_.reset();
  if (log_ >= 0) close(log_);
}

std::unique_ptr<Desk> Database::open_desk(const OpenAs& as) {
  return std::make_unique<Desk>(options_.path, as, tally_, estimates_);
}

bool Database::prepared() {
  if (prepared_.load(std::memory_order_acquire)) return true;
  const std::lock_guard guard(mutex_);
  if (prepared_) return true;
  if (inode_of(options_.path) == 0) return false;
  patiently(monotonic_now() + second_us, [&] {
    Connection connection(options_.path, {}, nullptr);
    facts_ = read_facts(connection);
  });
  switch (state_of(facts_.schema)) {
    case SchemaState::absent:
    case SchemaState::older: return false;
    case SchemaState::unreleased:
      throw StoreError(STILE_UNSUPPORTED, options_.path + ": its schema is version " + std::to_string(facts_.schema) +
                                              ", of the time before the first release; begin with a new file");
    case SchemaState::newer:
      throw StoreError(STILE_UNSUPPORTED, options_.path + ": its schema is version " + std::to_string(facts_.schema) +
                                              ", and this software knows up to " + std::to_string(newest_usable) +
                                              "; update it");
    case SchemaState::usable: break;
  }
  get_ready();
  prepared_.store(true, std::memory_order_release);
  return true;
}

bool Database::prepare(bool check_only, std::int64_t until) {
  // The first look may meet the process that makes the file, or one that recovers its log.
  const auto look = [&] { return patiently(until, [&] { return prepared(); }); };
  if (look()) return false;
  if (check_only)
    throw StoreError(STILE_UNPREPARED,
                     options_.path + (facts_.schema == 0 ? ": nothing is prepared there; run prepare"
                                                         : ": its schema is older than this software's; run prepare"));
  const bool changed = patiently(until, [&] {
    Connection connection(options_.path, {.create = true, .full_sync = true}, tally_);
    if (journal_mode(connection) != "wal") connection.script("PRAGMA journal_mode=WAL");
    connection.script("BEGIN IMMEDIATE");
    try {
      Facts facts = read_facts(connection);
      const bool wanted = state_of(facts.schema) == SchemaState::absent || state_of(facts.schema) == SchemaState::older;
      if (wanted) migrate(connection, facts, inode_of(options_.path));
      connection.script("COMMIT", Phase::commit);
      return wanted;
    } catch (...) {
      connection.rollback();
      throw;
    }
  });
  if (!look())
    throw StoreError(STILE_UNAVAILABLE, options_.path + ": was prepared, and is not there any more; try again");
  return changed;
}

// What a prepared file needs before operations run on it. Under mutex_.
void Database::get_ready() {
  struct stat there = {};
  if (stat(options_.path.c_str(), &there) != 0)
    throw StoreError(STILE_UNAVAILABLE, options_.path + ": " + std::generic_category().message(errno));
  inode_ = static_cast<std::int64_t>(there.st_ino);
  std::string why_not;
  if (!side_) side_ = SideFile::open(options_.path + "-stile", there.st_mode & 0666, why_not);
  if (!side_) host_.warn("no side file: processes wait for each other less fairly", options_.path, why_not);
  own_sync_ = options_.durable && side_;
  writer_ = open_desk({.guarded = true, .cache = options_.cache, .full_sync = syncs_itself()});
  Connection& connection = writer_->connection;
  patiently(monotonic_now() + second_us, [&] {
    const bool read_only = sqlite3_db_readonly(connection.handle(), "main") == 1;
    if (!read_only && journal_mode(connection) != "wal") connection.script("PRAGMA journal_mode=WAL");
    if (read_only || facts_.inode == inode_) return;
    connection.script("BEGIN IMMEDIATE");
    try {
      facts_ = read_facts(connection);
      if (adopt(connection, facts_, inode_)) take_back_deliveries(connection, writer_->tables, facts_.epoch, now());
      connection.script("COMMIT", Phase::commit);
      writer_->tables.committed();
    } catch (...) {
      connection.rollback();
      writer_->tables.rolled_back();
      throw;
    }
  });
  if (own_sync_) open_log();
}

// SQLite keeps the log as long as a connection is open, so its descriptor stays the right one. (A descriptor of the
// data itself must never be opened here: closing it would give up the locks that SQLite holds on it.)
void Database::open_log() {
  Connection& connection = writer_->connection;
  const std::string path = sqlite3_filename_wal(sqlite3_db_filename(connection.handle(), "main"));
  log_ = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (log_ >= 0) return;
  host_.warn("the log cannot be opened: SQLite syncs it, more slowly", path, std::generic_category().message(errno));
  own_sync_ = false;
  connection.script("PRAGMA synchronous=FULL");
}

std::int64_t Database::now() {
  const std::int64_t monotonic = monotonic_now();
  std::int64_t ahead = store_clock() - monotonic;
  std::atomic<std::int64_t>& most = side_ ? side_->content().clock_ahead : clock_ahead_;
  std::int64_t seen = most.load(std::memory_order_relaxed);
  while (seen < ahead && !most.compare_exchange_weak(seen, ahead, std::memory_order_relaxed)) {
  }
  if (seen > ahead) ahead = seen;
  return monotonic + ahead;
}

Desk& Database::writer() { return *writer_; }

Watcher& Database::watcher() { return *watcher_; }

Database::Borrowed::Borrowed(Database& database, Pool& pool, const OpenAs& as, std::int64_t until)
    : database_(database), pool_(pool) {
  std::unique_lock lock(database.mutex_);
  const auto free = [&] { return pool.out < pool.most; };
  if (until == INT64_MAX)
    database.returned_.wait(lock, free);
  else if (const std::chrono::steady_clock::time_point end{std::chrono::microseconds(until)};
           !database.returned_.wait_until(lock, end, free))
    throw StoreError(STILE_TIMED_OUT, "all " + std::to_string(pool.most) + " connections that read were in use");
  ++pool.out;
  if (!pool.idle.empty()) {
    desk_ = std::move(pool.idle.back());
    pool.idle.pop_back();
    return;
  }
  lock.unlock();
  try {
    desk_ = database.open_desk(as);
  } catch (...) {
    lock.lock();
    --pool.out;
    database.returned_.notify_one();
    throw;
  }
}

Database::Borrowed::~Borrowed() {
  // Whatever is cached is of a transaction that is over, also where that ended by an exception.
  desk_->connection.in_transaction() ? desk_->tables.rolled_back() : desk_->tables.committed();
  desk_->connection.rollback();
  const std::lock_guard guard(database_.mutex_);
  --pool_.out;
  if (pool_.idle.size() < kept_idle) pool_.idle.push_back(std::move(desk_));
  database_.returned_.notify_one();
}

std::string Database::epoch_text() const {
  std::string text;
  for (const char byte : facts_.identity) {
    text += "0123456789abcdef"[static_cast<unsigned char>(byte) >> 4];
    text += "0123456789abcdef"[static_cast<unsigned char>(byte) & 15];
  }
  return text + "." + std::to_string(facts_.epoch);
}

void Database::announce(const Touched& touched) {
  watcher_->ring(touched);
  if (!side_) return;
  for (Mask left = touched.ready; left != 0; left &= left - 1) side_->ring_one(left & (~left + 1));
  if (touched.delayed) side_->ring_late(touched.delayed, monotonic_now() + touched.next_due);
  if (touched.workflows) side_->ring_watchers(touched.workflows);
  if (!touched.clock) return;
  side_->ring_late(~Mask{0}, INT64_MIN);
  side_->ring_watchers(~Mask{0});
}

}  // namespace stile::sqlite

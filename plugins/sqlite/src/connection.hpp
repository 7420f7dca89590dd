// One connection to the file, with the statements of this store prepared as they are first used.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sqlite3.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "effect_guard.hpp"
#include "error.hpp"
#include "statement.hpp"
#include "statements.hpp"

namespace stile::sqlite {

/// How often each statement has run, over all connections of an instance: what the tests hold the list against.
using Tally = std::array<std::atomic<std::uint64_t>, sql_count>;

/// What a file is opened as.
struct OpenAs {
  bool create = false;      ///< make the file if it is not there
  bool serialized = false;  ///< other threads may touch the connection, to end a transaction from outside
  bool guarded = false;     ///< effects run on it
  std::int64_t cache = 0;   ///< bytes of page cache; 0 = SQLite's own
  bool full_sync = false;   ///< SQLite syncs at each commit; else whoever commits does it (Database)
};

class Connection {
 public:
  /// Opens the file; throws StoreError. Nothing is created or changed in a file that is there.
  Connection(const std::string& path, const OpenAs& as, std::shared_ptr<Tally> tally);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  sqlite3_stmt* statement(Sql which) {
    sqlite3_stmt*& found = statements_[static_cast<std::size_t>(which)];
    return found ? found : prepare(which);
  }

  /// Runs a statement that gives no rows; returns how many rows it changed.
  template <class... Values>
  std::int64_t run(Sql which, const Values&... values) {
    Rows rows(*this, statement(which));
    rows.bind(values...);
    while (rows.next()) {
    }
    return sqlite3_changes64(db_);
  }

  /// Runs text of one or more statements, without parameters: schema and pragmas.
  void script(std::string_view text, Phase phase = Phase::before_commit);

  /// Ends whatever transaction is open, by rolling it back; never fails.
  void rollback() noexcept;

  bool in_transaction() const { return sqlite3_get_autocommit(db_) == 0; }
  /// Throws what the connection has just reported as a StoreError.
  [[noreturn]] void fail(int code, Phase phase = Phase::before_commit) const;

  /// Did a commit write to the log since this was last asked; and how many pages the log held after it.
  bool take_wrote() { return std::exchange(wrote_, false); }
  int log_pages() const { return log_pages_; }

  EffectGuard& guard() { return guard_; }
  sqlite3* handle() const { return db_; }
  const std::string& path() const { return path_; }

 private:
  sqlite3_stmt* prepare(Sql which);
  static int on_commit_to_log(void* self, sqlite3* db, const char* name, int pages);

  std::string path_;
  sqlite3* db_ = nullptr;
  std::array<sqlite3_stmt*, sql_count> statements_{};
  std::shared_ptr<Tally> tally_;
  EffectGuard guard_;
  bool wrote_ = false;
  int log_pages_ = 0;
};

/// A statement run for its rows: `Query query(connection, Sql::load, workflow, after); while (query.next()) ...`
class Query : public Rows {
 public:
  template <class... Values>
  Query(Connection& connection, Sql which, const Values&... values) : Rows(connection, connection.statement(which)) {
    bind(values...);
  }
};

}  // namespace stile::sqlite

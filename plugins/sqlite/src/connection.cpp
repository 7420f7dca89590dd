// Opening, preparing, stepping.
//
// SPDX-License-Identifier: Apache-2.0
#include "connection.hpp"

#include <algorithm>

namespace stile::sqlite {

bool Rows::next() {
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  connection_.fail(code);
}

void Rows::check(int code) {
  if (code != SQLITE_OK) connection_.fail(code);
}

Connection::Connection(const std::string& path, const OpenAs& as, std::shared_ptr<Tally> tally)
    : path_(path), tally_(std::move(tally)) {
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_EXRESCODE | (as.create ? SQLITE_OPEN_CREATE : 0) |
                    (as.serialized ? SQLITE_OPEN_FULLMUTEX : SQLITE_OPEN_NOMUTEX);
  const int code = sqlite3_open_v2(path.c_str(), &db_, flags, nullptr);
  try {
    if (code != SQLITE_OK) fail(code);
    // Waiting is done by whoever holds the deadline, fairly; SQLite's own busy handler starves (a share of 0.00).
    sqlite3_busy_timeout(db_, 0);
    sqlite3_wal_hook(db_, on_commit_to_log, this);  // takes the place of SQLite's own checkpoint at a commit: Keeper
    std::string pragmas = "PRAGMA synchronous=";
    pragmas += as.full_sync ? "FULL" : "NORMAL";
    pragmas += ";PRAGMA temp_store=MEMORY";
    if (as.cache > 0) pragmas += ";PRAGMA cache_size=-" + std::to_string(std::max<std::int64_t>(as.cache / 1024, 64));
    script(pragmas);
    if (as.guarded) guard_.install(db_);
  } catch (...) {
    sqlite3_close(db_);
    throw;
  }
}

Connection::~Connection() {
  for (std::size_t i = 0; i < sql_count; ++i) {
    if (!statements_[i]) continue;
    const int runs = sqlite3_stmt_status(statements_[i], SQLITE_STMTSTATUS_RUN, 0);
    if (tally_) (*tally_)[i].fetch_add(static_cast<std::uint64_t>(runs), std::memory_order_relaxed);
    sqlite3_finalize(statements_[i]);
  }
  // The caller's code may have left statements of its own: the rest goes with them.
  sqlite3_close_v2(db_);
}

int Connection::on_commit_to_log(void* self, sqlite3*, const char*, int pages) {
  auto* connection = static_cast<Connection*>(self);
  connection->wrote_ = true;
  connection->log_pages_ = pages;
  return SQLITE_OK;
}

sqlite3_stmt* Connection::prepare(Sql which) {
  const std::string_view text = text_of(which);
  sqlite3_stmt* made = nullptr;
  const int code =
      sqlite3_prepare_v3(db_, text.data(), static_cast<int>(text.size()), SQLITE_PREPARE_PERSISTENT, &made, nullptr);
  if (code == SQLITE_ERROR)
    throw StoreError(STILE_CORRUPT, path_ + ": the tables are not those of this store: " + sqlite3_errmsg(db_),
                     name_of_code(code));
  if (code != SQLITE_OK) fail(code);
  return statements_[static_cast<std::size_t>(which)] = made;
}

void Connection::script(std::string_view text, Phase phase) {
  const std::string owned(text);
  const int code = sqlite3_exec(db_, owned.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail(code, phase);
}

void Connection::rollback() noexcept {
  if (in_transaction()) sqlite3_exec(db_, "ROLLBACK", nullptr, nullptr, nullptr);
}

void Connection::fail(int code, Phase phase) const { throw error_of(db_, code, path_, phase); }

}  // namespace stile::sqlite

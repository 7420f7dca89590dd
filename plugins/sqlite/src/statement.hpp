// The SQL of this store: a list of named statements, and running one of them.
//
// Every statement stands in a file of its own under sql/; its header says what is bound, in order, and what comes back.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sqlite3.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "stile/abi.h"

namespace stile::sqlite {

class Connection;

/// A blob parameter. SQLite does not copy it: it stays the caller's until the row is done with.
struct Blob {
  const void* data;
  std::size_t size;

  Blob(const void* pointer, std::size_t length) : data(pointer), size(length) {}
  explicit Blob(std::string_view bytes) : data(bytes.data()), size(bytes.size()) {}
  explicit Blob(stile_bytes bytes) : data(bytes.ptr), size(bytes.len) {}
  explicit Blob(const stile_id& id) : data(id.bytes), size(sizeof id.bytes) {}
};

/// NULL as a parameter.
struct Null {};

/// One run of a prepared statement: bound in order at the start, stepped, reset at the end.
class Rows {
 public:
  Rows(Connection& connection, sqlite3_stmt* statement) : connection_(connection), statement_(statement) {}
  ~Rows() { sqlite3_reset(statement_); }
  Rows(const Rows&) = delete;
  Rows& operator=(const Rows&) = delete;

  /// The next row; false after the last. Throws StoreError.
  bool next();

  bool null(int column) const { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }
  std::int64_t integer(int column) const { return sqlite3_column_int64(statement_, column); }
  /// Valid until the next row.
  std::string_view bytes(int column) const {
    const void* data = sqlite3_column_blob(statement_, column);
    return {static_cast<const char*>(data), static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
  }

  template <class... Values>
  void bind(const Values&... values) {
    int at = 0;
    (bind_one(++at, values), ...);
  }

 private:
  friend class Binder;

  void bind_one(int at, std::int64_t value) { check(sqlite3_bind_int64(statement_, at, value)); }
  void bind_one(int at, std::uint64_t value) { bind_one(at, static_cast<std::int64_t>(value)); }
  void bind_one(int at, std::int32_t value) { bind_one(at, static_cast<std::int64_t>(value)); }
  void bind_one(int at, std::uint32_t value) { bind_one(at, static_cast<std::int64_t>(value)); }
  void bind_one(int at, bool value) { bind_one(at, static_cast<std::int64_t>(value)); }
  void bind_one(int at, Null) { check(sqlite3_bind_null(statement_, at)); }
  void bind_one(int at, std::string_view text) {
    check(sqlite3_bind_text64(statement_, at, text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8));
  }
  void bind_one(int at, Blob value) {
    // A null pointer would bind NULL; an empty blob is bytes of length zero (B5).
    check(sqlite3_bind_blob64(statement_, at, value.data ? value.data : "", value.size, SQLITE_STATIC));
  }
  void check(int code);

  Connection& connection_;
  sqlite3_stmt* statement_;
};

/// Binds one parameter after the other, where there are too many for one call.
class Binder {
 public:
  explicit Binder(Rows& rows) : rows_(rows) {}

  template <class Value>
  void add(const Value& value) {
    rows_.bind_one(++at_, value);
  }
  /// NULL when it is none.
  void add_id(const stile_id& id) {
    static constexpr stile_id none{};
    add_some({reinterpret_cast<const char*>(id.bytes), sizeof id.bytes}, std::memcmp(&id, &none, sizeof id) != 0);
  }
  /// NULL unless some.
  void add_some(std::string_view bytes, bool some) {
    if (some)
      add(Blob(bytes));
    else
      add(Null{});
  }

 private:
  Rows& rows_;
  int at_ = 0;
};

}  // namespace stile::sqlite

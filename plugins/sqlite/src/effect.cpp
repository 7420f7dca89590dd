// Effects inside the transaction: one statement, or the caller's code (contract E).
//
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <memory>

#include "clock.hpp"
#include "effect_guard.hpp"
#include "stile/sdk/engine/context.hpp"
#include "stile/sdk/options.hpp"
#include "store.hpp"

namespace stile::sqlite {
namespace {

constexpr const char* given_up = "the effect ran longer than the ttl of its lease, or past its deadline: given up";

struct Finalize {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Owned = std::unique_ptr<sqlite3_stmt, Finalize>;

// The effect itself failed: nothing of it remains, and the operation is answered EFFECT_FAILED.
struct EffectFailed {
  std::string text;
  std::string native;
};

// Failures of the store are not the effect's: they are answered as what they are.
bool is_stores(int code) {
  switch (code & 0xff) {
    case SQLITE_FULL:
    case SQLITE_IOERR:
    case SQLITE_NOMEM:
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN: return true;
    default: return false;
  }
}

[[noreturn]] void fail(Connection& connection, const EffectGuard& guard, int code) {
  if (is_stores(code)) connection.fail(code);
  if ((code & 0xff) == SQLITE_INTERRUPT && guard.overdue()) throw EffectFailed{given_up, "SQLITE_INTERRUPT"};
  throw EffectFailed{sqlite3_errmsg(connection.handle()), name_of_code(code)};
}

void bind(sqlite3_stmt* statement, int at, const stile_value& value) {
  const auto* data = value.data.ptr ? reinterpret_cast<const char*>(value.data.ptr) : "";
  switch (value.type) {
    case STILE_TYPE_INTEGER: sqlite3_bind_int64(statement, at, value.integer); return;
    case STILE_TYPE_REAL: sqlite3_bind_double(statement, at, value.real); return;
    case STILE_TYPE_TEXT: sqlite3_bind_text64(statement, at, data, value.data.len, SQLITE_STATIC, SQLITE_UTF8); return;
    case STILE_TYPE_BYTES: sqlite3_bind_blob64(statement, at, data, value.data.len, SQLITE_STATIC); return;
    default: sqlite3_bind_null(statement, at); return;
  }
}

Owned prepare(Connection& connection, const EffectGuard& guard, stile_text text, const stile_value* params,
              std::uint64_t n_params) {
  if (text.len > INT32_MAX) throw EffectFailed{"the statement is too long", {}};
  sqlite3_stmt* made = nullptr;
  const char* rest = nullptr;
  const int code = sqlite3_prepare_v2(connection.handle(), text.ptr, static_cast<int>(text.len), &made, &rest);
  Owned statement(made);
  if (code != SQLITE_OK) fail(connection, guard, code);
  if (!statement) throw EffectFailed{"the text holds no statement", {}};
  const char* end = text.ptr + text.len;
  if (std::any_of(rest, end, [](char c) { return std::strchr(" \t\r\n;", c) == nullptr || c == '\0'; }))
    throw EffectFailed{"the text holds more than one statement", {}};
  const auto wanted = static_cast<std::uint64_t>(sqlite3_bind_parameter_count(made));
  if (wanted != n_params)
    throw EffectFailed{
        "the statement has " + std::to_string(wanted) + " parameters, and " + std::to_string(n_params) + " were given",
        {}};
  for (std::uint64_t i = 0; i < n_params; ++i) bind(made, static_cast<int>(i) + 1, params[i]);
  return statement;
}

stile_value column(stile_op& op, sqlite3_stmt* statement, int at) {
  stile_value out = {};
  const auto copied = [&](const void* data) {
    return engine::copy(
        op, {static_cast<const char*>(data), static_cast<std::size_t>(sqlite3_column_bytes(statement, at))});
  };
  switch (sqlite3_column_type(statement, at)) {
    case SQLITE_INTEGER: out.type = STILE_TYPE_INTEGER, out.integer = sqlite3_column_int64(statement, at); break;
    case SQLITE_FLOAT: out.type = STILE_TYPE_REAL, out.real = sqlite3_column_double(statement, at); break;
    case SQLITE_TEXT: out.type = STILE_TYPE_TEXT, out.data = copied(sqlite3_column_text(statement, at)); break;
    case SQLITE_BLOB: out.type = STILE_TYPE_BYTES, out.data = copied(sqlite3_column_blob(statement, at)); break;
    default: break;
  }
  return out;
}

// Runs the one statement of an effect; its value is the first column of the first row (E6).
std::string run_statement(Connection& connection, const EffectGuard& guard, const stile_effect& effect) {
  const Owned statement = prepare(connection, guard, effect.text, effect.params, effect.n_params);
  int code = sqlite3_step(statement.get());
  if (code != SQLITE_ROW && code != SQLITE_DONE) fail(connection, guard, code);
  if (code == SQLITE_DONE) throw EffectFailed{"the statement gave no row: its value is the first column of one", {}};
  const int type = sqlite3_column_type(statement.get(), 0);
  if (type != SQLITE_TEXT && type != SQLITE_BLOB)
    throw EffectFailed{"the value is neither text nor a blob: cast it", {}};
  const auto* data = static_cast<const char*>(sqlite3_column_blob(statement.get(), 0));
  std::string value(data ? data : "", static_cast<std::size_t>(sqlite3_column_bytes(statement.get(), 0)));
  // What a statement changes it has changed when its first row is there; of a query the rest is not wanted.
  while (!sqlite3_stmt_readonly(statement.get()) && code == SQLITE_ROW) code = sqlite3_step(statement.get());
  if (code != SQLITE_ROW && code != SQLITE_DONE) fail(connection, guard, code);
  return value;
}

// The open transaction as the caller's code sees it.
struct Open {
  Connection& connection;
  EffectGuard& guard;
  Watchdog& watchdog;
  stile_op& op;
};

void give_error(const Open& open, const EffectFailed& failed, stile_rows* out) {
  const stile_bytes text = engine::copy(open.op, failed.text), native = engine::copy(open.op, failed.native);
  out->error = {reinterpret_cast<const char*>(text.ptr), text.len};
  out->native = {reinterpret_cast<const char*>(native.ptr), native.len};
}

void give_rows(const Open& open, sqlite3_stmt* statement, stile_rows* out) {
  stile_row** tail = &out->rows;
  const int columns = sqlite3_column_count(statement);
  int code;
  while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
    engine::Carver carver(open.op, sizeof(stile_row));
    auto* row = carver.element<stile_row>();
    auto* values = static_cast<stile_value*>(engine::allocate(open.op, sizeof(stile_value) * columns));
    for (int i = 0; i < columns; ++i) values[i] = column(open.op, statement, i);
    row->columns = static_cast<std::uint32_t>(columns);
    row->values = values;
    *tail = row;
    tail = &row->next;
  }
  if (code != SQLITE_DONE) fail(open.connection, open.guard, code);
  if (!sqlite3_stmt_readonly(statement))
    out->affected = static_cast<std::uint64_t>(sqlite3_changes64(open.connection.handle()));
}

std::int32_t query(void* ctx, stile_text text, const stile_value* params, std::uint64_t n_params, stile_rows* out) {
  auto& open = *static_cast<Open*>(ctx);
  const std::uint32_t size = out->struct_size;
  *out = {};
  out->struct_size = size;
  try {
    try {
      if (open.watchdog.gave_up()) throw EffectFailed{given_up, {}};
      const Owned statement = prepare(open.connection, open.guard, text, params, n_params);
      give_rows(open, statement.get(), out);
      return STILE_OK;
    } catch (const EffectFailed& failed) {
      give_error(open, failed, out);
    } catch (const StoreError& error) {
      give_error(open, {error.text(), error.native()}, out);
    }
  } catch (const std::exception&) {
    // No memory even for the text.
  }
  return STILE_EFFECT_FAILED;
}

void* native(void* ctx, stile_text type) {
  auto& open = *static_cast<Open*>(ctx);
  return sdk::view(type) == "sqlite3" ? open.connection.handle() : nullptr;
}

std::string_view run_callback(Connection& connection, EffectGuard& guard, stile_op& op, const stile_effect& effect,
                              std::int64_t give_up_at) {
  Watchdog watchdog(guard, connection.handle(), give_up_at);
  Open open{connection, guard, watchdog, op};
  const stile_tx tx = {sizeof(stile_tx), 0, &open, query, native};
  stile_bytes value = {};
  stile_text error = {};
  const std::int32_t status = effect.run(effect.ctx, &tx, &value, &error);
  if (watchdog.call_off()) throw EffectFailed{given_up, {}};
  if (status != STILE_OK) throw EffectFailed{std::string(sdk::view(error)), {}};
  return engine::view(value);
}

void savepoint(Connection& connection, const char* what) { connection.script(std::string(what) + " stile_effect"); }

}  // namespace

bool Tables::speaks(const stile_effect& effect) const {
  return sdk::view(effect.language) == "sql" &&
         (effect.form == STILE_EFFECT_STATEMENT || effect.form == STILE_EFFECT_CALLBACK);
}

std::int32_t Tables::run_effect(stile_op& op, const stile_effect& effect, std::string_view* value, std::string* error) {
  EffectGuard& guard = connection_.guard();
  // row_ is the workflow that the engine has just found: its ttl bounds how long others wait (E8).
  const std::int64_t now = monotonic_now();
  const std::int64_t give_up_at = std::min(deadline_, row_.ttl > INT64_MAX - now ? INT64_MAX : now + row_.ttl);
  savepoint(connection_, "SAVEPOINT");
  guard.begin(give_up_at);
  try {
    if (effect.form == STILE_EFFECT_CALLBACK) {
      *value = run_callback(connection_, guard, op, effect, give_up_at);
    } else {
      effect_value_ = run_statement(connection_, guard, effect);
      *value = effect_value_;
    }
    if (value->size() > limits.value_bytes) throw EffectFailed{"the value is over limits.value_bytes", {}};
    guard.end();
    if (!connection_.in_transaction()) throw EffectFailed{"the effect ended the transaction it was lent", {}};
    savepoint(connection_, "RELEASE");
    return STILE_OK;
  } catch (const EffectFailed& failed) {
    guard.end();
    // SQL can roll everything back (ON CONFLICT ROLLBACK), and what others did in this transaction with it.
    if (!connection_.in_transaction()) throw StoreError(STILE_EFFECT_FAILED, failed.text, failed.native);
    savepoint(connection_, "ROLLBACK TO");
    savepoint(connection_, "RELEASE");
    *error = failed.text.empty() ? "the effect failed" : failed.text;
    return STILE_EFFECT_FAILED;
  } catch (...) {
    guard.end();
    throw;
  }
}

}  // namespace stile::sqlite

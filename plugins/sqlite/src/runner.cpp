// Admission, the engine, and the operations that are the store's own.
//
// SPDX-License-Identifier: Apache-2.0
#include "runner.hpp"

#include <algorithm>

#include "render.hpp"
#include "said.hpp"
#include "stile/sdk/author.h"
#include "stile/sdk/engine/engine.hpp"
#include "stile/sdk/plugin.hpp"
#include "store.hpp"
#include "version.hpp"

namespace stile::sqlite {
namespace {

// What other programs said is done in pieces, so that a long silence does not hold up the first call after it.
constexpr int most_heard = 1'000;

void info(Database& database, Store& store, std::int64_t now, stile_op& op) {
  auto& out = engine::result_of<stile_info_result>(op);
  const auto copy_text = [&op](std::string_view text) {
    const stile_bytes bytes = engine::copy(op, text);
    return stile_text{reinterpret_cast<const char*>(bytes.ptr), bytes.len};
  };
  out.plugin = copy_text(std::string(plugin_name) + " " + plugin_version);
  out.store_time = now;
  out.epoch = engine::copy(op, database.epoch_text());
  out.durability = sdk::text(database.options().durable
                                 ? "survives a crash of the program and a power cut: synced before it is answered"
                                 : "survives a crash of the program; a power cut may take the last commits");
  out.server = copy_text(std::string("SQLite ") + sqlite3_libversion());
  auto* has = static_cast<stile_text*>(engine::allocate(op, sizeof all_capabilities));
  out.capabilities = has;
  has = std::copy_n(all_capabilities.begin(), always, has);
  if (database.options().durable) *has++ = all_capabilities[always];
  if (store.manual_clock()) *has++ = all_capabilities[always + 1];
  out.n_capabilities = static_cast<std::uint64_t>(has - out.capabilities);
  out.limits = &limits;
  op.status = STILE_OK;
}

void advance(Store& store, Tables& tables, stile_op& op) {
  if (!store.manual_clock())
    return engine::refuse(op, STILE_UNSUPPORTED, "this store's clock is the system's: open it with clock=manual");
  const std::int64_t by = engine::request_of<stile_advance_request>(op).by;
  const std::int64_t now = tables.manual_clock();
  if (by > engine::last_instant - now) return engine::refuse(op, STILE_INVALID, "by: the clock would pass year 9999");
  if (by > 0) tables.set_manual_clock(now + by);
  engine::result_of<stile_advance_result>(op).store_time = now + by;
  op.status = STILE_OK;
}

}  // namespace

bool Runner::something_said(Connection& connection) {
  if (sqlite3_db_readonly(connection.handle(), "main") == 1) return false;
  Query found(connection, Sql::first_said);
  return found.next();
}

engine::Context Runner::context(Tables& tables) {
  const std::int64_t stands = tables.manual_clock();
  return {stands != 0 ? stands : database_.now(), &limits, database_.epoch(), entropy_.id()};
}

void Runner::hear(Desk& desk) {
  const stile_clock clock = database_.clock();
  for (int heard = 0; heard < most_heard; ++heard) {
    Said said;
    if (!said.read_first(desk.connection)) return;
    desk.tables.enter(said.number(desk.connection), 0);
    engine::Context around = context(desk.tables);
    desk.tables.enter(desk.tables.ns(), around.now);
    stile_op& op = said.operation(desk.tables.manual_clock() == 0 ? around.now - said.said_at() : 0);
    if (stile_check(&op, &limits, &clock)) engine::run(desk.tables, around, op);
    desk.tables.leave();
    desk.connection.run(Sql::delete_said, said.sequence());
  }
}

void Runner::run(Item& item, Desk& desk, bool may_write) {
  const std::int64_t ns = item.store->number(desk.connection, may_write);
  if (!item.store->known()) item.made_number = ns;
  const stile_clock clock = database_.clock();
  for (std::size_t i = item.first; i < item.end; ++i) {
    if (item.ops[i]->status != STILE_UNSET) continue;
    if (stile_admit(item.ops.data(), i, item.ops.size(), &limits, &clock, 1)) one(item, i, desk, ns);
  }
}

void Runner::one(Item& item, std::size_t i, Desk& desk, std::int64_t ns) {
  stile_op& op = *item.ops[i];
  Tables& tables = desk.tables;
  tables.enter(ns, 0);
  const engine::Context around = context(tables);
  tables.enter(ns, around.now);
  tables.set_deadline(item.deadline);
  switch (op.kind) {
    case STILE_OP_INFO: info(database_, *item.store, around.now, op); break;
    case STILE_OP_RENDER: render(*item.store, op); break;
    case STILE_OP_ADVANCE: advance(*item.store, tables, op); break;
    default:
      if (!engine::run(tables, around, op))
        engine::refuse(op, STILE_UNSUPPORTED, "this store does not do that operation");
  }
  tables.leave();
}

}  // namespace stile::sqlite

// transact with the caller's code: on the caller's thread, on a connection of its own.
//
// SPDX-License-Identifier: Apache-2.0
#include "session.hpp"
#include "stile/sdk/plugin.hpp"

namespace stile::sqlite {

void Session::effect(Item& item) {
  stile_op& op = *item.ops[item.first];
  Database& database = store_.database();
  const Patience patience{item.deadline, [this] { return interrupted_.load(); }};
  try {
    Database::EffectDesk desk(database);
    auto lock = Database::WriteLock::take(database, desk->connection, patience);
    if (!lock) {
      return interrupted_ ? sdk::answer(op, STILE_INTERRUPTED, "the host called the call back; nothing was written")
                          : sdk::answer(op, STILE_TIMED_OUT, "the deadline passed while others held the file");
    }
    // Others may queue up fairly behind SQLite's own lock meanwhile.
    lock->give_up_turn();
    Runner runner(database);
    try {
      runner.hear(*desk);
      runner.run(item, *desk, true);
    } catch (...) {
      desk->tables.rolled_back();
      throw;
    }
    if (op.status != STILE_OK) {
      desk->tables.rolled_back();
      return lock->give_back();
    }
    store_.group().end(*desk, *lock, {&item});
  } catch (const StoreError& error) {
    reset_answer(op);
    sdk::answer(op, error);
  }
}

}  // namespace stile::sqlite

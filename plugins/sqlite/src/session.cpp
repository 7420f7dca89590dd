// Executing a batch.
//
// SPDX-License-Identifier: Apache-2.0
#include "session.hpp"

#include <algorithm>
#include <ctime>

#include "clock.hpp"
#include "stile/sdk/author.h"
#include "stile/sdk/engine/context.hpp"
#include "stile/sdk/plugin.hpp"

namespace stile::sqlite {
namespace {

constexpr std::int64_t introduce_patience = 5 * second_us;

// What has transactions of its own.
bool stands_alone(const stile_op& op) { return op.kind == STILE_OP_PREPARE; }

}  // namespace

void Session::introduce(std::int64_t deadline) {
  if (store_.known()) return;
  Database& database = store_.database();
  {
    Database::Reader reader(database);
    const std::int64_t number = store_.number(reader->connection, false);
    if (number != 0) return store_.keep_number(number);
    if (sqlite3_db_readonly(reader->connection.handle(), "main") == 1) return;
  }
  // An empty batch makes the namespace, and so starts a clock that stands still.
  Item item = item_of(std::min(deadline, monotonic_now() + introduce_patience), {});
  store_.group().write(item);
}

Item Session::item_of(std::int64_t deadline, std::span<stile_op* const> ops) {
  Item item;
  item.store = &store_;
  item.ops = ops;
  item.end = ops.size();
  item.deadline = deadline;
  item.parking = &parking_;
  item.interrupted = &interrupted_;
  return item;
}

bool Session::execute(const stile_call& call, std::span<stile_op* const> ops) {
  {
    const std::lock_guard guard(mutex_);
    running_ = call.serial;
    interrupted_.store(called_back_ >= call.serial);
    if (!interrupted_) parking_.forget(Parking::interrupted);
  }
  Item item = item_of(call.deadline, ops);
  // Runs of operations that may go together; what stands alone is done between them.
  for (std::size_t at = 0; at < ops.size();) {
    item.first = at;
    item.end = at + 1;
    while (!stands_alone(*ops[at]) && item.end < ops.size() && !stands_alone(*ops[item.end])) ++item.end;
    at = item.end;
    do_part(item);
  }
  const std::lock_guard guard(mutex_);
  running_ = 0;
  return true;
}

void Session::interrupt(std::uint64_t serial) noexcept {
  const std::lock_guard guard(mutex_);
  called_back_ = std::max(called_back_, serial);
  if (running_ == 0 || running_ > serial) return;
  interrupted_.store(true);
  parking_.tell(Parking::interrupted);
}

void Session::do_part(Item& item) {
  Database& database = store_.database();
  stile_op& op = *item.ops[item.first];
  bool prepared = false;
  try {
    prepared = database.prepared();
  } catch (const StoreError& error) {
    for (std::size_t i = item.first; i < item.end; ++i) sdk::answer(*item.ops[i], error);
    return;
  }
  if (op.kind == STILE_OP_PREPARE) return prepare(item);
  if (!prepared) {
    const stile_clock clock = database.clock();
    for (std::size_t i = item.first; i < item.end; ++i)
      stile_admit(item.ops.data(), i, item.ops.size(), &limits, &clock, 0);
    return;
  }
  if (item.ops.size() == 1 && stile_alone(&op)) {
    if (op.kind == STILE_OP_RECEIVE) return receive(item);
    if (op.kind == STILE_OP_WATCH) return watch(item);
    if (op.kind == STILE_OP_TRANSACT) return effect(item);
  }
  if (reads_only(item))
    store_.group().read(item);
  else
    store_.group().write(item);
}

void Session::prepare(Item& item) {
  stile_op& op = *item.ops[item.first];
  Database& database = store_.database();
  const stile_clock clock = database.clock();
  if (!stile_admit(item.ops.data(), item.first, item.ops.size(), &limits, &clock, 1)) return;
  try {
    const bool check_only = engine::request_of<stile_prepare_request>(op).check_only != 0;
    const bool changed = database.prepare(check_only, item.deadline);
    engine::result_of<stile_prepare_result>(op).migrated = changed ? 1 : 0;
    op.status = STILE_OK;
  } catch (const StoreError& error) {
    sdk::answer(op, error);
  }
}

}  // namespace stile::sqlite

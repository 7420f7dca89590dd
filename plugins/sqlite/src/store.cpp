// Namespaces: their numbers and their clocks.
//
// SPDX-License-Identifier: Apache-2.0
#include "store.hpp"

#include "session.hpp"
#include "stile/sdk/plugin.hpp"

namespace stile::sqlite {

const stile_limits limits = {
    .struct_size = sizeof(stile_limits),
    .reserved0 = 0,
    .id_bytes = 512,
    .value_bytes = 16u << 20,
    .reply_bytes = 16u << 20,
    .error_bytes = 4096,
    .receipt_bytes = 1024,
    .batch = 512,
    .page = 10'000,
    .queues = 64,
    .partitions = 1,
    .writers = 1,
};

std::int64_t Store::number(Connection& connection, bool may_write) {
  const std::int64_t kept = number_.load(std::memory_order_acquire);
  if (kept != 0) return kept;
  {
    Query found(connection, Sql::find_namespace, Blob(ns_));
    if (found.next()) {
      const bool manual = !found.null(3);
      if (wish_ != ClockWish::any && manual != (wish_ == ClockWish::manual))
        throw StoreError(STILE_INVALID, connection.path() + ": the clock of this namespace " +
                                            (manual ? "stands still until it is advanced: open it with clock=manual"
                                                    : "is the system's: open it without clock=manual"));
      manual_.store(manual, std::memory_order_release);
      return found.integer(0);
    }
  }
  if (!may_write) return 0;
  const bool manual = wish_ == ClockWish::manual;
  if (manual)
    connection.run(Sql::insert_namespace, Blob(ns_), database().now());
  else
    connection.run(Sql::insert_namespace, Blob(ns_), Null{});
  manual_.store(manual, std::memory_order_release);
  return sqlite3_last_insert_rowid(connection.handle());
}

std::unique_ptr<Session> Store::connect(const stile_call& call) {
  auto session = std::make_unique<Session>(*this);
  if (database().prepared()) session->introduce(call.deadline);
  return session;
}

}  // namespace stile::sqlite

// Does operations on tables whose transaction is open.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "database.hpp"
#include "item.hpp"
#include "stile/sdk/engine/context.hpp"
#include "stile/sdk/entropy.hpp"

namespace stile::sqlite {

class Runner {
 public:
  explicit Runner(Database& database) : database_(database) {}

  /// First thing in a write transaction: does what other programs said in theirs (R7), so that whatever comes after is
  /// judged by it.
  void hear(Desk& desk);
  /// Is there something to be heard? A transaction that only reads must not go on then.
  static bool something_said(Connection& connection);

  /// Does the operations of an item, one after the other, and sets their statuses. Throws StoreError when the store
  /// failed under one of them: then the transaction is to be rolled back, and their answers reset.
  void run(Item& item, Desk& desk, bool may_write);

 private:
  void one(Item& item, std::size_t i, Desk& desk, std::int64_t ns);
  engine::Context context(Tables& tables);

  Database& database_;
  sdk::Entropy entropy_;
};

}  // namespace stile::sqlite

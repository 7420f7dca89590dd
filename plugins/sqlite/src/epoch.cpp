// The first thing that is done in a new epoch (S2).
//
// SPDX-License-Identifier: Apache-2.0
#include "epoch.hpp"

#include <utility>
#include <vector>

#include "stile/sdk/engine/state.hpp"

namespace stile::sqlite {

void take_back_deliveries(Connection& connection, Tables& tables, std::uint32_t epoch, std::int64_t now) {
  std::vector<std::pair<std::int64_t, std::string>> in_flight;
  {
    Query found(connection, Sql::in_flight);
    while (found.next()) in_flight.emplace_back(found.integer(0), found.bytes(1));
  }
  for (const auto& [ns, id] : in_flight) {
    tables.enter(ns, now);
    const std::int64_t stands = tables.manual_clock();
    const engine::Context context{stands != 0 ? stands : now, nullptr, epoch, {}};
    tables.enter(ns, context.now);
    if (auto* row = engine::look(tables, context, id)) engine::store(tables, context, *row);
    tables.leave();
  }
}

}  // namespace stile::sqlite

// The first thing that is done in a new epoch (S2).
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tables.hpp"

namespace stile::sqlite {

/// What was in flight is ready again. Rows of an older epoch are put right when they are looked at; these would not be,
/// for receive finds them by the end of a lease that is void. The transaction is open.
void take_back_deliveries(Connection& connection, Tables& tables, std::uint32_t epoch, std::int64_t now);

}  // namespace stile::sqlite

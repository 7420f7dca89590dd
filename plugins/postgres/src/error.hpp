// What can go wrong with a server, as the contract's statuses: converted once, here.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "stile/abi.h"
#include "stile/sdk/engine/tables.hpp"

namespace stile::postgres {

/// Why the store did not do something. Thrown inside the plugin, caught at its edge. Its native() is the SQLSTATE.
using StoreError = sdk::engine::Failure;

/// The connection is gone, or in doubt: what was sent may have happened. Its status is UNKNOWN; who only read, or had
/// sent nothing, says UNAVAILABLE instead.
class Lost : public StoreError {
 public:
  explicit Lost(const std::string& text) : StoreError(STILE_UNKNOWN, text) {}
};

/// The status of an error that the server reported: its transaction was rolled back.
std::int32_t status_of(std::string_view sqlstate);

/// Would the same transaction succeed if it was simply begun again?
bool is_conflict(std::string_view sqlstate);

/// Does it mean that the schema, or a function of it, is not there?
bool is_unprepared(std::string_view sqlstate);

/// Is the session of no use any more after this error?
bool ends_session(std::string_view sqlstate);

/// The error as the operation is answered, with advice.
StoreError error_of(std::string_view sqlstate, std::string_view message);

}  // namespace stile::postgres

// What can go wrong with a file, as the contract's statuses: converted once, here.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <string>

#include "stile/abi.h"
#include "stile/sdk/engine/tables.hpp"

namespace stile::sqlite {

/// Why the store did not do something. Thrown inside the plugin, caught at its edge; never crosses it. Its native() is
/// SQLite's own name of the code; empty when it was not SQLite that refused.
using StoreError = sdk::engine::Failure;

/// When it went wrong. Until COMMIT is asked for, nothing can have happened; after that an I/O error leaves doubt (R2).
enum class Phase { before_commit, commit };

/// The status of an extended SQLite result code. os_error is the errno behind it, or 0.
std::int32_t status_of(int code, int os_error, Phase phase);

/// "SQLITE_BUSY" and its like, for op.native.
std::string name_of_code(int code);

/// The error that a connection has just reported, said for people: what was being done, where, what to do.
StoreError error_of(sqlite3* db, int code, const std::string& path, Phase phase = Phase::before_commit);

/// Is it only that others hold the file, or its index, for a moment?
bool is_busy(int code);
bool is_busy(const StoreError& error);

}  // namespace stile::sqlite

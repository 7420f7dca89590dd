// The versions of the schema, and the way from one to the next.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "connection.hpp"

namespace stile::sqlite {

/// What this software makes. It also works on the next one (S1): a later schema only adds.
inline constexpr std::int64_t schema_version = 7;
inline constexpr std::int64_t newest_usable = schema_version + 1;
/// Those before it were never released.
inline constexpr std::int64_t oldest_known = 6;

enum class SchemaState { absent, unreleased, older, usable, newer };

/// What the file says about itself.
struct Facts {
  std::int64_t schema = 0;  ///< 0 = nothing of this store is there
  std::string identity;     ///< sixteen random bytes, made with the file
  std::uint32_t epoch = 0;  ///< rises when the data may have gone back (S2)
  std::int64_t inode = 0;   ///< of the file that the epoch was counted in
};

SchemaState state_of(std::int64_t schema);

/// Reads what is there. The connection is in no transaction, or in one.
Facts read_facts(Connection& connection);

/// Creates or migrates inside the open write transaction, from the version that is there; writes the facts.
void migrate(Connection& connection, Facts& facts, std::int64_t inode);

/// Counts a new epoch when the data lies in another file than it did: a copy, perhaps an old one (S2).
bool adopt(Connection& connection, Facts& facts, std::int64_t inode);

}  // namespace stile::sqlite

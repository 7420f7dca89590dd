// Reading the version, migrating, counting epochs.
//
// SPDX-License-Identifier: Apache-2.0
#include "schema.hpp"

#include <sys/random.h>

#include "stile_sqlite_schema.hpp"

namespace stile::sqlite {
namespace {

// The first leads from nothing to the oldest known schema, each other one from a schema to the next.
constexpr std::string_view steps[] = {stile_sqlite_schema::schema_6, stile_sqlite_schema::schema_7};
static_assert(sizeof steps / sizeof steps[0] == schema_version - oldest_known + 1);

constexpr std::string_view has_meta = "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'stile_meta'";

bool meta_there(Connection& connection) {
  sqlite3_stmt* found = nullptr;
  int code = sqlite3_prepare_v2(connection.handle(), has_meta.data(), has_meta.size(), &found, nullptr);
  if (code == SQLITE_OK) code = sqlite3_step(found);
  const bool there = code == SQLITE_ROW && sqlite3_column_int(found, 0) != 0;
  sqlite3_finalize(found);
  if (code != SQLITE_ROW) connection.fail(code);
  return there;
}

std::int64_t number(Connection& connection, std::string_view name) {
  Query found(connection, Sql::find_meta, name);
  return found.next() ? found.integer(0) : 0;
}

}  // namespace

SchemaState state_of(std::int64_t schema) {
  if (schema == 0) return SchemaState::absent;
  if (schema < oldest_known) return SchemaState::unreleased;
  if (schema < schema_version) return SchemaState::older;
  return schema <= newest_usable ? SchemaState::usable : SchemaState::newer;
}

Facts read_facts(Connection& connection) {
  Facts facts;
  if (!meta_there(connection)) return facts;
  facts.schema = number(connection, "schema");
  facts.epoch = static_cast<std::uint32_t>(number(connection, "epoch"));
  facts.inode = number(connection, "inode");
  Query found(connection, Sql::find_meta, std::string_view("identity"));
  if (found.next()) facts.identity = found.bytes(0);
  return facts;
}

void migrate(Connection& connection, Facts& facts, std::int64_t inode) {
  const bool create = facts.schema == 0;
  if (create) facts.schema = oldest_known - 1;
  for (; facts.schema < schema_version; ++facts.schema) connection.script(steps[facts.schema - (oldest_known - 1)]);
  connection.run(Sql::save_meta, std::string_view("schema"), facts.schema);
  if (!create) return;
  unsigned char identity[16];
  if (getrandom(identity, sizeof identity, 0) != sizeof identity)
    throw StoreError(STILE_UNAVAILABLE, "the system's random source does not answer");
  facts.identity.assign(reinterpret_cast<const char*>(identity), sizeof identity);
  facts.epoch = 1;
  facts.inode = inode;
  connection.run(Sql::save_meta, std::string_view("identity"), Blob(facts.identity));
  connection.run(Sql::save_meta, std::string_view("epoch"), facts.epoch);
  connection.run(Sql::save_meta, std::string_view("inode"), facts.inode);
}

bool adopt(Connection& connection, Facts& facts, std::int64_t inode) {
  if (facts.inode == inode) return false;
  ++facts.epoch;
  facts.inode = inode;
  connection.run(Sql::save_meta, std::string_view("epoch"), facts.epoch);
  connection.run(Sql::save_meta, std::string_view("inode"), facts.inode);
  return true;
}

}  // namespace stile::sqlite

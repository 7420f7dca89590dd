// Looking at a server, preparing it.
//
// SPDX-License-Identifier: Apache-2.0
#include "schema.hpp"

#include "stile/sdk/options.hpp"

namespace stile::postgres {
namespace {

constexpr int oldest_server = 14'00'00;

[[noreturn]] void refuse_newer(const Texts& texts, std::int64_t found) {
  throw StoreError(STILE_UNSUPPORTED, "schema " + texts.schema() + " is of version " + std::to_string(found) +
                                          ", and this plugin knows versions up to " + std::to_string(schema_version) +
                                          ": update this program");
}

void check_server(const Connection& connection, const Row& row) {
  if (connection.version() < oldest_server)
    throw StoreError(STILE_UNSUPPORTED, "the server is older than version 14: update it");
  if (row.integer(0) != 0)
    throw StoreError(
        STILE_READ_ONLY,
        "this server is a standby: name the primary, or several hosts and target_session_attrs=read-write");
  if (row.bytes(3) != "on")
    throw StoreError(STILE_UNSUPPORTED,
                     "the server runs with fsync=off, so nothing it accepts is durable: set fsync=on");
  if (row.bytes(10) != "on")
    throw StoreError(STILE_UNSUPPORTED, "synchronous_commit cannot be set here and is " + std::string(row.bytes(10)) +
                                            ": allow this role to set it, or set it to on");
}

// What a pooler in transaction mode leaves is enough: nothing is kept in a session. In statement mode nothing can be
// done together, and what a session cannot set must be right by itself.
void check_pooler(Connection& connection, std::string_view isolation, bool relaxed, std::int64_t deadline) {
  connection.prepare_nothing();
  if (relaxed)
    throw StoreError(STILE_UNSUPPORTED,
                     "synchronous_commit=off is kept in a session, and behind a pooler there is none: "
                     "leave it out, or connect directly");
  if (isolation != "read committed")
    throw StoreError(STILE_UNSUPPORTED,
                     "behind a pooler the isolation of a transaction is the default, and that is " +
                         std::string(isolation) +
                         ": ALTER ROLE ... SET default_transaction_isolation TO 'read committed', or connect directly");
  try {
    connection.script("BEGIN", deadline);
    connection.script("ROLLBACK", deadline);
  } catch (const StoreError&) {
    throw StoreError(
        STILE_UNSUPPORTED,
        "the pooler refuses transactions: set its pool_mode to transaction or session, or connect directly");
  }
}

std::int64_t read_version(Connection& connection, const Texts& texts, std::int64_t deadline, Facts* facts) {
  const Result found = connection.run_text(texts[Sql::meta].text, {}, deadline);
  if (PQntuples(found.get()) == 0) return 0;
  const Row row(found, 0);
  if (facts) {
    facts->epoch = row.integer(1);
    facts->meta = {row.integer(3), row.integer(4), 0};
  }
  return row.integer(0);
}

}  // namespace

Facts read_facts(Connection& connection, const Texts& texts, bool relaxed, std::int64_t deadline) {
  Params params;
  params.integer<std::int32_t>(PQbackendPID(connection.handle())).boolean(relaxed);
  const Result found = connection.run_text(texts[Sql::first].text, params, deadline);
  const Row row(found, 0);
  check_server(connection, row);
  Facts facts;
  facts.direct = row.integer(2) != 0;
  facts.server = "PostgreSQL " + std::string(row.bytes(4));
  facts.past = {row.integer(5), row.integer(6), row.integer(7)};
  facts.end = row.integer(11);
  if (!facts.direct) check_pooler(connection, row.bytes(8), relaxed, deadline);
  if (row.integer(1) == 0) return facts;
  facts.schema = read_version(connection, texts, deadline, &facts);
  if (facts.schema > newest_usable) refuse_newer(texts, facts.schema);
  facts.prepared = facts.schema >= schema_version;
  return facts;
}

bool prepare(Connection& connection, const Texts& texts, bool check_only, std::int64_t deadline) {
  const std::string schema = texts.schema();
  connection.script(
      "BEGIN ISOLATION LEVEL READ COMMITTED; SELECT pg_advisory_xact_lock(hashtext('stile " + schema + "'))", deadline);
  try {
    std::int64_t version = 0;
    // Asked of the tables: names are looked up in a cache that may be as old as this transaction.
    const Result there = connection.run_text(
        "SELECT EXISTS (SELECT 1 FROM pg_namespace n JOIN pg_class c ON c.relnamespace = n.oid WHERE n.nspname = '" +
            schema + "' AND c.relname = 'meta')",
        {}, deadline);
    if (Row(there, 0).integer(0) != 0) version = read_version(connection, texts, deadline, nullptr);
    if (version > newest_usable) refuse_newer(texts, version);
    const bool changes = version < schema_version;
    if (changes && !check_only) {
      connection.script("CREATE SCHEMA IF NOT EXISTS " + schema, deadline);
      connection.script(texts.create(), deadline);
      connection.script("INSERT INTO " + schema +
                            ".meta (version, epoch, identity, server, timeline) SELECT 1, 1, gen_random_uuid(), "
                            "system_identifier, " +
                            schema + ".timeline_v1() FROM pg_control_system()",
                        deadline);
    }
    connection.script("COMMIT", deadline);
    return changes;
  } catch (const Lost&) {
    throw;
  } catch (const StoreError&) {
    if (!connection.broken()) connection.script("ROLLBACK", deadline);
    throw;
  }
}

}  // namespace stile::postgres

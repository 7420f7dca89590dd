// Effects in SQL: committed with their record or not at all, kept from what is not theirs, given up in time (E1-E8).
//
// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <mutex>
#include <thread>

#include "support.hpp"

namespace stile::sqlite::test {
namespace {

// The caller's code, as a function.
struct Callback {
  using Run = std::function<std::int32_t(const stile_tx&, std::string& value, std::string& error)>;
  explicit Callback(Run body) : run(std::move(body)) {}

  static std::int32_t call(void* ctx, const stile_tx* tx, stile_bytes* value, stile_text* error) {
    auto& self = *static_cast<Callback*>(ctx);
    const std::int32_t status = self.run(*tx, self.value, self.error);
    *value = bytes(self.value);
    *error = {self.error.data(), self.error.size()};
    return status;
  }

  Run run;
  std::string value, error;
};

std::int32_t query(const stile_tx& tx, std::string_view sql, std::string* error = nullptr) {
  stile_rows rows = {};
  rows.struct_size = sizeof rows;
  const std::int32_t status = tx.query(tx.ctx, {sql.data(), sql.size()}, nullptr, 0, &rows);
  if (error) *error = text(rows.error);
  return status;
}

class Effects : public testing::Test {
 protected:
  Effects() : store(plugin, folder.file()), session(store.connect()) {
    Foreign(folder.file()).exec("CREATE TABLE account(name TEXT PRIMARY KEY, amount INTEGER)");
    Foreign(folder.file()).exec("INSERT INTO account VALUES ('a', 100)");
    fence = session->acquire("w");
  }

  std::string amount() { return Foreign(folder.file()).ask("SELECT CAST(sum(amount) AS TEXT) FROM account"); }

  // One statement; the answer stays in `last`.
  std::int32_t run(const std::string& key, const std::string& sql, const std::vector<stile_value>& params = {}) {
    stile_effect effect = {};
    effect.struct_size = sizeof effect;
    effect.form = STILE_EFFECT_STATEMENT;
    effect.language = STILE_LIT("sql");
    effect.text = {sql.data(), sql.size()};
    effect.params = params.data();
    effect.n_params = params.size();
    return run_effect(*session, "w", fence, key, effect);
  }
  std::int32_t run(Session& on, std::string_view workflow, const stile_fence& with, const std::string& key,
                   Callback& callback, std::int64_t patience = 20 * s) {
    stile_effect effect = {};
    effect.struct_size = sizeof effect;
    effect.form = STILE_EFFECT_CALLBACK;
    effect.language = STILE_LIT("sql");
    effect.ctx = &callback;
    effect.run = Callback::call;
    return run_effect(on, workflow, with, key, effect, patience);
  }
  std::int32_t run_effect(Session& on, std::string_view workflow, const stile_fence& with, const std::string& key,
                          const stile_effect& effect, std::int64_t patience = 20 * s) {
    Transact op;  // several threads may be here
    op.request.workflow = bytes(workflow);
    op.request.fence = with;
    op.request.key = bytes(key);
    op.request.effect = &effect;
    on.run(op, patience);
    const std::lock_guard guard(mutex);
    last = text(op.result.value);
    last_error = op.error();
    return op.status();
  }

  Folder folder;
  Plugin plugin;
  Store store;
  std::unique_ptr<Session> session;
  stile_fence fence;
  std::mutex mutex;
  std::string last, last_error;
};

constexpr const char* spend = "UPDATE account SET amount = amount - 10 WHERE name = 'a' RETURNING CAST(amount AS TEXT)";

TEST_F(Effects, AStatementAndItsRecordAreOne) {
  EXPECT_EQ(run("pay", spend), STILE_OK) << last_error;
  EXPECT_EQ(last, "90");
  EXPECT_EQ(session->load("w", "pay"), "90");
  EXPECT_EQ(run("pay", spend), STILE_OK);  // recorded: it does not run again (E2)
  EXPECT_EQ(last, "90");
  EXPECT_EQ(amount(), "90");
}

TEST_F(Effects, Parameters) {
  const std::string name = "b";
  const std::vector<stile_value> params = {{STILE_TYPE_TEXT, 0, 0, 0, bytes(name)},
                                           {STILE_TYPE_INTEGER, 0, 7, 0, {nullptr, 0}}};
  EXPECT_EQ(run("open", "INSERT INTO account VALUES (?, ?) RETURNING name", params), STILE_OK) << last_error;
  EXPECT_EQ(last, "b");
  EXPECT_EQ(amount(), "107");
  EXPECT_EQ(run("few", "INSERT INTO account VALUES (?, ?) RETURNING name", {params[0]}), STILE_EFFECT_FAILED);
}

TEST_F(Effects, WhatFailsLeavesNothing) {
  const char* failing[] = {
      "SELECT amount FROM account",                                   // a number (E6)
      "SELECT NULL",                                                  //
      "SELECT name FROM account WHERE 0",                             // no row
      "UPDATE account SET amount = 0",                                // no row, though it changed something
      "UPDATE account SET amount = 0 RETURNING amount",               // a number, though it changed something
      "INSERT INTO account VALUES ('a', 1) RETURNING name",           // a constraint
      "INSERT OR ROLLBACK INTO account VALUES ('a', 1) RETURNING 1",  // one that ends the transaction
      "no sql at all",
      "",
      "SELECT 'a'; SELECT 'b'",
  };
  for (const char* sql : failing) {
    EXPECT_EQ(run("k", sql), STILE_EFFECT_FAILED) << sql;
    EXPECT_NE(last_error, "") << sql;
  }
  EXPECT_EQ(amount(), "100");
  EXPECT_EQ(session->load("w", "k"), "(none)");
  EXPECT_EQ(run("k", spend), STILE_OK) << last_error;
}

// Neither the transaction nor this store's tables are an effect's to touch.
TEST_F(Effects, KeptFromWhatIsNotTheirs) {
  for (const char* sql :
       {"COMMIT", "ROLLBACK", "BEGIN", "RELEASE stile_effect", "ROLLBACK TO stile_effect", "ATTACH ':memory:' AS m",
        "PRAGMA journal_mode=DELETE", "DELETE FROM stile_workflow RETURNING 'x'", "DROP TABLE stile_record",
        "UPDATE stile_meta SET value = 9 RETURNING 'x'", "INSERT INTO stile_gone VALUES (1) RETURNING 'x'",
        "CREATE TRIGGER t AFTER INSERT ON stile_record BEGIN SELECT 1; END"}) {
    EXPECT_EQ(run("k", sql), STILE_EFFECT_FAILED) << sql;
  }
  EXPECT_EQ(run("k", "SELECT CAST(count(*) AS TEXT) FROM stile_workflow"), STILE_OK) << last_error;
  EXPECT_EQ(last, "1");
}

TEST_F(Effects, OtherLanguagesAreUnsupported) {
  stile_effect effect = {};
  effect.struct_size = sizeof effect;
  effect.form = STILE_EFFECT_STATEMENT;
  effect.language = STILE_LIT("lua");
  EXPECT_EQ(run_effect(*session, "w", fence, "k", effect), STILE_UNSUPPORTED);
  effect.language = STILE_LIT("sql");
  effect.form = 99;
  EXPECT_EQ(run_effect(*session, "w", fence, "k", effect), STILE_UNSUPPORTED);
}

TEST_F(Effects, AFenceThatIsNotCurrentRunsNothing) {
  stile_fence other = fence;
  other.stamp.bytes[0] ^= 1;
  fence = other;
  EXPECT_EQ(run("k", spend), STILE_FENCED);
  EXPECT_EQ(amount(), "100");
}

TEST_F(Effects, CodeOfTheCaller) {
  Callback pay([](const stile_tx& tx, std::string& value, std::string&) -> std::int32_t {
    stile_rows rows = {};
    rows.struct_size = sizeof rows;
    const std::string_view sql = "SELECT name, amount, NULL, 1.5, x'00ff' FROM account";
    if (tx.query(tx.ctx, {sql.data(), sql.size()}, nullptr, 0, &rows) != STILE_OK || !rows.rows || rows.rows->next)
      return STILE_EFFECT_FAILED;
    const stile_value* row = rows.rows->values;
    EXPECT_EQ(rows.rows->columns, 5u);
    EXPECT_EQ(text(row[0].data), "a");
    EXPECT_EQ(row[1].integer, 100);
    EXPECT_EQ(row[2].type, STILE_TYPE_NULL);
    EXPECT_EQ(row[3].real, 1.5);
    EXPECT_EQ(text(row[4].data), std::string("\0\xff", 2));
    EXPECT_EQ(query(tx, "UPDATE account SET amount = amount - 1"), STILE_OK);
    auto* db = static_cast<sqlite3*>(tx.native(tx.ctx, STILE_LIT("sqlite3")));
    EXPECT_EQ(sqlite3_exec(db, "UPDATE account SET amount = amount - 2", nullptr, nullptr, nullptr), SQLITE_OK);
    EXPECT_EQ(tx.native(tx.ctx, STILE_LIT("PGconn")), nullptr);
    value = "paid";
    return STILE_OK;
  });
  EXPECT_EQ(run(*session, "w", fence, "pay", pay), STILE_OK) << last_error;
  EXPECT_EQ(last, "paid");
  EXPECT_EQ(amount(), "97");
}

TEST_F(Effects, CodeThatFailsLeavesNothing) {
  Callback refuse([](const stile_tx& tx, std::string&, std::string& error) -> std::int32_t {
    EXPECT_EQ(query(tx, "UPDATE account SET amount = 0"), STILE_OK);
    error = "changed my mind";
    return STILE_EFFECT_FAILED;
  });
  EXPECT_EQ(run(*session, "w", fence, "k", refuse), STILE_EFFECT_FAILED);
  EXPECT_EQ(last_error, "changed my mind");
  EXPECT_EQ(amount(), "100");
}

TEST_F(Effects, CodeThatMeetsAnErrorMayGoOn) {
  Callback go_on([](const stile_tx& tx, std::string& value, std::string&) -> std::int32_t {
    std::string error;
    EXPECT_EQ(query(tx, "INSERT INTO account VALUES ('a', 1)", &error), STILE_EFFECT_FAILED);
    EXPECT_NE(error, "");
    EXPECT_EQ(query(tx, "UPDATE account SET amount = 55"), STILE_OK);
    value = "went on";
    return STILE_OK;
  });
  EXPECT_EQ(run(*session, "w", fence, "k", go_on), STILE_OK) << last_error;
  EXPECT_EQ(amount(), "55");
}

// Through the handle of the store, too, the transaction stays open until its record is in it.
TEST_F(Effects, CodeCannotCommit) {
  Callback commit([](const stile_tx& tx, std::string&, std::string& error) -> std::int32_t {
    EXPECT_EQ(query(tx, "UPDATE account SET amount = 0"), STILE_OK);
    auto* db = static_cast<sqlite3*>(tx.native(tx.ctx, STILE_LIT("sqlite3")));
    EXPECT_NE(sqlite3_exec(db, "COMMIT", nullptr, nullptr, nullptr), SQLITE_OK);
    error = "no";
    return STILE_EFFECT_FAILED;
  });
  EXPECT_EQ(run(*session, "w", fence, "k", commit), STILE_EFFECT_FAILED);
  EXPECT_EQ(amount(), "100");
}

// E8: the caller's code hangs; after its ttl the transaction is given up, and whatever it does later comes to nothing.
TEST_F(Effects, GivenUpAfterItsTtl) {
  fence = session->acquire("slow", 300 * ms, 3600 * s);
  std::atomic<bool> open{false}, go_on{false};
  Callback hang([&](const stile_tx& tx, std::string& value, std::string&) -> std::int32_t {
    EXPECT_EQ(query(tx, "UPDATE account SET amount = 0"), STILE_OK);
    open = true;
    EXPECT_TRUE(eventually([&] { return go_on.load(); }));
    EXPECT_EQ(query(tx, "UPDATE account SET amount = 1"), STILE_EFFECT_FAILED);
    auto* db = static_cast<sqlite3*>(tx.native(tx.ctx, STILE_LIT("sqlite3")));
    EXPECT_NE(sqlite3_exec(db, "UPDATE account SET amount = 2", nullptr, nullptr, nullptr), SQLITE_OK);
    value = "too late";
    return STILE_OK;
  });
  auto own = store.connect();
  std::int32_t status = STILE_UNSET;
  std::thread holder([&] { status = run(*own, "slow", fence, "k", hang); });
  ASSERT_TRUE(eventually([&] { return open.load(); }));
  const std::int64_t start = monotonic();
  const stile_fence mine = session->acquire("w2");
  Callback pay([](const stile_tx& tx, std::string& value, std::string&) -> std::int32_t {
    value = "mine";
    return query(tx, "UPDATE account SET amount = amount - 1");
  });
  EXPECT_EQ(run(*session, "w2", mine, "k", pay), STILE_OK) << last_error;
  EXPECT_LT(monotonic() - start, 300 * ms + 5 * s);
  go_on = true;
  holder.join();
  EXPECT_EQ(status, STILE_EFFECT_FAILED);
  EXPECT_NE(last_error.find("given up"), std::string::npos) << last_error;
  EXPECT_EQ(amount(), "99");
  EXPECT_EQ(session->load("slow", "k"), "(none)");
}

TEST_F(Effects, AStatementWithoutEndIsStopped) {
  const std::string endless =
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT CAST(max(i) AS TEXT) FROM n";
  stile_effect effect = {};
  effect.struct_size = sizeof effect;
  effect.form = STILE_EFFECT_STATEMENT;
  effect.language = STILE_LIT("sql");
  effect.text = {endless.data(), endless.size()};
  const std::int64_t start = monotonic();
  EXPECT_EQ(run_effect(*session, "w", fence, "k", effect, 300 * ms), STILE_EFFECT_FAILED);
  EXPECT_LT(monotonic() - start, 5 * s);
  EXPECT_EQ(run("k", spend), STILE_OK) << last_error;
}

// One writer: others wait for an effect, and those who read do not (E7).
TEST_F(Effects, ReadersGoOnBesideAnEffect) {
  session->record("w", fence, "before", "there");
  std::atomic<bool> open{false}, go_on{false};
  Callback hold([&](const stile_tx& tx, std::string& value, std::string&) -> std::int32_t {
    EXPECT_EQ(query(tx, "UPDATE account SET amount = 1"), STILE_OK);
    open = true;
    EXPECT_TRUE(eventually([&] { return go_on.load(); }));
    value = "done";
    return STILE_OK;
  });
  auto own = store.connect();
  std::int32_t status = STILE_UNSET;
  std::thread holder([&] { status = run(*own, "w", fence, "k", hold); });
  ASSERT_TRUE(eventually([&] { return open.load(); }));
  EXPECT_EQ(session->load("w", "before"), "there");
  EXPECT_EQ(session->load("w", "k"), "(none)");
  EXPECT_EQ(amount(), "100");
  go_on = true;
  holder.join();
  EXPECT_EQ(status, STILE_OK);
  EXPECT_EQ(session->load("w", "k"), "done");
}

STILE_TEST_CHILD(die_in_an_effect) {
  Plugin plugin;
  Store store(plugin, arguments.at(0));
  auto session = store.connect();
  const stile_fence fence = session->acquire("dying");
  Callback die([](const stile_tx& tx, std::string&, std::string&) -> std::int32_t {
    query(tx, "UPDATE account SET amount = 0");
    tell("open");
    hear();
    return STILE_OK;
  });
  stile_effect effect = {};
  effect.struct_size = sizeof effect;
  effect.form = STILE_EFFECT_CALLBACK;
  effect.language = STILE_LIT("sql");
  effect.ctx = &die;
  effect.run = Callback::call;
  Transact op;
  op.request.workflow = bytes("dying");
  op.request.fence = fence;
  op.request.key = bytes("k");
  op.request.effect = &effect;
  session->run(op);
  return 0;
}

TEST_F(Effects, ADeadProcessLeavesNothing) {
  Process child("die_in_an_effect", {folder.file()});
  ASSERT_EQ(child.line(), "open");
  child.kill(SIGKILL);
  child.wait();
  EXPECT_EQ(amount(), "100");
  EXPECT_EQ(session->load("dying", "k"), "(none)");
  EXPECT_EQ(run("pay", spend), STILE_OK) << last_error;
}

}  // namespace
}  // namespace stile::sqlite::test

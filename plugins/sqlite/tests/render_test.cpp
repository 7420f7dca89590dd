// What render says, done by the caller's own connection in the caller's own transaction (R7).
//
// SPDX-License-Identifier: Apache-2.0
#include <thread>

#include "support.hpp"

namespace stile::sqlite::test {
namespace {

// Executes what render said, as any program with its own connection to the file would.
void bind(sqlite3_stmt* statement, int at, const stile_value& value) {
  switch (value.type) {
    case STILE_TYPE_INTEGER: sqlite3_bind_int64(statement, at, value.integer); break;
    case STILE_TYPE_BYTES:
      sqlite3_bind_blob64(statement, at, value.data.len ? value.data.ptr : reinterpret_cast<const uint8_t*>(""),
                          value.data.len, SQLITE_TRANSIENT);
      break;
    default: sqlite3_bind_null(statement, at); break;
  }
}

std::int32_t say(Session& session, sqlite3* db, const stile_op* op) {
  Render render;
  render.request.language = STILE_LIT("sql");
  render.request.op = op;
  if (session.run(render) != STILE_OK) return render.status();
  sqlite3_stmt* statement = nullptr;
  const stile_render_result& said = render.result;
  EXPECT_EQ(sqlite3_prepare_v2(db, said.text.ptr, static_cast<int>(said.text.len), &statement, nullptr), SQLITE_OK)
      << sqlite3_errmsg(db);
  EXPECT_EQ(static_cast<std::uint64_t>(sqlite3_bind_parameter_count(statement)), said.n_params);
  for (std::uint64_t i = 0; i < said.n_params; ++i) bind(statement, static_cast<int>(i) + 1, said.params[i]);
  EXPECT_EQ(sqlite3_step(statement), SQLITE_DONE) << sqlite3_errmsg(db);
  sqlite3_finalize(statement);
  return STILE_OK;
}

// Everything that can be seen of a namespace, but for the times.
std::string picture(Session& session) {
  std::string out;
  List list;
  list.request.limit = STILE_PAGE;
  EXPECT_EQ(session.run(list), STILE_OK) << list.error();
  for (const stile_workflow* w = list.result.workflows; w; w = w->next) {
    out += text(w->workflow) + " " + text(w->queue) + " state " + std::to_string(w->state) + " records " +
           std::to_string(w->records) + " cancel " + std::to_string(w->cancel_requested) + " count " +
           std::to_string(w->delivery_count) + "\n";
    Load load;
    load.request.workflow = w->workflow;
    load.request.limit = STILE_PAGE;
    load.request.max_bytes = STILE_ALL_BYTES;
    EXPECT_EQ(session.run(load), STILE_OK) << load.error();
    for (const stile_record* r = load.result.records; r; r = r->next)
      out += "  " + std::to_string(r->position) + " " + text(r->key) + "=" + text(r->value) + "\n";
  }
  Scan scan;
  scan.request.limit = STILE_PAGE;
  EXPECT_EQ(session.run(scan), STILE_OK) << scan.error();
  for (const stile_document* d = scan.result.documents; d; d = d->next) {
    Get get;
    get.request.key = d->key;
    EXPECT_EQ(session.run(get), STILE_OK);
    out += "document " + text(d->key) + "=" + text(get.result.value) + " version " + text(d->version) +
           (d->expires_at ? " expires" : "") + "\n";
  }
  return out;
}

// Every operation that render says, with arguments that matter, on what the ones before it left.
void each_operation(const std::function<void(stile_op*)>& does) {
  const stile_enqueue now = {sizeof now, 0, 0, 0, 0, {nullptr, 0}};
  const stile_enqueue later = {sizeof later, 0, 3600 * s, 1, 0, bytes("slow")};
  Supply supply;
  supply.request.workflow = bytes("w");
  supply.request.key = bytes("key");
  supply.request.value = bytes("value\0with a zero"sv);
  does(supply.get());
  supply.request.value = bytes("a later one");
  supply.request.enqueue = &now;
  does(supply.get());
  Append append;
  append.request.workflow = bytes("in\0box"sv);
  append.request.value = bytes("");
  does(append.get());
  append.request.has_message_id = 1;
  append.request.message_id = bytes("m1");
  append.request.value = bytes("once");
  append.request.enqueue = &later;
  does(append.get());
  does(append.get());
  Enqueue enqueue;
  enqueue.request.workflow = bytes("q");
  enqueue.request.enqueue = &later;
  enqueue->op_id = fresh_id();
  does(enqueue.get());
  does(enqueue.get());
  const stile_enqueue far = {sizeof far, 0, INT64_C(200000000000000000), 0, 0, {nullptr, 0}};  // the year 8000
  enqueue.request.workflow = bytes("far");
  enqueue.request.enqueue = &far;
  enqueue->op_id = fresh_id();
  does(enqueue.get());
  Op<stile_request_cancel_request, NoResult, STILE_OP_REQUEST_CANCEL> request_cancel;
  request_cancel.request.workflow = bytes("polite");
  request_cancel->result = nullptr;
  does(request_cancel.get());
  Cancel cancel;
  cancel.request.workflow = bytes("q");
  does(cancel.get());
  Put put;
  put.request.key = bytes("d");
  put.request.value = bytes("1");
  put.request.condition = STILE_IF_ABSENT;
  put.request.ttl = 3600 * s;
  does(put.get());
  put.request.value = bytes("2");
  does(put.get());  // loses
  put.request.condition = STILE_IF_VERSION;
  put.request.version = bytes("1");
  put.request.value = bytes("3");
  put.request.ttl = STILE_TTL_KEEP;
  does(put.get());
  put.request.key = bytes("gone");
  put.request.condition = STILE_IF_ANY;
  put.request.version = {};
  put.request.ttl = STILE_TTL_NONE;
  does(put.get());
  Erase erase;
  erase.request.key = bytes("gone");
  does(erase.get());
}

TEST(Render, LeavesWhatTheOperationWouldHaveLeft) {
  Folder folder;
  Plugin plugin;
  Store by_call(plugin, folder.file(), {}, "by call"), by_render(plugin, folder.file(), {}, "by render");
  auto does = by_call.connect(), says = by_render.connect();
  Foreign foreign(folder.file());
  int operations = 0;
  each_operation([&](stile_op* op) {
    ++operations;
    EXPECT_EQ(say(*says, foreign.handle(), op), STILE_OK);
    op->status = STILE_UNSET;
    does->execute({op});
    EXPECT_EQ(picture(*says), picture(*does)) << "after operation " << operations << ", of kind " << op->kind;
  });
  EXPECT_EQ(operations, 15);
}

TEST(Render, ManyInOneTransactionWithTheCallersOwnWrites) {
  Folder folder;
  Plugin plugin;
  Store by_call(plugin, folder.file(), {}, "by call"), by_render(plugin, folder.file(), {}, "by render");
  auto does = by_call.connect(), says = by_render.connect();
  Foreign foreign(folder.file());
  foreign.exec("CREATE TABLE orders(x)");
  ASSERT_EQ(foreign.exec("BEGIN; INSERT INTO orders VALUES (1)"), SQLITE_OK);
  each_operation([&](stile_op* op) {
    EXPECT_EQ(say(*says, foreign.handle(), op), STILE_OK);
    op->status = STILE_UNSET;
  });
  EXPECT_EQ(picture(*says), "");  // not before the commit
  ASSERT_EQ(foreign.exec("COMMIT"), SQLITE_OK);
  each_operation([&](stile_op* op) {
    op->status = STILE_UNSET;
    does->execute({op});
  });
  EXPECT_EQ(picture(*says), picture(*does));
  EXPECT_EQ(foreign.ask("SELECT CAST(count(*) AS TEXT) FROM stile_said"), "0");
}

TEST(Render, RolledBackItLeavesNothing) {
  Folder folder;
  Plugin plugin;
  Store store(plugin, folder.file());
  auto session = store.connect();
  Foreign foreign(folder.file());
  ASSERT_EQ(foreign.exec("BEGIN"), SQLITE_OK);
  each_operation([&](stile_op* op) { EXPECT_EQ(say(*session, foreign.handle(), op), STILE_OK); });
  ASSERT_EQ(foreign.exec("ROLLBACK"), SQLITE_OK);
  EXPECT_EQ(picture(*session), "");
}

// No bell tells of it: the look once a second finds it, within the fallback interval of 5 s.
TEST(Render, AWakeupIsDeliveredToOneWhoWaits) {
  Folder folder;
  Plugin plugin;
  Store store(plugin, folder.file());
  auto session = store.connect();
  Foreign foreign(folder.file());
  const stile_enqueue now = {sizeof now, 0, 0, 0, 0, {nullptr, 0}};
  Enqueue enqueue;
  enqueue.request.workflow = bytes("w");
  enqueue.request.enqueue = &now;
  auto own = store.connect();
  std::thread sayer([&] { EXPECT_EQ(say(*own, foreign.handle(), enqueue.get()), STILE_OK); });
  const std::int64_t start = monotonic();
  EXPECT_EQ(session->receive(20 * s), std::vector<std::string>{"w"});
  EXPECT_LT(monotonic() - start, 5 * s);
  sayer.join();
}

// A delay and a ttl begin when it was said, not when somebody came by to hear it.
TEST(Render, TimesCountFromWhenItWasSaid) {
  Folder folder;
  Plugin plugin;
  Store store(plugin, folder.file());
  auto session = store.connect();
  Foreign foreign(folder.file());
  const stile_enqueue later = {sizeof later, 0, 3600 * s, 0, 0, {nullptr, 0}};
  Enqueue enqueue;
  enqueue.request.workflow = bytes("w");
  enqueue.request.enqueue = &later;
  Put put;
  put.request.key = bytes("d");
  put.request.ttl = 3600 * s;
  const std::string long_ago = "UPDATE stile_said SET said_at = said_at - 3601000000";
  EXPECT_EQ(say(*session, foreign.handle(), enqueue.get()), STILE_OK);
  ASSERT_EQ(foreign.exec(long_ago), SQLITE_OK);
  EXPECT_EQ(session->receive(), std::vector<std::string>{"w"});
  EXPECT_EQ(say(*session, foreign.handle(), put.get()), STILE_OK);
  ASSERT_EQ(foreign.exec(long_ago), SQLITE_OK);
  Get get;
  get.request.key = bytes("d");
  EXPECT_EQ(session->run(get), STILE_NOT_FOUND);
}

TEST(Render, InsideAnEffectToo) {
  Folder folder;
  Plugin plugin;
  Store store(plugin, folder.file());
  auto session = store.connect();
  const stile_enqueue now = {sizeof now, 0, 0, 0, 0, {nullptr, 0}};
  Enqueue enqueue;
  enqueue.request.workflow = bytes("child");
  enqueue.request.enqueue = &now;
  Render render;
  render.request.language = STILE_LIT("sql");
  render.request.op = enqueue.get();
  ASSERT_EQ(session->run(render), STILE_OK);
  const std::string sql = text(render.result.text) + " RETURNING 'said'";
  stile_effect effect = {};
  effect.struct_size = sizeof effect;
  effect.form = STILE_EFFECT_STATEMENT;
  effect.language = STILE_LIT("sql");
  effect.text = {sql.data(), sql.size()};
  effect.params = render.result.params;
  effect.n_params = render.result.n_params;
  Transact op;
  op.request.workflow = bytes("parent");
  op.request.fence = session->acquire("parent");
  op.request.key = bytes("start child");
  op.request.effect = &effect;
  ASSERT_EQ(session->run(op), STILE_OK) << op.error();
  EXPECT_EQ(session->receive(), std::vector<std::string>{"child"});
}

TEST(Render, RefusesWhatTheOperationWouldRefuse) {
  Folder folder;
  Plugin plugin;
  Store store(plugin, folder.file());
  auto session = store.connect();
  Foreign foreign(folder.file());
  Supply supply;
  supply.request.workflow = bytes("w");
  supply.request.key = bytes("inbox:1");
  EXPECT_EQ(say(*session, foreign.handle(), supply.get()), STILE_INVALID);
  Supply long_key;
  const std::string key(513, 'k');
  long_key.request.workflow = bytes("w");
  long_key.request.key = bytes(key);
  EXPECT_EQ(say(*session, foreign.handle(), long_key.get()), STILE_TOO_LARGE);
  Record record;
  EXPECT_EQ(say(*session, foreign.handle(), record.get()), STILE_UNSUPPORTED);
  Render render;
  render.request.language = STILE_LIT("lua");
  render.request.op = supply.get();
  EXPECT_EQ(session->run(render), STILE_UNSUPPORTED);
}

// Whatever else somebody may write there, the store goes on.
TEST(Render, NonsenseIsPassedOver) {
  Folder folder;
  Plugin plugin;
  Store store(plugin, folder.file());
  auto session = store.connect();
  Foreign foreign(folder.file());
  ASSERT_EQ(foreign.exec("INSERT INTO stile_said(namespace, kind, subject) VALUES (x'', 999, x''), (x'', 13, x''), "
                         "(x'', 6, x'61'), ('', 5, 'w'), (x'6e6577', 13, x'71')"),
            SQLITE_OK);
  EXPECT_EQ(session->enqueue("w"), STILE_OK);
  EXPECT_EQ(foreign.ask("SELECT CAST(count(*) AS TEXT) FROM stile_said"), "0");
  EXPECT_EQ(session->receive(), std::vector<std::string>{"w"});
}

}  // namespace
}  // namespace stile::sqlite::test

// The statements: each says truly what it is given, none walks through a table, and none is there for nothing.
//
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "session.hpp"
#include "statements.hpp"
#include "store.hpp"
#include "support.hpp"
#include "tail.hpp"

namespace stile::sqlite::test {
namespace {

std::vector<Sql> all_statements() {
  std::vector<Sql> all;
  for (std::size_t i = 0; i < sql_count; ++i) all.push_back(static_cast<Sql>(i));
  return all;
}

std::string name(Sql which) { return std::string(name_of(which)); }

// The names after "-- in:", which may go over several lines.
std::vector<std::string> said_parameters(std::string_view sql) {
  std::istringstream lines{std::string(sql)};
  std::string line, all;
  for (bool inside = false; std::getline(lines, line);) {
    if (line.rfind("-- in:", 0) == 0)
      inside = true, all += line.substr(6);
    else if (inside && line.rfind("--      ", 0) == 0)
      all += line.substr(2);
    else
      inside = false;
  }
  std::replace(all.begin(), all.end(), ',', ' ');
  std::istringstream words(all);
  return {std::istream_iterator<std::string>(words), {}};
}

class Statements : public testing::Test {
 protected:
  Statements() : store(plugin, folder.file()), foreign(folder.file()) {}
  Folder folder;
  Plugin plugin;
  Store store;
  Foreign foreign;
};

TEST_F(Statements, SayWhatTheyAreGivenInThatOrder) {
  for (const Sql which : all_statements()) {
    const std::string sql(text_of(which));
    sqlite3_stmt* statement = nullptr;
    ASSERT_EQ(sqlite3_prepare_v2(foreign.handle(), sql.c_str(), -1, &statement, nullptr), SQLITE_OK)
        << name(which) << ": " << sqlite3_errmsg(foreign.handle());
    const std::vector<std::string> said = said_parameters(sql);
    EXPECT_EQ(static_cast<std::size_t>(sqlite3_bind_parameter_count(statement)), said.size()) << name(which);
    for (std::size_t i = 0; i < said.size(); ++i) {
      const char* given = sqlite3_bind_parameter_name(statement, static_cast<int>(i) + 1);
      if (given) {  // render's have none
        EXPECT_EQ(std::string(given), ":" + said[i]) << name(which);
      }
    }
    sqlite3_finalize(statement);
  }
}

TEST_F(Statements, FindByIndexAlone) {
  // These look at one row, or at the heads of a queue of at most that many.
  const std::set<Sql> small = {Sql::first_gone, Sql::first_said, Sql::stored_bytes};
  // A bounded number of rows is sorted, or counted, after an index has found them.
  const std::set<Sql> bounded = {Sql::first_put_off, Sql::count_documents, Sql::count_workflows};
  for (const Sql which : all_statements()) {
    if (which == Sql::in_flight) continue;  // walks, once an epoch
    sqlite3_stmt* plan = nullptr;
    const std::string sql = "EXPLAIN QUERY PLAN " + std::string(text_of(which));
    if (sqlite3_prepare_v2(foreign.handle(), sql.c_str(), -1, &plan, nullptr) != SQLITE_OK) continue;  // PRAGMA, BEGIN
    while (sqlite3_step(plan) == SQLITE_ROW) {
      const std::string step = reinterpret_cast<const char*>(sqlite3_column_text(plan, 3));
      const bool walks = step.rfind("SCAN", 0) == 0, sorts = step.find("TEMP B-TREE") != std::string::npos;
      const bool over_found = step.find("(subquery") != std::string::npos;
      if (walks) {
        EXPECT_TRUE(small.count(which) || (bounded.count(which) && over_found)) << name(which) << ": " << step;
      }
      if (sorts) {
        EXPECT_TRUE(bounded.count(which)) << name(which) << ": " << step;
      }
    }
    sqlite3_finalize(plan);
  }
}

// Through the classes of the plugin, since the table shows no counts.
class Direct {
 public:
  Direct(const std::string& path, std::shared_ptr<Tally> tally)
      : file_(std::make_shared<SharedFile>(FileOptions{path, true, 0}, Host{}, std::move(tally))) {
    file_->database.prepare(false, INT64_MAX);
    store_ = std::make_unique<sqlite::Store>(file_, "", ClockWish::manual);
    session_ = store_->connect(stile_call{sizeof(stile_call), 0, 0, STILE_NEVER});
  }
  template <class O>
  std::int32_t run(O& op) {
    stile_op* ops[] = {op.get()};
    op.reset();
    session_->execute(stile_call{sizeof(stile_call), 0, ++serial_, STILE_NEVER}, ops);
    return op.status();
  }

 private:
  std::shared_ptr<SharedFile> file_;
  std::unique_ptr<sqlite::Store> store_;
  std::unique_ptr<sqlite::Session> session_;
  std::uint64_t serial_ = 0;
};

void set_receive(Receive& op, const stile_bytes* queue, bool acquire) {
  op.request.max = 10;
  op.request.lease = s;
  op.request.queues = queue;
  op.request.n_queues = 1;
  op.request.acquire = acquire;
  op.request.acquire_ttl = op.request.acquire_budget = 10 * s;
}

void look_at_everything(Direct& store) {
  for (const char* prefix : {"", "w"}) {
    List list;
    list.request.limit = 10;
    list.request.prefix = bytes(prefix);
    list.request.after = bytes(*prefix ? "" : "a");
    ASSERT_EQ(store.run(list), STILE_OK);
    Scan scan;
    scan.request.limit = 10;
    scan.request.prefix = bytes(prefix);
    scan.request.after = list.request.after;
    ASSERT_EQ(store.run(scan), STILE_OK);
  }
  Stats stats;
  ASSERT_EQ(store.run(stats), STILE_OK);
  Put put;
  put.request.key = bytes("d");
  put.request.ttl = s;
  ASSERT_EQ(store.run(put), STILE_OK);
  put.request.ttl = 2 * s;
  const std::string large(5'000, 'x');
  for (const std::string_view value : {std::string_view(large), std::string_view("small")}) {
    put.request.value = bytes(value);
    ASSERT_EQ(store.run(put), STILE_OK);
  }
}

void use_records(Direct& store, const stile_enqueue& now, stile_fence& fence) {
  Acquire acquire;
  acquire.request.workflow = bytes("w");
  acquire.request.ttl = acquire.request.budget = 5 * s;
  ASSERT_EQ(store.run(acquire), STILE_OK);
  fence = acquire.result.fence;
  Record record;
  record.request.workflow = bytes("w");
  record.request.fence = fence;
  record.request.key = bytes("k");
  const std::string large(Tail::most, 'x');  // stands in a row of its own, and so does what came before it
  record.request.value = bytes(large);
  ASSERT_EQ(store.run(record), STILE_OK);
  ASSERT_EQ(store.run(record), STILE_OK);  // the loser looks at the winner
  Append append;
  append.request.workflow = bytes("w");
  append.request.enqueue = &now;
  append->op_id = fresh_id();
  ASSERT_EQ(store.run(append), STILE_OK);
  ASSERT_EQ(store.run(append), STILE_OK);  // sent again
  const std::string first = text(append.result.key);
  append->op_id = fresh_id();
  ASSERT_EQ(store.run(append), STILE_OK);
  record.request.key = bytes("l");
  ASSERT_EQ(store.run(record), STILE_OK);
  Load load;
  load.request.workflow = bytes("w");
  load.request.limit = STILE_PAGE;
  load.request.max_bytes = STILE_ALL_BYTES;
  ASSERT_EQ(store.run(load), STILE_OK);
  load.request.has_key = 1;
  load.request.key = bytes(first);
  ASSERT_EQ(store.run(load), STILE_OK);
}

void use_everything(const std::string& path, const std::shared_ptr<Tally>& tally) {
  Direct store(path, tally);
  const stile_enqueue now = {sizeof now, 0, 0, 1, 0, bytes("q")};
  const stile_bytes queue = bytes("q"), default_queue = {};
  stile_fence fence;
  ASSERT_NO_FATAL_FAILURE(use_records(store, now, fence));
  Receive receive;
  set_receive(receive, &queue, true);  // held: put off (D9)
  ASSERT_EQ(store.run(receive), STILE_OK);
  Enqueue enqueue;
  enqueue.request.workflow = bytes("x");
  const stile_enqueue plain = {sizeof plain, 0, 0, 0, 0, {}};
  enqueue.request.enqueue = &plain;
  ASSERT_EQ(store.run(enqueue), STILE_OK);
  Receive other;
  set_receive(other, &default_queue, false);
  other->op_id = fresh_id();
  ASSERT_EQ(store.run(other), STILE_OK);
  other->must = STILE_MUST_AGAIN;
  ASSERT_EQ(store.run(other), STILE_OK);
  Rebase rebase;
  rebase.request.workflow = bytes("w");
  rebase.request.fence = fence;
  rebase.request.key = bytes("base");
  rebase.request.inbox_after = bytes("inbox:00000000000000000002");  // the first message, of the two in one run
  ASSERT_EQ(store.run(rebase), STILE_OK);
  look_at_everything(store);
  Discard discard;
  discard.request.cancel = 1;
  for (const char* workflow : {"w", "x"}) {
    discard.request.workflow = bytes(workflow);
    ASSERT_EQ(store.run(discard), STILE_OK);
  }
  const stile_op* say = enqueue.get();
  Render render;
  render.request.language = STILE_LIT("sql");
  render.request.op = say;
  ASSERT_EQ(store.run(render), STILE_OK);
  Foreign(path).exec("INSERT INTO stile_said(namespace, kind, subject, enqueue_at) VALUES (x'00', 13, x'00', 0)");
  Advance advance;
  advance.request.by = 3600 * s;
  ASSERT_EQ(store.run(advance), STILE_OK);
  Trim trim;
  trim.request.limit = 100;
  ASSERT_EQ(store.run(trim), STILE_OK);
  Receive waits;
  set_receive(waits, &queue, false);
  waits.request.wait = 1;
  ASSERT_EQ(store.run(waits), STILE_OK);
}

TEST(StatementsRun, NoneIsThereForNothing) {
  Folder folder;
  const auto tally = std::make_shared<Tally>();
  use_everything(folder.file(), tally);
  EXPECT_EQ(Foreign(folder.file()).ask("PRAGMA integrity_check"), "ok");
  std::filesystem::copy(folder.file(), folder.file("copy.db"));
  Direct(folder.file("copy.db"), tally);  // begins an epoch
  // Said to others, not run here; and run by the thread that waits, at its own times.
  const std::set<Sql> elsewhere = {Sql::say, Sql::data_version};
  for (const Sql which : all_statements())
    EXPECT_TRUE((*tally)[static_cast<std::size_t>(which)].load() > 0 || elsewhere.count(which)) << name(which);
}

// Bytes that this process has read from files.
std::uint64_t bytes_read() {
  std::ifstream io("/proc/self/io");
  std::string word;
  std::uint64_t count = 0;
  while (io >> word >> count)
    if (word == "rchar:") break;
  return count;
}

// A value of 16 MiB must cost those who read and write it, not everybody whose key lies near.
TEST(StatementsRun, NobodyReadsTheLargeValueOfANeighbour) {
  Folder folder;
  Plugin plugin;
  const std::string large(16 << 20, 'x');
  {
    Store store(plugin, folder.file());
    auto session = store.connect();
    ASSERT_EQ(session->record("large", session->acquire("large"), "k", large), STILE_OK);
    Put put;
    put.request.key = bytes("b");
    put.request.value = bytes(large);
    ASSERT_EQ(session->run(put), STILE_OK);
  }
  Store store(plugin, folder.file());
  auto session = store.connect();
  const stile_fence fence = session->acquire("small");
  const std::uint64_t before = bytes_read();
  for (const char* key : {"j", "k", "l"}) ASSERT_EQ(session->record("small", fence, key, "v"), STILE_OK);
  for (const char* key : {"a", "c"}) {
    Put put;
    put.request.key = bytes(key);
    ASSERT_EQ(session->run(put), STILE_OK);
  }
  EXPECT_LT(bytes_read() - before, 4u << 20);
  EXPECT_EQ(session->load("large", "k"), large);
}

// What lay aside goes with what it belonged to.
TEST(StatementsRun, LargeValuesGoWithTheirOwners) {
  Folder folder;
  Plugin plugin;
  Store store(plugin, folder.file());
  auto session = store.connect();
  const std::string large(5'000, 'x'), larger(6'000, 'y');
  const auto aside = [&] { return Foreign(folder.file()).ask("SELECT count(*) FROM stile_value"); };
  Put put;
  put.request.key = bytes("d");
  for (const std::string_view value : {std::string_view(large), std::string_view(larger)}) {
    put.request.value = bytes(value);
    ASSERT_EQ(session->run(put), STILE_OK);
    put.reset();
  }
  EXPECT_EQ(aside(), "1");
  put.request.value = bytes("small");
  ASSERT_EQ(session->run(put), STILE_OK);
  EXPECT_EQ(aside(), "0");
}

}  // namespace
}  // namespace stile::sqlite::test

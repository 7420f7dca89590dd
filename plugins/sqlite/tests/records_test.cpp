// Records: the last ones in the row of their workflow, the others in rows of their own, and nobody can tell.
//
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "packed_records.hpp"
#include "support.hpp"
#include "tail.hpp"

namespace stile::sqlite::test {
namespace {

using Pair = std::pair<std::string, std::string>;

std::vector<Pair> read_all(const Tail& tail) {
  std::vector<Pair> all;
  engine::Record record;
  for (std::size_t at = Tail::start; tail.read(at, record);) all.emplace_back(record.key, record.value);
  return all;
}

engine::Record record_at(std::int64_t position, std::string_view key, std::string_view value) {
  engine::Record record;
  record.position = position;
  record.key = key;
  record.value = value;
  return record;
}

TEST(TailOfARow, HoldsRecordsInTheirOrder) {
  Tail tail;
  tail.begin();
  EXPECT_FALSE(tail.records_elsewhere() || tail.messages_elsewhere());
  tail.add(record_at(1, "a", "one"));
  tail.add(record_at(2, "inbox:2", ""));
  tail.add(record_at(3, "inbox:3", std::string(3, '\0')));
  EXPECT_EQ(read_all(tail), (std::vector<Pair>{{"a", "one"}, {"inbox:2", ""}, {"inbox:3", std::string(3, '\0')}}));
  EXPECT_EQ(tail.erase(2), 2u);
  EXPECT_EQ(read_all(tail).size(), 1u);
  EXPECT_FALSE(tail.records_elsewhere());
  tail.spilled();
  EXPECT_TRUE(tail.records_elsewhere());
  EXPECT_FALSE(tail.messages_elsewhere());
  EXPECT_TRUE(read_all(tail).empty());
}

TEST(TailOfARow, HasRoomForWhatStaysInThePage) {
  Tail tail;
  tail.begin();
  const std::string value(Tail::most - 42, 'x');
  EXPECT_TRUE(tail.has_room_for(record_at(1, "k", value)));
  EXPECT_FALSE(tail.has_room_for(record_at(1, "kk", value)));
}

TEST(TailOfARow, KnowsWhatMakesNoSense) {
  Tail tail, copy;
  tail.begin();
  tail.add(record_at(1, "key", "value"));
  tail.add(record_at(2, "key2", "value"));
  engine::Row row;
  EXPECT_TRUE(copy.assign({}, row, 0));
  EXPECT_FALSE(copy.assign({}, row, 1));
  row.records = row.position = 2;
  const std::string bytes(tail.bytes());
  EXPECT_TRUE(copy.assign(bytes, row, 1));
  for (std::size_t cut = 0; cut < bytes.size(); ++cut) EXPECT_FALSE(copy.assign(bytes.substr(0, cut), row, 1)) << cut;
  EXPECT_FALSE(copy.assign(bytes + bytes.substr(1), row, 1));
  row.position = 3;
  EXPECT_FALSE(copy.assign(bytes, row, 1));
  row.position = 2;
  row.records = 3;
  EXPECT_FALSE(copy.assign(bytes, row, 1));
}

TEST(PackedRecords, AreReadAsTheyWereOrNotAtAll) {
  const std::string value(70'000, 'v');
  engine::Record whole = record_at(INT64_MAX, "key", value), read;
  whole.written_at = 5;
  whole.op.bytes[15] = 9;
  whole.kind = STILE_OP_COUNT;
  std::string run;
  pack(whole, run);
  pack(record_at(2, "", ""), run);
  std::size_t at = 0;
  ASSERT_TRUE(unpack(run, at, read));
  EXPECT_EQ(at, packed_size(whole));
  EXPECT_EQ(read.position, INT64_MAX);
  EXPECT_EQ(read.written_at, 5);
  EXPECT_TRUE(engine::same(read.op, whole.op));
  EXPECT_EQ(read.kind, whole.kind);
  EXPECT_EQ(read.key, whole.key);
  EXPECT_EQ(read.value, whole.value);
  ASSERT_TRUE(unpack(run, at, read));
  EXPECT_EQ(read.position, 2);
  EXPECT_EQ(at, run.size());
  EXPECT_FALSE(unpack(run, at, read));
  for (std::size_t size = 0; size < packed_size(whole); size = size < 50 ? size + 1 : size * 2) {
    at = 0;
    EXPECT_FALSE(unpack(std::string_view(run).substr(0, size), at, read)) << size;
    EXPECT_EQ(at, 0u);
  }
}

std::vector<Pair> load_all(Session& session, std::uint32_t page) {
  std::vector<Pair> all;
  for (std::int64_t after = 0;;) {
    Load load;
    load.request.workflow = bytes("w");
    load.request.after = after;
    load.request.limit = page;
    load.request.max_bytes = STILE_ALL_BYTES;
    EXPECT_EQ(session.run(load), STILE_OK) << load.error();
    for (const stile_record* record = load.result.records; record; record = record->next) {
      EXPECT_GT(record->position, after);
      after = record->position;
      all.emplace_back(std::string(reinterpret_cast<const char*>(record->key.ptr), record->key.len),
                       std::string(reinterpret_cast<const char*>(record->value.ptr), record->value.len));
    }
    if (!load.result.more) return all;
  }
}

class Records : public testing::Test {
 protected:
  std::string rows() { return Foreign(folder.file()).ask("SELECT count(*) FROM stile_record"); }

  // Small and large ones and messages, in an order that makes small ones move on.
  void write_many() {
    for (int i = 0; i < 60; ++i) {
      std::string key = "k" + std::to_string(i), value(i % 7 == 6 ? 3'000 : i * 3, static_cast<char>('a' + i % 26));
      if (i % 5 == 4) {
        Append append;
        append.request.workflow = bytes("w");
        append.request.value = bytes(value);
        append.request.has_message_id = 1;
        append.request.message_id = bytes(key);
        ASSERT_EQ(session->run(append), STILE_OK) << append.error();
        key.assign(reinterpret_cast<const char*>(append.result.key.ptr), append.result.key.len);
      } else {
        ASSERT_EQ(session->record("w", fence, key, value), STILE_OK);
      }
      written.emplace_back(key, value);
    }
  }

  Folder folder;
  Plugin plugin;
  Store store{plugin, folder.file()};
  std::unique_ptr<Session> session = store.connect();
  stile_fence fence = session->acquire("w");
  std::vector<Pair> written;
};

TEST_F(Records, AFewTakeNoRowsOfTheirOwn) {
  for (const char* key : {"a", "b", "c"}) ASSERT_EQ(session->record("w", fence, key, "value"), STILE_OK);
  EXPECT_EQ(rows(), "0");
  EXPECT_EQ(session->load("w", "b"), "value");
  Discard discard;
  discard.request.workflow = bytes("w");
  ASSERT_EQ(session->run(discard), STILE_OK);
  EXPECT_EQ(Foreign(folder.file()).ask("SELECT count(*) FROM stile_gone"), "0");
}

TEST_F(Records, AreReadInTheirOrderWhereverTheyStand) {
  write_many();
  EXPECT_NE(rows(), "0");
  EXPECT_NE(rows(), "60");
  for (const std::uint32_t page : {1u, 7u, 60u}) EXPECT_EQ(load_all(*session, page), written) << page;
  for (const auto& [key, value] : written) EXPECT_EQ(session->load("w", key), value) << key;
  EXPECT_EQ(Foreign(folder.file()).ask("PRAGMA integrity_check"), "ok");
}

TEST_F(Records, StandWhereverTheyAre) {
  write_many();
  for (const auto& [key, value] : written) {
    if (key[0] != 'k') continue;
    Record record;
    record.request.workflow = bytes("w");
    record.request.fence = fence;
    record.request.key = bytes(key);
    record.request.value = bytes("another");
    ASSERT_EQ(session->run(record), STILE_OK) << record.error();
    EXPECT_EQ(record.result.first, 0u) << key;
  }
  EXPECT_EQ(load_all(*session, 60), written);
}

TEST_F(Records, GoByRebaseWhereverTheyAre) {
  write_many();
  const std::string last_read = written[34].first;  // a message in a row of its own
  Rebase rebase;
  rebase.request.workflow = bytes("w");
  rebase.request.fence = fence;
  rebase.request.key = bytes("base");
  rebase.request.inbox_after = bytes(last_read);
  ASSERT_EQ(session->run(rebase), STILE_OK) << rebase.error();
  std::vector<Pair> left;
  for (const auto& pair : written)
    if (pair.first[0] == 'i' && pair.first > last_read) left.push_back(pair);
  EXPECT_EQ(left.size(), 5u);
  EXPECT_EQ(rebase.result.removed, 55u);
  EXPECT_EQ(Foreign(folder.file()).ask("SELECT count(*) FROM stile_key"), "0");
  left.emplace_back("base", "");
  EXPECT_EQ(load_all(*session, 60), left);
}

// For each damage: set in every row of the column, a load says that it is corrupt and where; then taken back.
void expect_corrupt(Session& session, const Folder& folder, const std::string& table, const std::string& column,
                    std::initializer_list<const char*> damages) {
  Foreign foreign(folder.file());
  for (const char* damage : damages) {
    ASSERT_EQ(foreign.exec("CREATE TABLE kept AS SELECT * FROM " + table), SQLITE_OK);
    ASSERT_EQ(foreign.exec("UPDATE " + table + " SET " + column + " = " + damage), SQLITE_OK);
    Load load;
    load.request.workflow = bytes("w");
    load.request.limit = 100;
    load.request.max_bytes = STILE_ALL_BYTES;
    EXPECT_EQ(session.run(load), STILE_CORRUPT) << damage;
    EXPECT_NE(load.error().find(table + "." + column), std::string::npos) << load.error();
    ASSERT_EQ(foreign.exec("DELETE FROM " + table + "; INSERT INTO " + table + " SELECT * FROM kept; DROP TABLE kept"),
              SQLITE_OK);
  }
}

TEST_F(Records, ADamagedTailIsCorruptAndSaysWhere) {
  for (const char* key : {"a", "b"}) ASSERT_EQ(session->record("w", fence, key, "value"), STILE_OK);
  expect_corrupt(*session, folder, "stile_workflow", "tail",
                 {"NULL", "x''", "x'0001'", "substr(tail, 1, 47)", "tail || substr(tail, 2)", "7"});
  EXPECT_EQ(session->load("w", "b"), "value");
}

TEST_F(Records, ADamagedRunIsCorruptAndSaysWhere) {
  write_many();
  expect_corrupt(*session, folder, "stile_record", "records",
                 {"x'00'", "substr(records, 1, length(records) - 1)", "records || x'00'", "7"});
  EXPECT_EQ(load_all(*session, 60), written);
}

// Whichever byte is another: what can be read is read, what cannot is corrupt, and nothing worse comes of it.
TEST_F(Records, ADamagedByteEndsNothing) {
  for (const char* key : {"a", "b", "c"}) ASSERT_EQ(session->record("w", fence, key, std::string(250, 'v')), STILE_OK);
  Foreign foreign(folder.file());
  foreign.exec("PRAGMA synchronous = OFF");
  const std::string whole = foreign.ask("SELECT hex(records) FROM stile_record");
  ASSERT_EQ(foreign.ask("SELECT count(*) FROM stile_record"), "1");
  int corrupt = 0, read = 0;
  for (std::size_t at = 0; at < 100; at += 2) {
    for (const char* other : {"00", "01", "7F", "FF"}) {
      const std::string damaged = std::string(whole).replace(at, 2, other);
      ASSERT_EQ(foreign.exec("UPDATE stile_record SET records = x'" + damaged + "'"), SQLITE_OK);
      Load all, one;
      all.request.workflow = one.request.workflow = bytes("w");
      all.request.limit = 100;
      all.request.max_bytes = one.request.max_bytes = STILE_ALL_BYTES;
      one.request.has_key = 1;
      one.request.key = bytes("b");
      const std::int32_t status = session->run(all);
      ASSERT_TRUE(status == STILE_OK || status == STILE_CORRUPT) << status << ' ' << all.error() << " at " << at;
      ++(status == STILE_OK ? read : corrupt);
      EXPECT_NE(session->run(one), STILE_UNSET) << at;
    }
  }
  EXPECT_GT(corrupt, 0);
  EXPECT_GT(read, 0);
}

}  // namespace
}  // namespace stile::sqlite::test

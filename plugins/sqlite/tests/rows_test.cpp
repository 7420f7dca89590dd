// Rows of workflows: what stands packed in them, and what a damaged one is taken for.
//
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <random>

#include "packed.hpp"
#include "support.hpp"

namespace stile::sqlite::test {
namespace {

bool same(const engine::RowCore& a, const engine::RowCore& b) { return std::memcmp(&a, &b, sizeof a) == 0; }

std::string packed(const engine::RowCore& core) { return std::string(Packed(core).bytes()); }

// Some of its bytes set.
engine::RowCore random_core(std::mt19937& random) {
  engine::RowCore core;
  auto* bytes = reinterpret_cast<unsigned char*>(&core);
  const unsigned one_in = 1u << random() % 8;
  for (std::size_t i = 0; i < sizeof core; ++i)
    if (random() % one_in == 0) bytes[i] = static_cast<unsigned char>(random());
  core.trim_class = static_cast<engine::TrimClass>(random() % 4);
  return core;
}

// The bytes are in files: another place of a field is another schema.
TEST(PackedRow, HasItsFieldsWhereTheyWere) {
  using Core = engine::RowCore;
  const std::vector<std::size_t> places = {
      offsetof(Core, number),     offsetof(Core, stamp),          offsetof(Core, ttl),
      offsetof(Core, alive),      offsetof(Core, budget),         offsetof(Core, due),
      offsetof(Core, since),      offsetof(Core, pend),           offsetof(Core, receive),
      offsetof(Core, delivery),   offsetof(Core, cancelled_at),   offsetof(Core, position),
      offsetof(Core, records),    offsetof(Core, written_at),     offsetof(Core, finished_at),
      offsetof(Core, touched_at), offsetof(Core, happened_at),    offsetof(Core, trim_at),
      offsetof(Core, answer_op),  offsetof(Core, answer_at),      offsetof(Core, enqueue_op),
      offsetof(Core, enqueue_at), offsetof(Core, cancel_op),      offsetof(Core, request_cancel_op),
      offsetof(Core, discard_op), offsetof(Core, discard_removed)};
  EXPECT_EQ(places, (std::vector<std::size_t>{0,   8,   24,  32,  40,  48,  56,  64,  72,  88,  96,  104, 112,
                                              120, 128, 136, 144, 152, 160, 176, 184, 200, 208, 224, 240, 256}));
  const std::vector<std::size_t> small = {
      offsetof(Core, answer_count),     offsetof(Core, count),          offsetof(Core, epoch),
      offsetof(Core, wakeup),           offsetof(Core, trim_class),     offsetof(Core, put_off),
      offsetof(Core, cancel_requested), offsetof(Core, granted_by),     offsetof(Core, answer_kind),
      offsetof(Core, answer_flag),      offsetof(Core, enqueue_kind),   offsetof(Core, enqueue_state),
      offsetof(Core, cancel_removed),   offsetof(Core, has_next_queue), offsetof(Core, reserved)};
  EXPECT_EQ(small,
            (std::vector<std::size_t>{264, 268, 272, 276, 277, 278, 279, 280, 281, 282, 283, 284, 285, 286, 287}));
}

TEST(PackedRow, GivesBackWhatHasNoColumn) {
  EXPECT_EQ(packed({}), std::string(8, '\0'));
  std::mt19937 random(7);
  for (int round = 0; round < 2'000; ++round) {
    engine::RowCore core = random_core(random), read = random_core(random);
    ASSERT_TRUE(unpack(packed(core), read)) << round;
    core.number = core.records = 0;
    core.finished_at = 0;
    core.wakeup = engine::Wakeup::none;
    core.cancel_requested = 0;
    ASSERT_TRUE(same(read, core)) << round;
  }
}

TEST(PackedRow, IsReadWholeOrNotAtAll) {
  std::mt19937 random(8);
  for (int round = 0; round < 100; ++round) {
    const std::string whole = packed(random_core(random));
    engine::RowCore read;
    for (std::size_t cut = 0; cut < whole.size(); ++cut) ASSERT_FALSE(unpack(whole.substr(0, cut), read)) << cut;
    EXPECT_FALSE(unpack(whole + '\0', read));
    EXPECT_FALSE(unpack(whole + std::string(8, '\1'), read));
    for (std::size_t at = 0; at < whole.size() * 8; ++at) {
      std::string damaged = whole;
      damaged[at / 8] = static_cast<char>(damaged[at / 8] ^ (1 << at % 8));
      ASSERT_TRUE(!unpack(damaged, read) || packed(read) == damaged) << at;
    }
  }
}

class DamagedRow : public testing::Test {
 protected:
  void damage(const std::string& what) {
    ASSERT_EQ(Foreign(folder.file()).exec("UPDATE stile_workflow SET " + what), SQLITE_OK) << what;
  }
  std::int32_t load() {
    Load load;
    load.request.workflow = bytes("w");
    load.request.limit = 10;
    load.request.max_bytes = STILE_ALL_BYTES;
    const std::int32_t status = session->run(load);
    said = load.error();
    return status;
  }
  std::int32_t list() {
    List list;
    list.request.limit = 10;
    return session->run(list);
  }

  Folder folder;
  Plugin plugin;
  Store store{plugin, folder.file(), {{"synchronous", "normal"}}};
  std::unique_ptr<Session> session = store.connect();
  std::string said;
};

TEST_F(DamagedRow, IsCorruptAndSaysWhere) {
  ASSERT_EQ(session->enqueue("w"), STILE_OK);
  const std::string whole = Foreign(folder.file()).ask("SELECT quote(core) FROM stile_workflow");
  for (const char* what : {"x''", "x'00'", "core || x'00'", "substr(core, 1, length(core) - 8)", "7"}) {
    damage(std::string("core = ") + what);
    EXPECT_EQ(load(), STILE_CORRUPT) << what;
    EXPECT_NE(said.find("stile_workflow.core"), std::string::npos) << said;
    EXPECT_EQ(list(), STILE_CORRUPT) << what;
    damage("core = " + whole);
  }
  EXPECT_EQ(load(), STILE_OK);
}

// A life without records has a tail all the same, which says what stands elsewhere.
TEST_F(DamagedRow, HasATailIfItHasALife) {
  ASSERT_EQ(session->enqueue("w"), STILE_OK);
  damage("life = 7");
  EXPECT_EQ(load(), STILE_CORRUPT);
  EXPECT_NE(said.find("stile_workflow.tail"), std::string::npos) << said;
  damage("life = NULL, tail = x'00'");
  EXPECT_EQ(load(), STILE_CORRUPT);
  damage("tail = NULL");
  EXPECT_EQ(load(), STILE_OK);
}

// Whichever byte is another: what can be read is worked with, what cannot is corrupt, and nothing worse comes of it.
TEST_F(DamagedRow, EndsNothing) {
  const stile_fence fence = session->acquire("w");
  ASSERT_EQ(session->record("w", fence, "key", "value"), STILE_OK);
  ASSERT_EQ(session->enqueue("w"), STILE_OK);
  const std::string core = Foreign(folder.file()).ask("SELECT hex(core) FROM stile_workflow");
  std::string keep, restore = "PRAGMA synchronous = OFF; BEGIN IMMEDIATE;";
  for (const std::string table : {"workflow", "due", "trim", "record"}) {
    keep += "CREATE TABLE kept_" + table + " AS SELECT * FROM stile_" + table + ";";
    restore += "DELETE FROM stile_" + table + "; INSERT INTO stile_" + table + " SELECT * FROM kept_" + table + ";";
  }
  Foreign foreign(folder.file());
  ASSERT_EQ(foreign.exec(keep), SQLITE_OK);
  int corrupt = 0, read = 0;
  for (std::size_t at = 0; at < core.size(); at += 2) {
    for (const char* other : {"00", "01", "7F", "FF"}) {
      const std::string damaged = std::string(core).replace(at, 2, other);
      ASSERT_EQ(foreign.exec(restore + "UPDATE stile_workflow SET core = x'" + damaged + "'; COMMIT"), SQLITE_OK);
      const std::int32_t status = load();
      ASSERT_TRUE(status == STILE_OK || status == STILE_CORRUPT) << status << ' ' << said << " at " << at;
      ++(status == STILE_OK ? read : corrupt);
      EXPECT_EQ(list(), status) << at;
      session->record("w", fence, "another", std::string(1'000, 'x'));
      Receive receive;
      receive.request.max = 1;
      receive.request.lease = s;
      const stile_bytes queue{};
      receive.request.queues = &queue;
      receive.request.n_queues = 1;
      EXPECT_NE(session->run(receive), STILE_UNSET) << at;
    }
  }
  EXPECT_GT(corrupt, 0);
  EXPECT_GT(read, 0);
}

}  // namespace
}  // namespace stile::sqlite::test

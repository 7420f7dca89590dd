// Every clean error of a file that is not as it should be (S1, S5, SERVERS.md): what, where, and what to do.
//
// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <thread>
#include <vector>

#include "place.hpp"
#include "schema.hpp"
#include "support.hpp"

namespace stile::sqlite::test {
namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// Nobody in particular: who runs the tests as root is refused nothing.
constexpr unsigned nobody = 65534;

TEST(Errors, MissingFolder) {
  Folder folder;
  Plugin plugin;
  Store store(plugin, folder.path() + "/no/such/store.db");
  EXPECT_EQ(store.status(), STILE_NOT_FOUND);
  EXPECT_TRUE(has(store.error(), "there is no folder")) << store.error();
  EXPECT_FALSE(std::filesystem::exists(folder.path() + "/no"));
}

TEST(Errors, AFolderIsNoFile) {
  Folder folder;
  Plugin plugin;
  Store store(plugin, folder.path());
  EXPECT_EQ(store.status(), STILE_INVALID);
  EXPECT_TRUE(has(store.error(), "is a folder")) << store.error();
}

TEST(Errors, NoFileAtAll) {
  Plugin plugin;
  EXPECT_EQ(Store(plugin, "").status(), STILE_INVALID);
  Store memory(plugin, ":memory:");
  EXPECT_EQ(memory.status(), STILE_INVALID);
  EXPECT_TRUE(has(memory.error(), "memory:")) << memory.error();
}

TEST(Errors, NotADatabase) {
  Folder folder;
  std::ofstream(folder.file()) << std::string(8'192, 'x');
  Plugin plugin;
  Store store(plugin, folder.file());
  EXPECT_EQ(store.status(), STILE_CORRUPT);
  EXPECT_TRUE(has(store.error(), "not a database")) << store.error();
  EXPECT_EQ(std::filesystem::file_size(folder.file()), 8'192u);
}

TEST(Errors, SomebodyElsesDatabaseIsShared) {
  Folder folder;
  Foreign(folder.file()).exec("CREATE TABLE theirs(x); INSERT INTO theirs VALUES ('kept')");
  Plugin plugin;
  Store store(plugin, folder.file());
  ASSERT_EQ(store.status(), STILE_OK) << store.error();
  store.connect()->enqueue("w");
  EXPECT_EQ(Foreign(folder.file()).ask("SELECT x FROM theirs"), "kept");
}

TEST(Errors, NewerSchemaIsRefusedAndLeftAlone) {
  Folder folder;
  Plugin plugin;
  { ASSERT_EQ(Store(plugin, folder.file()).status(), STILE_OK); }
  const std::string newer = std::to_string(newest_usable + 1);
  Foreign(folder.file()).exec("UPDATE stile_meta SET value = " + newer + " WHERE name = 'schema'");
  for (const char* prepare : {"auto", "check", "never"}) {
    Store store(plugin, folder.file(), {{"prepare", prepare}});
    EXPECT_EQ(store.status(), STILE_UNSUPPORTED) << prepare;
    EXPECT_TRUE(has(store.error(), "version " + newer) && has(store.error(), "update")) << store.error();
  }
  EXPECT_EQ(Foreign(folder.file()).ask("SELECT value FROM stile_meta WHERE name = 'schema'"), newer);
}

// Software of version n works on schema n + 1 (S1).
TEST(Errors, NextSchemaIsUsed) {
  Folder folder;
  Plugin plugin;
  { ASSERT_EQ(Store(plugin, folder.file()).status(), STILE_OK); }
  Foreign(folder.file())
      .exec("UPDATE stile_meta SET value = " + std::to_string(newest_usable) +
            " WHERE name = 'schema'; ALTER TABLE stile_workflow ADD COLUMN later TEXT");
  Store store(plugin, folder.file());
  ASSERT_EQ(store.status(), STILE_OK) << store.error();
  auto session = store.connect();
  EXPECT_EQ(session->enqueue("w"), STILE_OK);
  EXPECT_EQ(session->receive(), std::vector<std::string>{"w"});
}

void make_older(const std::string& path) {
  Foreign foreign(path);
  ASSERT_EQ(foreign.exec("DROP TABLE stile_said;"
                         "UPDATE stile_meta SET value = 6 WHERE name = 'schema'"),
            SQLITE_OK);
}

TEST(Errors, ASchemaThatWasNeverReleasedIsRefused) {
  Folder folder;
  Plugin plugin;
  { ASSERT_EQ(Store(plugin, folder.file()).status(), STILE_OK); }
  Foreign(folder.file()).exec("UPDATE stile_meta SET value = 5 WHERE name = 'schema'");
  Store store(plugin, folder.file());
  EXPECT_EQ(store.status(), STILE_UNSUPPORTED);
  EXPECT_TRUE(has(store.error(), "version 5") && has(store.error(), "new file")) << store.error();
}

TEST(Errors, TablesOfAnotherMakeAreCorrupt) {
  Folder folder;
  Plugin plugin;
  { ASSERT_EQ(Store(plugin, folder.file()).status(), STILE_OK); }
  ASSERT_EQ(Foreign(folder.file()).exec("ALTER TABLE stile_workflow RENAME COLUMN core TO kernel"), SQLITE_OK);
  Store store(plugin, folder.file());
  auto session = store.connect();
  Enqueue enqueue;
  enqueue.request.workflow = bytes("w");
  const stile_enqueue now = {sizeof now, 0, 0, 0, 0, {}};
  enqueue.request.enqueue = &now;
  EXPECT_EQ(session->run(enqueue), STILE_CORRUPT);
  EXPECT_TRUE(has(enqueue.error(), "core") && has(enqueue.error(), folder.file())) << enqueue.error();
}

// SQLite keeps a log under each name, and one would not know of what is written in the other's.
TEST(Errors, AFileOfTwoNamesIsRefused) {
  Folder folder;
  Plugin plugin;
  { ASSERT_EQ(Store(plugin, folder.file()).status(), STILE_OK); }
  ASSERT_EQ(link(folder.file().c_str(), folder.file("other.db").c_str()), 0);
  Store store(plugin, folder.file("other.db"));
  EXPECT_EQ(store.status(), STILE_UNSUPPORTED);
  EXPECT_TRUE(has(store.error(), "2 names")) << store.error();
  ASSERT_EQ(unlink(folder.file().c_str()), 0);
  EXPECT_EQ(Store(plugin, folder.file("other.db")).status(), STILE_OK);
}

TEST(Errors, OlderSchemaIsMigratedWhole) {
  Folder folder;
  Plugin plugin;
  {
    Store store(plugin, folder.file());
    store.connect()->enqueue("w");
  }
  make_older(folder.file());
  {
    Store store(plugin, folder.file(), {{"prepare", "check"}});
    ASSERT_EQ(store.status(), STILE_OK) << store.error();
    auto session = store.connect();
    EXPECT_EQ(session->enqueue("w"), STILE_UNPREPARED);
    Prepare check;
    check.request.check_only = 1;
    EXPECT_EQ(session->run(check), STILE_UNPREPARED);
    EXPECT_TRUE(has(check.error(), "older")) << check.error();
    Prepare prepare;
    EXPECT_EQ(session->run(prepare), STILE_OK) << prepare.error();
    EXPECT_EQ(prepare.result.migrated, 1u);
    EXPECT_EQ(session->receive(), std::vector<std::string>{"w"});
  }
  EXPECT_EQ(Foreign(folder.file()).ask("SELECT value FROM stile_meta WHERE name = 'schema'"),
            std::to_string(schema_version));
}

TEST(Errors, UnpreparedUntilPrepared) {
  Folder folder;
  Plugin plugin;
  Store store(plugin, folder.file(), {{"prepare", "never"}});
  ASSERT_EQ(store.status(), STILE_OK) << store.error();
  auto session = store.connect();
  EXPECT_EQ(session->enqueue("w"), STILE_UNPREPARED);
  EXPECT_EQ(session->enqueue(""), STILE_INVALID);
  EXPECT_FALSE(std::filesystem::exists(folder.file()));
  Store other(plugin, folder.file());
  ASSERT_EQ(other.status(), STILE_OK) << other.error();
  EXPECT_EQ(session->enqueue("w"), STILE_OK);
}

TEST(Errors, AHostIsNoFile) {
  Plugin plugin;
  stile_pair host = {STILE_LIT("jobs.db"), {nullptr, 0}};
  stile_config config = {};
  config.struct_size = sizeof config;
  config.hosts = &host;
  config.n_hosts = 1;
  const stile_call call = {sizeof call, 0, 0, STILE_NEVER};
  char room[500];
  stile_error error = {sizeof error, sizeof room, room, 0};
  stile_store* store = nullptr;
  EXPECT_EQ(plugin.table().open(plugin.instance(), &call, &config, &store, &error), STILE_INVALID);
  EXPECT_TRUE(has({room, error.text_len}, "sqlite:jobs.db"));
}

TEST(Errors, NetworkFilesystemsAreKnown) {
  for (const std::int64_t magic : {0x6969, 0x517B, 0x01021997, 0x5346414F, 0x00C36400})
    EXPECT_TRUE(network_filesystem(magic));
  EXPECT_TRUE(network_filesystem(static_cast<std::int32_t>(0xFF534D42)));
  EXPECT_TRUE(network_filesystem(static_cast<std::int32_t>(0xFE534D42)));
  for (const std::int64_t magic : {0xEF53, 0x58465342, 0x01021994, 0x794c7630}) EXPECT_FALSE(network_filesystem(magic));
}

// The kernel's answer is replaced by that of a network filesystem (driver/shim.cpp).
STILE_TEST_CHILD(open_on_a_network) {
  Plugin plugin;
  Store store(plugin, arguments.at(0));
  tell(std::to_string(store.status()) + " " + store.error());
  return 0;
}

TEST(Errors, NetworkFilesystemIsRefused) {
  Folder folder;
  Process child("open_on_a_network", {folder.file()}, {"LD_PRELOAD=" STILE_TEST_SHIM, "STILE_SHIM_STATFS=0x6969"});
  const std::string said = child.line();
  EXPECT_TRUE(has(said, std::to_string(STILE_UNSUPPORTED) + " ") && has(said, "NFS")) << said;
  EXPECT_FALSE(std::filesystem::exists(folder.file()));
}

STILE_TEST_CHILD(use_read_only) {
  Plugin plugin;
  Store store(plugin, arguments.at(0));
  if (store.status() != STILE_OK) return tell("open " + std::to_string(store.status()) + " " + store.error()), 1;
  auto session = store.connect();
  tell("load " + session->load("w", "step"));
  Enqueue op;
  const stile_enqueue now = {sizeof now, 0, 0, 0, 0, {nullptr, 0}};
  op.request.workflow = bytes("w");
  op.request.enqueue = &now;
  session->run(op);
  tell("enqueue " + std::to_string(op.status()) + " " + op.error());
  tell("load " + session->load("w", "step"));
  return 0;
}

TEST(Errors, AReadOnlyFileIsReadAndNotWritten) {
  Folder folder;
  chmod(folder.path().c_str(), 0777);
  Plugin plugin;
  Store store(plugin, folder.file());
  auto session = store.connect();
  EXPECT_EQ(session->record("w", session->acquire("w"), "step", "done"), STILE_OK);
  chmod(folder.file().c_str(), 0444);
  Process child("use_read_only", {folder.file()}, {}, geteuid() == 0 ? nobody : 0);
  EXPECT_EQ(child.line(), "load done");
  const std::string said = child.line();
  EXPECT_TRUE(has(said, "enqueue " + std::to_string(STILE_READ_ONLY) + " ")) << said;
  EXPECT_EQ(child.line(), "load done");
  EXPECT_EQ(child.wait(), 0);
}

TEST(Errors, AFileThatMayNotBeOpenedIsDenied) {
  Folder folder;
  chmod(folder.path().c_str(), 0755);
  Plugin plugin;
  { Store store(plugin, folder.file()); }
  chmod(folder.file().c_str(), 0000);
  Process child("use_read_only", {folder.file()}, {}, geteuid() == 0 ? nobody : 0);
  const std::string said = child.line();
  EXPECT_TRUE(has(said, "open " + std::to_string(STILE_DENIED) + " ")) << said;
  chmod(folder.file().c_str(), 0600);
}

TEST(Errors, ARemovedFileIsAStoreLost) {
  Folder folder;
  Plugin plugin;
  Store store(plugin, folder.file());
  auto session = store.connect();
  EXPECT_EQ(session->enqueue("w"), STILE_OK);
  std::filesystem::remove(folder.file());
  EXPECT_EQ(session->enqueue("w"), STILE_STORE_LOST);
  std::ofstream(folder.file()).close();
  EXPECT_EQ(session->enqueue("w"), STILE_STORE_LOST);
}

// A copy may be an old one: whoever held a lease in it holds it no longer (S2).
TEST(Errors, ACopyBeginsANewEpoch) {
  Folder folder;
  Plugin plugin;
  stile_fence fence;
  std::string epoch;
  {
    Store store(plugin, folder.file());
    auto session = store.connect();
    fence = session->acquire("w");
    session->enqueue("q");
    EXPECT_EQ(session->receive().size(), 1u);
    Info info;
    session->run(info);
    epoch = text(info.result.epoch);
  }
  std::filesystem::copy(folder.file(), folder.file("copy.db"));
  Store store(plugin, folder.file("copy.db"));
  auto session = store.connect();
  Info info;
  session->run(info);
  EXPECT_NE(text(info.result.epoch), epoch);
  EXPECT_EQ(session->record("w", fence, "k", "v"), STILE_FENCED);
  EXPECT_EQ(session->receive(), std::vector<std::string>{"q"});  // its delivery's lease had a minute to go
}

STILE_TEST_CHILD(write_until_full) {
  Plugin plugin;
  Store store(plugin, arguments.at(0));
  auto session = store.connect();
  const stile_fence fence = session->acquire("w");
  session->enqueue("q");
  setenv("STILE_SHIM_ENOSPC", "1", 1);
  const std::string value(100'000, 'x');
  Record big;
  big.request.workflow = bytes("w");
  big.request.fence = fence;
  big.request.key = bytes("big");
  big.request.value = bytes(value);
  session->run(big);
  tell("record " + std::to_string(big.status()) + " " + big.error());
  tell("load " + session->load("w", "big"));
  unsetenv("STILE_SHIM_ENOSPC");
  tell("later " + std::to_string(session->record("w", fence, "big", value)));
  return 0;
}

TEST(Errors, AFullDiskRefusesAndGoesOn) {
  Folder folder;
  Process child("write_until_full", {folder.file()}, {"LD_PRELOAD=" STILE_TEST_SHIM});
  std::string said = child.line();
  EXPECT_TRUE(has(said, "record " + std::to_string(STILE_FULL) + " ")) << said;
  EXPECT_EQ(child.line(), "load (none)");
  EXPECT_EQ(child.line(), "later 0");
  EXPECT_EQ(child.wait(), 0);
}

STILE_TEST_CHILD(open_on_a_full_disk) {
  setenv("STILE_SHIM_ENOSPC", "1", 1);
  Plugin plugin;
  Store store(plugin, arguments.at(0));
  auto session = store.connect();
  struct stat side = {};
  const bool there = stat((arguments.at(0) + "-stile").c_str(), &side) == 0 && side.st_size > 0;
  tell("side file " + std::to_string(there));
  tell("load " + session->load("w", "k"));
  tell("enqueue " + std::to_string(session->enqueue("w")));
  unsetenv("STILE_SHIM_ENOSPC");
  tell("enqueue " + std::to_string(session->enqueue("w")));
  return 0;
}

// What is mapped is in the file before anybody touches it: a page without room would end the process.
TEST(Errors, AFullDiskIsOpenedWithoutASideFile) {
  Folder folder;
  {
    Plugin plugin;
    Store store(plugin, folder.file());
    auto session = store.connect();
    ASSERT_EQ(session->record("w", session->acquire("w"), "k", "v"), STILE_OK);
  }
  Process child("open_on_a_full_disk", {folder.file()}, {"LD_PRELOAD=" STILE_TEST_SHIM});
  EXPECT_EQ(child.line(), "side file 0");
  EXPECT_EQ(child.line(), "load v");
  EXPECT_EQ(child.line(), "enqueue " + std::to_string(STILE_FULL));
  EXPECT_EQ(child.line(), "enqueue 0");
  EXPECT_EQ(child.wait(), 0);
}

STILE_TEST_CHILD(write_without_sync) {
  Plugin plugin;
  Store store(plugin, arguments.at(0));
  auto session = store.connect();
  setenv("STILE_SHIM_EIO_SYNC", "1", 1);
  tell("enqueue " + std::to_string(session->enqueue("w")));
  unsetenv("STILE_SHIM_EIO_SYNC");
  tell("enqueue " + std::to_string(session->enqueue("w")));
  return 0;
}

// After a sync that failed nobody knows: never a success, never a refusal (R2).
TEST(Errors, AFailedSyncIsUnknown) {
  Folder folder;
  Process child("write_without_sync", {folder.file()}, {"LD_PRELOAD=" STILE_TEST_SHIM});
  EXPECT_EQ(child.line(), "enqueue " + std::to_string(STILE_UNKNOWN));
  EXPECT_EQ(child.line(), "enqueue 0");
  EXPECT_EQ(child.wait(), 0);
}

// The disk hangs as long as a file is there. More read than there are connections to read with.
STILE_TEST_CHILD(read_while_the_disk_hangs) {
  Plugin plugin;
  Store store(plugin, arguments.at(0));
  std::vector<std::unique_ptr<Session>> sessions(25);
  for (auto& session : sessions) session = store.connect();
  sessions[0]->enqueue("w");
  std::ofstream(arguments.at(1)) << "held";
  std::atomic<int> timed_out{0}, answered{0};
  std::vector<std::jthread> threads;
  threads.emplace_back([&] { sessions[0]->enqueue("v"); });
  for (std::size_t i = 1; i < sessions.size(); ++i)
    threads.emplace_back([&, i] {
      for (bool held = true; held; held = std::filesystem::exists(arguments.at(1))) {
        Load op;
        op.request.workflow = bytes("w");
        op.request.limit = 1;
        op.request.max_bytes = 1;
        const std::int32_t status = sessions[i]->run(op, 100 * ms);
        ++(status == STILE_TIMED_OUT ? timed_out : answered);
      }
    });
  const bool in_time = eventually([&] { return timed_out >= 8; });
  std::filesystem::remove(arguments.at(1));
  threads.clear();
  tell(in_time ? "in time" : "hung: " + std::to_string(timed_out) + " in time");
  tell(answered > 0 ? "answered" : "none answered");
  return 0;
}

// R4: who gets no connection to read with does not wait for the disk of those who have one.
TEST(Errors, AReadBehindAHangingDiskEndsAtItsDeadline) {
  Folder folder;
  const std::string held = folder.file("held");
  Process child("read_while_the_disk_hangs", {folder.file(), held},
                {"LD_PRELOAD=" STILE_TEST_SHIM, "STILE_SHIM_SYNC_HELD_BY=" + held});
  EXPECT_EQ(child.line(), "in time");
  EXPECT_EQ(child.line(), "answered");
  EXPECT_EQ(child.wait(), 0);
}

STILE_TEST_CHILD(use_after_fork) {
  Plugin plugin;
  Store store(plugin, arguments.at(0));
  auto session = store.connect();
  session->enqueue("w");
  const int child = fork();
  if (child == 0) {
    Enqueue op;
    const stile_enqueue now = {sizeof now, 0, 0, 0, 0, {nullptr, 0}};
    op.request.workflow = bytes("w");
    op.request.enqueue = &now;
    session->run(op);
    std::string error;
    const int connected = store.try_connect(error);
    tell(std::to_string(op.status()) + " " + op.error() + " / " + std::to_string(connected) + " " + error);
    session.reset();  // must neither hang nor disturb the parent
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  tell("child " + std::to_string(status));
  tell("parent " + std::to_string(session->enqueue("w")));
  return 0;
}

TEST(Errors, AHandleIsDeadInAForkedChild) {
  Folder folder;
  Process process("use_after_fork", {folder.file()});
  const std::string said = process.line();
  EXPECT_TRUE(has(said, "opened before a fork")) << said;
  EXPECT_NE(said.substr(0, 2), "0 ") << said;
  EXPECT_EQ(process.line(), "child 0");
  EXPECT_EQ(process.line(), "parent 0");
  EXPECT_EQ(process.wait(), 0);
}

}  // namespace
}  // namespace stile::sqlite::test

// Threads, forks, ends of processes, and files that kill whoever loads them. Tests are named after the rows of the
// loader's list of scenarios.
//
// SPDX-License-Identifier: Apache-2.0
#include <grp.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <boost/json.hpp>
#include <thread>

#include "loader/probe.hpp"
#include "store/open.hpp"
#include "support.hpp"

namespace {

using namespace fixtures;
using stile::loader::probe;
using stile::store::open_backend;

stile::store::OpenOptions opening(const std::string& fixture) {
  stile::store::OpenOptions options;
  options.plugin_file = built(fixture);
  options.compose = false;
  return options;
}

// What a child answers with its exit status; the child ends without running anything of its parent's.
template <class Act>
int in_child(const Act& act) {
  pid_t child = fork();
  if (child == 0) _exit(act());
  int status = 0;
  if (waitpid(child, &status, 0) != child) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

TEST(Process, S31_S32_ShortLivedThreads) {
  // The thread runs the plugin's thread-exit handler after the store is closed; the plugin has a thread of its own.
  for (int i = 0; i < 3; ++i) {
    std::thread([] { open_backend("plain:", opening("fixture_plain"))->connect(stile::Deadline::max()); }).join();
    EXPECT_TRUE(stile::loader::shutdown().empty());
  }
  const auto& counts = counts_of(stile::loader::plugin_in(built("fixture_plain")));
  EXPECT_EQ(counts.start, counts.stop);
}

TEST(Process, S33_TheProcessEndsWithAnOpenStore) {
  int ended = in_child([] {
    static auto backend = open_backend("plain:", opening("fixture_plain"));
    static auto link = backend->connect(stile::Deadline::max());
    exit(7);
    return 0;
  });
  EXPECT_EQ(ended, 7);
}

TEST(Process, S38_HandlesAreDeadInAChild) {
  auto backend = open_backend("plain:", opening("fixture_plain"));
  auto link = backend->connect(stile::Deadline::max());
  int answered = in_child([&] {
    stile_op op{};
    op.kind = STILE_OP_INFO;
    stile_op* ops[] = {&op};
    stile_call call{sizeof call, 0, 1, STILE_NEVER};
    if (link->execute(call, ops) != stile::store::Fate::drop) return 1;
    if (op.status != STILE_INVALID) return 2;
    std::string said = refusal([&] { backend->connect(stile::Deadline::max()); });
    if (said.find("before a fork") == std::string::npos) return 3;
    link->interrupt(1);
    // Nothing of the parent's is disconnected or closed here.
    const auto& counts = counts_of(stile::loader::plugin_in(built("fixture_plain")));
    int disconnected = counts.disconnect, closed = counts.close;
    link.reset();
    backend.reset();
    if (counts.disconnect != disconnected || counts.close != closed) return 4;
    return 0;
  });
  EXPECT_EQ(answered, 0);
  stile_op op{};
  stile_op* ops[] = {&op};
  stile_call call{sizeof call, 0, 2, STILE_NEVER};
  EXPECT_EQ(link->execute(call, ops), stile::store::Fate::keep) << "the parent goes on";
  EXPECT_EQ(op.status, STILE_UNSUPPORTED);
}

TEST(Process, S38_AChildOpensItsOwn) {
  auto backend = open_backend("plain:", opening("fixture_plain"));
  int answered = in_child([&] {
    auto own = open_backend("plain:", opening("fixture_plain"));
    auto link = own->connect(stile::Deadline::max());
    stile_op op{};
    stile_op* ops[] = {&op};
    stile_call call{sizeof call, 0, 1, STILE_NEVER};
    link->execute(call, ops);
    if (op.status != STILE_UNSUPPORTED) return 1;
    // And a child of that child has nothing again.
    return in_child([&] {
      link->execute(call, ops);
      return op.status == STILE_INVALID ? 0 : 2;
    });
  });
  EXPECT_EQ(answered, 0);
}

TEST(Process, S42_FilesThatKillTheirLoaderAreFoundInAChild) {
  auto aborts = probe(built("fixture_constructor_aborts"));
  EXPECT_FALSE(aborts.good);
  EXPECT_TRUE(says(aborts.reason, "it kills the process that loads it: Aborted"));
  auto exits = probe(built("fixture_constructor_exits"));
  EXPECT_FALSE(exits.good);
  EXPECT_TRUE(says(exits.reason, "a constructor of it calls exit(0)"));
  auto hangs = probe(built("fixture_constructor_hangs"), std::chrono::milliseconds(300));
  EXPECT_FALSE(hangs.good);
  EXPECT_TRUE(says(hangs.reason, "not loaded in time"));
}

TEST(Process, S42_AProbeSaysWhatLoadingWouldSay) {
  auto good = probe(built("fixture_plain"));
  EXPECT_TRUE(good.good) << good.reason;
  EXPECT_EQ(good.sha256.size(), 64u);
  EXPECT_EQ(good.table.at("help").as_string(), "a fixture");
  EXPECT_EQ(good.table.at("options").at(0).at("help").as_string(), "says more");
  EXPECT_EQ(good.table.at("options").at(1).at("secret"), true);
  EXPECT_TRUE(says(probe(built("fixture_undefined_symbol")).reason, "undefined symbol"));
  EXPECT_TRUE(says(probe(built("fixture_entry_refuses")).reason, "the fixture refuses"));
  EXPECT_TRUE(says(probe(built("fixture_note_none")).reason, "no Stile plugin"));
}

TEST(Process, S43_AFileIsTriedOnce) {
  Folder folder;
  std::string path = folder.copy("fixture_constructor_hangs", "h.so");
  auto begin = std::chrono::steady_clock::now();
  EXPECT_FALSE(probe(path, std::chrono::milliseconds(400)).good);
  auto first = std::chrono::steady_clock::now() - begin;
  EXPECT_GE(first, std::chrono::milliseconds(400));
  // Known now, so the limit of ten seconds is not waited for.
  begin = std::chrono::steady_clock::now();
  EXPECT_FALSE(probe(path).good);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(8));
  // Another content in the same place is another file.
  folder.copy("fixture_plain", "h.so");
  EXPECT_TRUE(probe(path).good);
}

// What a program prints, run with both variables set; as an ordinary user, where it says so and this one may.
std::string output_of(const std::string& program, bool as_nobody) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) return "no pipe";
  pid_t child = fork();
  if (child == 0) {
    constexpr uid_t nobody = 65534;
    dup2(ends[1], 1);
    if (as_nobody && (setgroups(0, nullptr) != 0 || setgid(nobody) != 0 || setuid(nobody) != 0)) _exit(3);
    setenv("STILE_PLUGIN_PATH", "/nowhere", 1);
    setenv("STILE_STORE", "memory:", 1);
    setenv("HOME", "/nowhere", 1);
    execl(program.c_str(), program.c_str(), static_cast<char*>(nullptr));
    _exit(4);
  }
  close(ends[1]);
  std::string text;
  std::array<char, 1024> buffer;
  for (ssize_t got = 0; (got = read(ends[0], buffer.data(), buffer.size())) > 0;) {
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return text;
}

TEST(Process, S59_OrdinaryProgramsReadTheirEnvironment) {
  EXPECT_EQ(output_of(STILE_FIXTURE_RAISED, false), "raised=0 path=1 user=1\nstore taken\n");
}

TEST(Process, S59_RaisedPrivilegesIgnoreTheEnvironment) {
  // Only root can make a program that raises privileges, and only where the file system honours it.
  Folder folder;
  struct statvfs system {};
  ASSERT_EQ(statvfs(folder.text().c_str(), &system), 0);
  if (geteuid() != 0 || (system.f_flag & ST_NOSUID) != 0) {
    stile::loader::SearchPlan plan;
    plan.raised = true;
    EXPECT_EQ(stile::loader::discover(plan).warnings.size(), 1u);
    return;
  }
  std::string program = folder.text() + "/raised";
  fs::copy_file(STILE_FIXTURE_RAISED, program);
  ASSERT_EQ(chmod(folder.text().c_str(), 0755), 0);
  ASSERT_EQ(chmod(program.c_str(), 04755), 0);
  std::string said = output_of(program, true);
  EXPECT_TRUE(says(said, "raised=1 path=0 user=0"));
  EXPECT_TRUE(says(said, "raised privileges ignores"));
}

}  // namespace

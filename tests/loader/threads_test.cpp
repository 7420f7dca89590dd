// Many threads load, open, use and close at once. Apart from the other tests, so that the thread sanitizer can watch
// it: they fork.
//
// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <latch>
#include <thread>
#include <vector>

#include "store/open.hpp"
#include "support.hpp"

namespace {

using namespace fixtures;
using stile::store::open_backend;

TEST(Threads, OneLoadOneStartForAll) {
  constexpr int threads = 8, rounds = 20;
  std::atomic<int> answered = 0;
  std::latch together(threads);
  std::vector<std::jthread> running;
  for (int i = 0; i < threads; ++i) {
    running.emplace_back([&] {
      stile::store::OpenOptions options;
      options.plugin_file = built("fixture_plain");
      options.compose = false;
      together.arrive_and_wait();
      for (int round = 0; round < rounds; ++round) {
        auto link = open_backend("plain:", options)->connect(stile::Deadline::max());
        stile_op op{};
        stile_op* ops[] = {&op};
        stile_call call{sizeof call, 0, 1, STILE_NEVER};
        link->execute(call, ops);
        if (op.status == STILE_UNSUPPORTED) ++answered;
      }
    });
  }
  running.clear();
  EXPECT_EQ(answered, threads * rounds);
  const auto& counts = counts_of(stile::loader::plugin_in(built("fixture_plain")));
  EXPECT_EQ(counts.entry, 1);
  EXPECT_EQ(counts.start, 1);
  EXPECT_TRUE(stile::loader::shutdown().empty());
  EXPECT_EQ(counts.stop, 1);
}

TEST(Threads, SearchesAndShutdownsMeanwhile) {
  Folder folder;
  folder.copy("fixture_server", "server.so");
  stile::loader::add_directory(folder.text());
  std::atomic<bool> done = false;
  std::jthread stopper([&] {
    while (!done) {
      stile::loader::shutdown();
      std::this_thread::yield();
    }
  });
  std::vector<std::jthread> openers;
  std::atomic<int> opened = 0;
  for (int i = 0; i < 4; ++i) {
    openers.emplace_back([&] {
      for (int round = 0; round < 10; ++round) {
        stile::store::OpenOptions options;
        options.compose = false;
        auto backend = open_backend("server://h?namespace=n", options);
        if (backend->connect(stile::Deadline::max())) ++opened;
      }
    });
  }
  openers.clear();
  done = true;
  stopper.join();
  EXPECT_EQ(opened, 40);
  stile::loader::shutdown();
  const auto& counts = counts_of(stile::loader::plugin_for("server"));
  EXPECT_EQ(counts.start, counts.stop) << "every start was followed by its stop";
}

}  // namespace

// A store opened through a loaded plugin: what it answers is checked, what it does wrong is told.
//
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdlib>
#include <deque>
#include <vector>

#include "stile/log.hpp"
#include "stile/plugins.hpp"
#include "store/open.hpp"
#include "store/plugin_backend.hpp"
#include "support.hpp"

namespace {

using namespace fixtures;
using stile::Status;
using stile::store::Backend;
using stile::store::Fate;
using stile::store::Link;
using stile::store::open_backend;

stile::store::OpenOptions with(const std::string& fixture) {
  stile::store::OpenOptions options;
  options.plugin_file = built(fixture);
  options.compose = false;
  return options;
}

// A few operations with an arena, ready for execute.
class Batch {
 public:
  explicit Batch(std::size_t count) : ops_(count) {
    for (stile_op& op : ops_) {
      op.struct_size = sizeof op;
      op.kind = STILE_OP_GET;
      op.request = &request_;
      op.result = &result_;
      op.arena = &arena_;
      pointers_.push_back(&op);
    }
  }
  Fate run(Link& link, std::uint64_t serial = 1, std::int64_t deadline = STILE_NEVER) {
    stile_call call{sizeof call, 0, serial, deadline};
    return link.execute(call, pointers_);
  }
  Status status(std::size_t i) const { return static_cast<Status>(ops_[i].status); }
  std::string error(std::size_t i) const { return {ops_[i].error.ptr, ops_[i].error.len}; }

  bool out_of_memory = false;

 private:
  static void* alloc(void* self, std::uint64_t size) {
    auto* batch = static_cast<Batch*>(self);
    if (batch->out_of_memory) return nullptr;
    return batch->memory_.emplace_back(size, '\0').data();
  }
  stile_get_request request_{sizeof request_, 0, {reinterpret_cast<const std::uint8_t*>("k"), 1}};
  stile_get_result result_{};
  stile_arena arena_{sizeof arena_, 0, this, alloc};
  std::deque<std::string> memory_;
  std::deque<stile_op> ops_;
  std::vector<stile_op*> pointers_;
};

TEST(Backend, OpensConnectsExecutes) {
  auto backend = open_backend("plain:?verbose=true&pin=hush", with("fixture_plain"));
  EXPECT_EQ(backend->plugin().name, "plain");
  EXPECT_EQ(backend->plugin().abi, STILE_ABI_1_0);
  EXPECT_EQ(backend->plugin().path, built("fixture_plain"));
  EXPECT_EQ(backend->plugin().license, "Apache-2.0");
  EXPECT_EQ(backend->plugin().schemes, std::vector<std::string>{"plain"});
  EXPECT_EQ(backend->config(), "plain:?verbose=true&pin=***");
  auto link = backend->connect(stile::Deadline::max());
  Batch batch(2);
  EXPECT_EQ(batch.run(*link, 7, 1234), Fate::keep);
  EXPECT_EQ(batch.status(0), Status::unsupported);
  EXPECT_EQ(batch.error(1), "the fixture does nothing");
  link->interrupt(9);
  const auto& counts = counts_of(stile::loader::plugin_in(built("fixture_plain")));
  EXPECT_EQ(counts.last_serial, 7u);
  EXPECT_EQ(counts.last_deadline, 1234);
  EXPECT_EQ(counts.interrupted, 9u);
}

TEST(Backend, S23_S24_EverythingEndsOnceAndInOrder) {
  const auto& plugin = stile::loader::plugin_in(built("fixture_twin"));
  const auto& counts = counts_of(plugin);
  auto backend = open_backend("plain:", with("fixture_twin"));
  auto other = open_backend("plain:", with("fixture_twin"));
  EXPECT_EQ(counts.start, 1) << "started once for all its stores";
  auto link = backend->connect(stile::Deadline::max());
  backend.reset();
  EXPECT_EQ(counts.close, 0) << "a session keeps its store";
  EXPECT_EQ(stile::loader::shutdown().size(), 1u) << "a plugin with an open store is not stopped";
  link.reset();
  EXPECT_EQ(counts.disconnect, 1);
  EXPECT_EQ(counts.close, 1);
  other.reset();
  EXPECT_EQ(counts.stop, 0);
  EXPECT_TRUE(stile::loader::shutdown().empty());
  EXPECT_TRUE(stile::loader::shutdown().empty());
  EXPECT_EQ(counts.stop, 1);
  open_backend("plain:", with("fixture_twin"));
  EXPECT_EQ(counts.start, 2) << "a store opened later starts it again";
}

TEST(Backend, S24_NothingIsEndedThatDidNotBegin) {
  for (const char* fixture : {"fixture_start", "fixture_open", "fixture_connect"}) {
    const auto& counts = counts_of(stile::loader::plugin_in(built(fixture)));
    EXPECT_FALSE(refusal([&] { open_backend("plain:", with(fixture))->connect(stile::Deadline::max()); }).empty())
        << fixture;
    EXPECT_EQ(counts.close, counts.connect) << fixture << ": closed exactly when it was opened";
    EXPECT_EQ(counts.disconnect, 0) << fixture;
    EXPECT_EQ(counts.stop, 0) << fixture;
  }
}

TEST(Backend, S51_AFailedStartLeavesNothing) {
  const auto& counts = counts_of(stile::loader::plugin_in(built("fixture_start")));
  int before = counts.start;
  EXPECT_TRUE(says(refusal([] { open_backend("plain:", with("fixture_start")); }), "does not start"));
  EXPECT_TRUE(says(refusal([] { open_backend("plain:", with("fixture_start")); }), "does not start"));
  EXPECT_EQ(counts.start, before + 2) << "each open tries again";
  EXPECT_TRUE(stile::loader::shutdown().empty());
  EXPECT_EQ(counts.stop, 0);
}

Status refused_as(const std::string& fixture) {
  try {
    open_backend("plain:", with(fixture))->connect(stile::Deadline::max());
    return Status::ok;
  } catch (const stile::Error& error) {
    return error.status();
  }
}

TEST(Backend, StatusesOfOpeningArriveAsTheyAre) {
  EXPECT_EQ(refused_as("fixture_start"), Status::unavailable);
  EXPECT_EQ(refused_as("fixture_open"), Status::denied);
  EXPECT_EQ(refused_as("fixture_open_silent"), Status::store_lost);
  EXPECT_EQ(refused_as("fixture_connect"), Status::unavailable);
  EXPECT_EQ(refused_as("fixture_open_status"), Status::internal);
  EXPECT_EQ(refused_as("fixture_open_null"), Status::internal);
  EXPECT_EQ(refused_as("fixture_start_null"), Status::internal);
  EXPECT_TRUE(says(refusal([] { open_backend("plain:", with("fixture_open_status")); }),
                   "answered open with the status 77, a bug of the plugin: whatever"));
  EXPECT_TRUE(says(refusal([] { open_backend("plain:", with("fixture_open_silent")); }), "could not open"));
}

TEST(Backend, AnOperationWithoutAnAnswerIsInternal) {
  auto link = open_backend("plain:", with("fixture_unset"))->connect(stile::Deadline::max());
  Batch batch(3);
  EXPECT_EQ(batch.run(*link), Fate::keep);
  EXPECT_EQ(batch.status(0), Status::unsupported);
  EXPECT_EQ(batch.status(1), Status::internal);
  EXPECT_EQ(batch.status(2), Status::unsupported);
  EXPECT_TRUE(says(batch.error(1), "left the operation get without an answer, a bug of the plugin"));
}

TEST(Backend, AStatusOutsideTheListIsInternal) {
  auto link = open_backend("plain:", with("fixture_status"))->connect(stile::Deadline::max());
  Batch batch(2);
  batch.run(*link);
  EXPECT_EQ(batch.status(0), Status::internal);
  EXPECT_TRUE(says(batch.error(0), "gave the status 99 to the operation get"));
  EXPECT_EQ(batch.status(1), Status::internal);
  EXPECT_TRUE(says(batch.error(1), "status -7"));
  Batch poor(1);
  poor.out_of_memory = true;
  poor.run(*link);
  EXPECT_EQ(poor.status(0), Status::internal);
  EXPECT_FALSE(poor.error(0).empty());
}

TEST(Backend, DropIsPassedOn) {
  auto link = open_backend("plain:", with("fixture_drop"))->connect(stile::Deadline::max());
  EXPECT_EQ(Batch(1).run(*link), Fate::drop);
}

TEST(Backend, S30_AnExceptionOutOfExecuteIsInternal) {
  auto link = open_backend("throws:", with("throws_execute"))->connect(stile::Deadline::max());
  Batch batch(2);
  EXPECT_EQ(batch.run(*link), Fate::drop);
  EXPECT_EQ(batch.status(0), Status::not_found) << "what was answered before stands";
  EXPECT_EQ(batch.status(1), Status::internal);
  EXPECT_TRUE(says(batch.error(1), "let an exception out of execute"));
}

TEST(Backend, ThePluginLogsThroughTheHost) {
  std::vector<std::string> lines;
  stile::on_log([&](stile::LogLevel level, std::string_view message, std::span<const stile::LogField> fields) {
    std::string line = std::string(name_of(level)) + " " + std::string(message);
    for (const auto& field : fields) line += " " + std::string(field.key) + "=" + std::string(field.value);
    lines.push_back(line);
  });
  open_backend("plain:", with("fixture_plain"));
  stile::on_log({});
  EXPECT_EQ(lines, std::vector<std::string>{"warn opened scheme=plain"});
}

TEST(Open, ConfigsAreCheckedBeforeThePluginIsAsked) {
  const auto& counts = counts_of(stile::loader::plugin_in(built("fixture_plain")));
  int before = counts.open;
  auto said = [](const std::string& config, stile::store::OpenOptions options = with("fixture_plain")) {
    return refusal([&] { open_backend(config, options); });
  };
  EXPECT_TRUE(says(said("plain:?verbos=true"), "plain has no option verbos: did you mean verbose?"));
  EXPECT_TRUE(says(said("plain:?verbose=maybe"), "true or false"));
  EXPECT_TRUE(says(said("choas+plain:"), "no layer \"choas\": did you mean \"chaos\"?"));
  EXPECT_TRUE(says(said("elsewhere:"), "does not have the scheme \"elsewhere\": it has plain"));
  auto options = with("fixture_plain");
  options.ns = std::string(129, 'n');
  EXPECT_TRUE(says(said("plain:", options), "129 bytes"));
  options = with("fixture_plain");
  options.prepare = "perhaps";
  EXPECT_TRUE(says(said("plain:", options), "auto, check or never"));
  EXPECT_EQ(counts.open, before);
}

TEST(Open, ServersNeedANamespace) {
  auto options = with("fixture_server");
  options.program = "shop";
  EXPECT_TRUE(says(refusal([&] { open_backend("server://h", options); }), "add ?namespace=shop"));
  EXPECT_EQ(open_backend("server://h?namespace=a%00b&sslmode=x", options)->config(),
            "server://h?namespace=a%00b&sslmode=x");
  options.ns = "other";
  EXPECT_EQ(open_backend("server://h", options)->config(), "server://h?namespace=other");
}

TEST(Open, LayersAndComposition) {
  stile::store::OpenOptions options;
  options.plugin_file = built("fixture_plain");
  auto backend = open_backend("trace+chaos+plain:?chaos.seed=1", options);
  EXPECT_EQ(backend->plugin().name, "plain");
  EXPECT_TRUE(says(refusal([&] { open_backend("chaos+plain:?chaos.sed=1", options); }), "seed"));
}

TEST(Open, TheGivenFileMustBeTheNamedPlugin) {
  EXPECT_TRUE(says(refusal([] { open_backend("plain:?plugin=rival", with("fixture_plain")); }),
                   "was given, but the config string says plugin=rival"));
}

TEST(Open, DirectoriesOfTheProgramComeFirst) {
  Folder folder, environment;
  folder.copy("fixture_server", "server.so");
  environment.copy("fixture_server", "server.so");
  setenv("STILE_PLUGIN_PATH", environment.text().c_str(), 1);
  stile::add_plugin_directory(folder.text());
  EXPECT_EQ(open_backend("server://h?namespace=n")->plugin().path, folder.text() + "/server.so");
  unsetenv("STILE_PLUGIN_PATH");
  EXPECT_TRUE(stile::shutdown_plugins().empty());
}

TEST(Open, FromTheEnvironment) {
  Folder folder;
  folder.copy("fixture_server", "s.so");
  setenv("STILE_PLUGIN_PATH", folder.text().c_str(), 1);
  setenv("STILE_STORE", "server://h?namespace=n", 1);
  auto backend = open_backend("-");
  EXPECT_EQ(backend->plugin().path, folder.text() + "/s.so");
  std::string file = folder.write("c.json", R"({"config": "server://h", "namespace": "m"})");
  EXPECT_EQ(open_backend("@" + file)->config(), "server://h?namespace=m");
  setenv("STILE_PLUGIN_PATH", (folder.text() + ":").c_str(), 1);
  EXPECT_TRUE(says(refusal([] { open_backend("-"); }), "STILE_PLUGIN_PATH is empty"));
  unsetenv("STILE_PLUGIN_PATH");
  unsetenv("STILE_STORE");
}

}  // namespace

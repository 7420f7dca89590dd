// Layers on a real store: the handle's answers must stay right whatever chaos does below; what history and trace tell.
//
// SPDX-License-Identifier: Apache-2.0
#include "store/layers.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <boost/json.hpp>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include "stile/log.hpp"
#include "stile/store.hpp"
#include "store/core.hpp"
#include "store/open.hpp"

namespace stile::store {
namespace {

using namespace std::chrono_literals;

std::map<std::string, std::uint64_t> counts_of(const Store& store) {
  auto counts = layer_counts(store.core()->backend());
  return {counts.begin(), counts.end()};
}

TEST(Layers, AreKnownByName) {
  EXPECT_EQ(layer_names().size(), 3u);
  for (auto name : layer_names())
    for (const stile_option* option : layer_options(name)) EXPECT_GT(option->help.len, 0u) << name;
  EXPECT_TRUE(layer_options("none").empty());
}

TEST(Layers, RefuseWhatTheyDoNotKnow) {
  auto refused = [](const char* config, std::string_view part) {
    try {
      stile::open(config);
      ADD_FAILURE() << config << " was accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.status(), Status::invalid);
      EXPECT_NE(std::string_view(error.what()).find(part), std::string_view::npos) << error.what();
    }
  };
  refused("chaos+memory:?chaos.lose_replies=0.1", "lose_reply");
  refused("chaos+memory:?chaos.lose_reply=2", "0 to 1");
  refused("chaos+memory:?chaos.lose_reply=often", "0 to 1");
  refused("chaos+memory:?chaos.at=2:lose", "lose_request");
  refused("chaos+memory:?chaos.at=0:cut", "number of an operation");
  refused("history+memory:", "history.file");
  refused("history+memory:?history.file=/nowhere/at/all", "/nowhere/at/all");
}

TEST(ChaosLayer, WhatTheHandleAnswersStaysTrue) {
  Store store = stile::open(
      "chaos+memory:?chaos.seed=11&chaos.lose_request=0.15&chaos.lose_reply=0.15&chaos.duplicate=0.2&chaos.cut=0.05"
      "&chaos.delay=0.02&chaos.delay_for=2ms&chaos.refuse=0.1");
  constexpr int workflows = 60, steps = 5;
  for (int i = 0; i < workflows; ++i) {
    std::string id = "w" + std::to_string(i);
    EXPECT_TRUE(store.call(Supply{.workflow = id, .key = "in", .value = id, .enqueue = Wakeup{}}).first);
  }
  std::map<std::string, int> passes;
  while (passes.size() < workflows) {
    Received some = store.call(Receive{.max = 4, .lease = 1h, .wait = 10s, .acquire = Receive::Lease{1h, 2h}});
    for (const Delivery& d : some.deliveries) {
      ++passes[d.workflow];
      for (int k = 0; k < steps; ++k)
        EXPECT_TRUE(
            store.call(Record{.workflow = d.workflow, .fence = d.fence, .key = std::to_string(k), .value = "v"}).first);
      auto [last, ack] = store.chain(Record{.workflow = d.workflow, .fence = d.fence, .key = "out", .value = "v"},
                                     Ack{.receipt = d.receipt, .finished = true, .fence = d.fence, .release = true});
      EXPECT_TRUE(last.ok()) << last.failure().text;
      EXPECT_TRUE(ack.ok()) << ack.failure().text;
    }
  }
  for (auto& [id, count] : passes) {
    EXPECT_EQ(count, 1) << id;
    Loaded loaded = store.call(Load{.workflow = id});
    EXPECT_EQ(loaded.records.size(), steps + 2u);
    EXPECT_TRUE(loaded.finished);
  }
  for (const char* fault : {"lost_requests", "lost_replies", "duplicated", "cut", "delayed"})
    EXPECT_GT(counts_of(store)[fault], 0u) << fault << " never happened: this test shows nothing";
}

TEST(ChaosLayer, ManyThreadsWinOnce) {
  Store store = stile::open("chaos+memory:?chaos.seed=5&chaos.lose_request=0.1&chaos.lose_reply=0.2&chaos.cut=0.02");
  std::atomic<int> wins{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 200; ++i) {
        auto put =
            store.try_call(Put{.key = "k" + std::to_string(i), .value = std::to_string(t), .condition = If::absent()});
        // A lost reply of a win is answered from the document's memory; a conflict then is somebody else's win.
        wins += put.ok();
        EXPECT_TRUE(put.ok() || put.status() == Status::conflict) << put.failure().text;
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(wins, 200);
  EXPECT_GT(counts_of(store)["lost_replies"], 0u);
}

TEST(ChaosLayer, NobodySendsAgainForWhoAskedNotTo) {
  Store store = stile::open("chaos+memory:?chaos.seed=1&chaos.lose_reply=0.5");
  int lost = 0;
  for (int i = 0; i < 100; ++i) lost += store.try_call(Get{"k"}, {.resend = false}).status() == Status::unknown;
  EXPECT_GT(lost, 20);
  EXPECT_LT(lost, 80);
}

/// The counts say that each ordered fault happened, and no other.
TEST(ChaosLayer, OrderedFaultsMeetTheOperationsTheyAreOrderedFor) {
  Store store = stile::open("chaos+memory:?chaos.at=2:lose_request,3:lose_reply,4:duplicate,5:cut");
  const CallOptions once{.resend = false};  // the first operation was the handle's own look at the store
  auto put = [&](const char* key) { return store.try_call(Put{.key = key, .value = "v"}, once).status(); };
  EXPECT_EQ(put("a"), Status::unknown);
  EXPECT_EQ(put("b"), Status::unknown);
  EXPECT_EQ(put("c"), Status::ok);
  EXPECT_EQ(put("d"), Status::unknown);
  EXPECT_FALSE(store.get("a"));
  for (const char* key : {"b", "c", "d"}) EXPECT_TRUE(store.get(key)) << key;
  auto counts = counts_of(store);
  for (const char* name : {"lost_requests", "duplicated", "cut"}) EXPECT_EQ(counts[name], 1u) << name;
  EXPECT_EQ(counts["lost_replies"], 2u);  // the cut lost one too
}

class Files : public testing::Test {
 protected:
  Files() { std::filesystem::create_directories(folder); }
  ~Files() override { std::filesystem::remove_all(folder); }
  std::filesystem::path folder = std::filesystem::temp_directory_path() / ("stile-history-" + std::to_string(getpid()));
};

TEST_F(Files, HistoryHasEveryCallAndItsAnswer) {
  std::string file = folder / "history.jsonl";
  {
    Store store = stile::open("history+memory:?history.file=" + file);
    store.call(Put{.key = "k", .value = "v"});
    auto [a, b] = store.chain(Get{"none"}, Get{"k"});
    EXPECT_EQ(b.status(), Status::skipped);
  }
  std::ifstream lines(file);
  std::map<std::string, boost::json::object> calls;
  std::map<std::string, std::string> answers;
  for (std::string line; std::getline(lines, line);) {
    auto object = boost::json::parse(line).as_object();
    std::string key = boost::json::serialize(object.at("client")) + boost::json::serialize(object.at("call")) + "/" +
                      boost::json::serialize(object.at("place"));
    if (object.contains("invoke")) {
      EXPECT_TRUE(calls.emplace(key, object).second);
    } else {
      ASSERT_TRUE(calls.contains(key)) << "answered before it was called";
      EXPECT_GE(object.at("return").as_int64(), calls[key].at("invoke").as_int64());
      answers[boost::json::serialize(calls[key].at("op")) + boost::json::serialize(object.at("status"))] = line;
    }
  }
  EXPECT_TRUE(answers.contains("\"put\"\"ok\""));
  EXPECT_TRUE(answers.contains("\"get\"\"not_found\""));
  EXPECT_TRUE(answers.contains("\"get\"\"skipped\""));
}

class Watcher final : public Observer {
 public:
  void operation(const Operation& seen) override {
    std::lock_guard lock(mutex);
    operations.insert(std::string(seen.name) + " " + name_of(seen.status));
    EXPECT_EQ(seen.store.substr(0, 5), "trace");
  }
  void session(const Session& seen) override { sessions += seen.event == Session::Event::connected; }
  void resend(const Resend&) override { ++resends; }
  std::mutex mutex;
  std::set<std::string> operations;
  std::atomic<int> sessions{0}, resends{0};
};

TEST(TraceLayer, TellsTheObserverAndTheLog) {
  auto watcher = std::make_shared<Watcher>();
  observe(watcher);
  std::mutex mutex;
  std::vector<std::string> messages;
  on_log(
      [&](LogLevel, std::string_view message, std::span<const LogField> fields) {
        std::lock_guard lock(mutex);
        std::string text(message);
        for (auto [key, value] : fields) text += " " + std::string(key) + "=" + std::string(value);
        messages.push_back(text);
      },
      LogLevel::debug);
  {
    Store store = stile::open("trace+chaos+memory:?chaos.seed=2&chaos.lose_reply=0.5");
    for (int i = 0; i < 30; ++i) store.call(Put{.key = "k", .value = "v"});
  }
  on_log({});
  observe(nullptr);
  EXPECT_TRUE(watcher->operations.contains("put ok"));
  EXPECT_TRUE(watcher->operations.contains("put unknown"));
  EXPECT_GT(watcher->resends, 0);
  EXPECT_GT(watcher->sessions, 0);
  bool told = false;
  for (const std::string& message : messages) told |= message.starts_with("put status=ok error= us=");
  EXPECT_TRUE(told);
}

TEST(Log, IsSilentUntilAskedAndSurvivesItsListener) {
  EXPECT_FALSE(logs(LogLevel::error));
  int heard = 0;
  on_log([&](LogLevel, std::string_view, std::span<const LogField>) {
    ++heard;
    throw std::runtime_error("a logger that fails");
  });
  EXPECT_TRUE(logs(LogLevel::info));
  EXPECT_FALSE(logs(LogLevel::debug));
  log(LogLevel::warn, "once", {{"a", "b"}});
  log(LogLevel::debug, "never");
  on_log({});
  log(LogLevel::error, "never");
  EXPECT_EQ(heard, 1);
}

}  // namespace
}  // namespace stile::store

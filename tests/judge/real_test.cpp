// A real store under many threads, recorded and judged.
//
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <random>
#include <thread>

#include "judge/judge.hpp"
#include "stile/store.hpp"

namespace stile::conformance::judge {
namespace {

class Recorded : public testing::Test {
 protected:
  Recorded() { std::filesystem::create_directories(folder_); }
  ~Recorded() override { std::filesystem::remove_all(folder_); }
  std::string file() const { return folder_ / "history.jsonl"; }

 private:
  std::filesystem::path folder_ = std::filesystem::temp_directory_path() / ("stile-judged-" + std::to_string(getpid()));
};

/// What all threads know: fences and receipts wander between them, so that late ones meet new ones.
class Crowd {
 public:
  Crowd(Store store, int workflows, int rounds) : store_(std::move(store)), workflows_(workflows), rounds_(rounds) {}

  void run(unsigned seed) {
    std::mt19937 random(seed);
    for (int i = 0; i < rounds_; ++i) {
      std::string workflow = "w" + std::to_string(random() % static_cast<unsigned>(workflows_));
      std::string key = "k" + std::to_string(random() % 8), value = std::to_string(seed) + "." + std::to_string(i);
      act(static_cast<unsigned>(random() % 12), workflow, key, value, random);
    }
  }

 private:
  void act(unsigned what, const std::string& workflow, const std::string& key, const std::string& value,
           std::mt19937& random) {
    switch (what) {
      case 0:
        if (auto granted = store_.try_call(Acquire{.workflow = workflow, .ttl = 2ms, .budget = 20ms}))
          keep(workflow, granted->fence);
        break;
      case 1:
      case 2:
        (void)store_.try_call(Record{.workflow = workflow, .fence = fence(workflow), .key = key, .value = value});
        break;
      case 3:
        (void)store_.try_call(Supply{.workflow = workflow, .key = key, .value = value, .enqueue = Wakeup{}});
        break;
      case 4: (void)store_.try_call(Append{.workflow = workflow, .value = value}); break;
      case 5: (void)store_.try_call(Load{.workflow = workflow}); break;
      case 6: (void)store_.try_call(Enqueue{.workflow = workflow, .delay = Duration(random() % 3'000)}); break;
      case 7:
      case 8: work(random); break;
      case 9: (void)store_.try_call(Put{.key = key, .value = value, .condition = If::absent(), .ttl = 5ms}); break;
      case 10: (void)store_.try_call(Get{.key = key}); break;
      default:
        if (random() % 8 == 0)
          (void)store_.try_call(Cancel{.workflow = workflow});
        else if (random() % 16 == 0)
          (void)store_.try_call(Discard{.workflow = workflow});
        else
          (void)store_.try_call(Release{.workflow = workflow, .fence = fence(workflow)});
    }
  }

  void work(std::mt19937& random) {
    auto received = store_.try_call(
        Receive{.max = 2, .lease = 3ms, .acquire = Receive::Lease{2ms, 20ms}, .load = Receive::Records{}});
    if (!received) return;
    for (const Delivery& delivery : received->deliveries) {
      keep(delivery.workflow, delivery.fence);
      (void)store_.try_call(
          Record{.workflow = delivery.workflow, .fence = delivery.fence, .key = delivery.receipt, .value = "done"});
      if (random() % 6 == 0)
        (void)store_.try_call(Nack{.receipt = delivery.receipt, .delay = 1ms, .error = "again"});
      else if (random() % 4 != 0)
        (void)store_.try_call(Ack{.receipt = delivery.receipt, .fence = delivery.fence, .release = true});
    }
  }

  void keep(const std::string& workflow, const Fence& fence) {
    std::lock_guard lock(mutex_);
    fences_[workflow] = fence;
  }
  Fence fence(const std::string& workflow) {
    std::lock_guard lock(mutex_);
    return fences_[workflow];
  }

  Store store_;
  int workflows_, rounds_;
  std::mutex mutex_;
  std::map<std::string, Fence> fences_;
};

TEST_F(Recorded, ManyThreadsOnARealStoreAreAccepted) {
  {
    Store store = stile::open("history+memory:?history.file=" + file());
    Crowd crowd(store, 12, 150);
    std::vector<std::jthread> threads;
    for (unsigned i = 1; i <= 8; ++i) threads.emplace_back([&crowd, i] { crowd.run(i); });
  }
  std::vector<std::string> files{file()};
  History history = read_history(files);
  Verdict verdict = judge(history);
  EXPECT_TRUE(verdict.accepted()) << verdict_text(verdict, history);
  EXPECT_TRUE(verdict.clock.known());
  EXPECT_GE(verdict.counts.operations, 1000u);
  for (const char* status : {"ok", "fenced", "not_found"}) EXPECT_GT(verdict.counts.status[status], 0u) << status;
}

/// The same recording with one answer turned is refused: the judge did look at it.
TEST_F(Recorded, AFencedWriteToldToHaveLandedIsRefused) {
  {
    Store store = stile::open("history+memory:?history.file=" + file());
    Fence first = store.call(Acquire{.workflow = "w", .ttl = 10s, .budget = 10s}).fence;
    store.call(Release{.workflow = "w", .fence = first});
    store.call(Acquire{.workflow = "w", .ttl = 10s, .budget = 10s});
    EXPECT_EQ(store.try_call(Record{.workflow = "w", .fence = first, .key = "k", .value = "v"}).status(),
              Status::fenced);
  }
  std::ifstream in(file());
  std::string text((std::istreambuf_iterator<char>(in)), {});
  EXPECT_TRUE(judge(history_from(text)).accepted());
  auto turned = text.find("\"status\":\"fenced\"");
  ASSERT_NE(turned, std::string::npos);
  std::size_t end = text.find('\n', turned);
  text.replace(turned, end - turned, R"("status":"ok","value":"v","first":true,"position":1,"written_at":1})");
  Verdict verdict = judge(history_from(text));
  ASSERT_FALSE(verdict.accepted());
  EXPECT_EQ(verdict.findings[0].ids, "A4");
}

}  // namespace
}  // namespace stile::conformance::judge

// The worker with its threads, on a store in memory by the real clock: passes side by side, the heartbeat, the drain,
// the store's trouble. Times are generous upper bounds; what is waited for is a condition.
//
// SPDX-License-Identifier: Apache-2.0
#include "stile/worker.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <thread>

#include "shop.hpp"

namespace {

using namespace std::chrono_literals;
using shop::approved_by;
using shop::fulfil;
using shop::Order;
using shop::Receipt;
using stile::Task;

/// Waits for a condition that other threads bring about; false when it did not come in time.
class Meeting {
 public:
  template <class F>
  bool wait(F condition, stile::Duration most = 30s) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, most, [&] { return condition(count_); });
  }
  void arrive() {
    std::lock_guard lock(mutex_);
    ++count_;
    changed_.notify_all();
  }
  int count() {
    std::lock_guard lock(mutex_);
    return count_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int count_ = 0;
};

/// Does nothing for that long, or until told to stop.
bool busy(stile::Duration time, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  never.wait_for(lock, stop, time, [] { return false; });
  return !stop.stop_requested();
}

/// A worker on a thread of its own, stopped at the end.
class Running {
 public:
  explicit Running(stile::Worker& worker) : thread_([&worker](std::stop_token stop) { worker.run(std::move(stop)); }) {}
  void stop() {
    thread_.request_stop();
    if (thread_.joinable()) thread_.join();
  }

 private:
  std::jthread thread_;
};

Receipt item_of(const Order& order) { return {order.item, {}}; }

TEST(Worker, RunsPassesSideBySide) {
  auto store = stile::open("memory:");
  stile::Worker worker(store, {.concurrency = 8});
  Meeting meeting;
  worker.handle(fulfil, [&](stile::Run& run, Order order) -> Task<Receipt> {
    auto met = co_await run.step("meet", [&] {
      meeting.arrive();
      return meeting.wait([](int count) { return count >= 8; });
    });
    co_return Receipt{met ? order.item : "alone", {}};
  });
  Running running(worker);
  std::vector<stile::Handle<Receipt>> orders;
  for (int i = 0; i < 8; ++i) orders.push_back(stile::start(store, fulfil, "o" + std::to_string(i), {"tea", i, {}}));
  for (auto& order : orders) {
    auto receipt = order.result(60s);
    ASSERT_TRUE(receipt) << order.id();
    EXPECT_EQ(receipt->text, "tea");
  }
  running.stop();
  EXPECT_EQ(worker.counts().completed, 8u);
}

TEST(Worker, OneRoundTripBeginsAPassAndAShortSleepKeepsIt) {
  auto store = stile::open("memory:");
  stile::Worker worker(store, {.concurrency = 2});
  worker.handle(fulfil, [&](stile::Run& run, Order order) -> Task<Receipt> {
    auto before = run.now();
    co_await run.sleep("a moment", 80ms);
    auto slept = co_await run.step("slept", [&] { return std::to_string((run.now() - before).count()); });
    co_return Receipt{slept, {order.item}};
  });
  Running running(worker);
  auto receipt = stile::start(store, fulfil, "o", {"tea", 1, {}}).result(60s);
  running.stop();
  ASSERT_TRUE(receipt);
  EXPECT_GE(std::stoll(receipt->text), 80'000);
  EXPECT_EQ(worker.counts().passes, 1u);
}

TEST(Worker, AStepLongerThanTheLeaseRunsOnceAndHearsOfACancelRequest) {
  auto store = stile::open("memory:");
  stile::Worker worker(store, {.concurrency = 2, .lease = 1s});
  Meeting begun;
  worker.handle(fulfil, [&](stile::Run& run, Order) -> Task<Receipt> {
    auto done = co_await run.step("long", [&](stile::Attempt& attempt) {
      begun.arrive();
      return busy(3s, attempt.stop_token());
    });
    co_return Receipt{done ? "done" : "stopped", {run.cancel_requested() ? "cancel seen" : "no cancel"}};
  });
  Running running(worker);
  auto order = stile::start(store, fulfil, "o", {"tea", 1, {}});
  ASSERT_TRUE(begun.wait([](int count) { return count == 1; }));
  order.request_cancel();
  auto receipt = order.result(60s);
  running.stop();
  ASSERT_TRUE(receipt);
  EXPECT_EQ(receipt->text, "done");
  EXPECT_EQ(receipt->lines, std::vector<std::string>{"cancel seen"}) << "the heartbeat brought it";
  EXPECT_EQ(begun.count(), 1) << "the lease was renewed: nobody took the step over";
  EXPECT_EQ(worker.counts().taken_over, 0u);
}

TEST(Worker, AnAttemptPastItsTimeIsToldAndCountsAsFailed) {
  auto store = stile::open("memory:");
  stile::Worker worker(store, {.concurrency = 1});
  worker.handle(fulfil, [&](stile::Run& run, Order) -> Task<Receipt> {
    auto slow = co_await run.try_step("slow", {.within = 100ms, .retry = {.attempts = 2, .first = 1ms}},
                                      [&](stile::Attempt& attempt) { return busy(60s, attempt.stop_token()); });
    co_return Receipt{slow.ok() ? "in time" : slow.error(), {}};
  });
  Running running(worker);
  auto receipt = stile::start(store, fulfil, "o", {"tea", 1, {}}).result(50s);
  running.stop();
  ASSERT_TRUE(receipt);
  EXPECT_EQ(receipt->text, "it took longer than 100ms");
}

TEST(Worker, ADrainLetsTheRunningStepFinishAndHandsTheRestBackAtOnce) {
  auto store = stile::open("memory:");
  Meeting steps;
  std::atomic<bool> enough = false;
  auto function = [&](stile::Run& run, Order order) -> Task<Receipt> {
    for (bool more = true; more;) {
      more = co_await run.step("step", [&] {
        steps.arrive();
        return !enough;
      });
    }
    co_return item_of(order);
  };
  auto order = stile::start(store, fulfil, "o", {"tea", 1, {}});
  stile::Worker leaving(store, {.concurrency = 1, .lease = 10min});
  leaving.handle(fulfil, function);
  Running running(leaving);
  ASSERT_TRUE(steps.wait([](int count) { return count >= 3; }));
  running.stop();
  int done = steps.count();
  EXPECT_EQ(leaving.counts().completed, 0u) << "no further step starts, though the workflow has more";
  enough = true;
  stile::Worker staying(store, {.concurrency = 1});
  staying.handle(fulfil, function);
  staying.run_until_idle();
  auto receipt = order.result(0s);
  ASSERT_TRUE(receipt) << "handed back at once, not after the lease of ten minutes";
  EXPECT_EQ(steps.count(), done + 1) << "every step of the worker that left was finished and recorded";
}

TEST(Worker, ADrainEndsInItsTimeWhateverAStepDoes) {
  auto store = stile::open("memory:");
  auto begun = std::make_shared<Meeting>(), release = std::make_shared<Meeting>(), left = std::make_shared<Meeting>();
  stile::Worker worker(store, {.concurrency = 1, .drain = 100ms});
  worker.handle(fulfil, [=](stile::Run& run, Order order) -> Task<Receipt> {
    auto held = [=] {
      begun->arrive();
      release->wait([](int count) { return count == 1; });
      left->arrive();
    };
    co_await run.step("deaf", held);
    co_return item_of(order);
  });
  Running running(worker);
  stile::start(store, fulfil, "o", {"tea", 1, {}});
  ASSERT_TRUE(begun->wait([](int count) { return count == 1; }));
  auto before = std::chrono::steady_clock::now();
  running.stop();
  EXPECT_LT(std::chrono::steady_clock::now() - before, 20s);
  release->arrive();
  EXPECT_TRUE(left->wait([](int count) { return count == 1; })) << "left behind, not killed";
}

TEST(Worker, AClientThatWaitsIsWokenByTheResult) {
  auto store = stile::open("memory:");
  stile::Worker worker(store, {.concurrency = 1});
  worker.handle(fulfil, [&](stile::Run& run, Order) -> Task<Receipt> {
    auto who = co_await run.wait(approved_by);
    co_return Receipt{who, {}};
  });
  Running running(worker);
  auto order = stile::start(store, fulfil, "o", {"tea", 1, {}});
  EXPECT_FALSE(order.result(10ms)) << "nothing yet, and the wait is bounded";
  std::optional<Receipt> receipt;
  std::thread waiting([&] { receipt = order.result(60s); });
  order.signal(approved_by, "anna");
  waiting.join();
  running.stop();
  ASSERT_TRUE(receipt);
  EXPECT_EQ(receipt->text, "anna");
}

TEST(Worker, TwoWorkersShareTheWorkAndDoEachStepOnce) {
  auto store = stile::open("memory:");
  Meeting steps;
  auto function = [&](stile::Run& run, Order order) -> Task<Receipt> {
    for (int i = 0; i < 3; ++i) co_await run.step("step", [&] { steps.arrive(); });
    co_return item_of(order);
  };
  stile::Worker a(store, {.concurrency = 4}), b(store, {.concurrency = 4});
  a.handle(fulfil, function);
  b.handle(fulfil, function);
  Running running_a(a), running_b(b);
  std::vector<stile::Handle<Receipt>> orders;
  for (int i = 0; i < 200; ++i) orders.push_back(stile::start(store, fulfil, "o" + std::to_string(i), {"tea", i, {}}));
  for (auto& order : orders) ASSERT_TRUE(order.result(60s)) << order.id();
  running_a.stop();
  running_b.stop();
  EXPECT_EQ(a.counts().completed + b.counts().completed, 200u);
  EXPECT_EQ(steps.count(), 600);
}

TEST(Worker, LostRepliesAndLostRequestsLoseNoWorkAndDoubleNoRecord) {
  auto store = stile::open("chaos+memory:?chaos.seed=7&chaos.lose_reply=0.05&chaos.lose_request=0.05");
  stile::Worker worker(store, {.concurrency = 8, .lease = 5s});
  worker.handle(fulfil, [&](stile::Run& run, Order order) -> Task<Receipt> {
    Receipt receipt;
    for (int i = 0; i < 3; ++i) {
      auto line = co_await run.step("step", [&] { return stile::Id::random().text(); });
      receipt.lines.push_back(line);
    }
    receipt.text = order.item;
    co_return receipt;
  });
  Running running(worker);
  std::vector<stile::Handle<Receipt>> orders;
  for (int i = 0; i < 50; ++i) orders.push_back(stile::start(store, fulfil, "o" + std::to_string(i), {"tea", i, {}}));
  for (auto& order : orders) {
    auto receipt = order.result(90s);
    ASSERT_TRUE(receipt) << order.id();
    for (int i = 0; i < 3; ++i) {
      std::string key = "step#" + std::to_string(i + 1);
      auto recorded = store.call(stile::Load{.workflow = order.id(), .key = key}).records;
      ASSERT_EQ(recorded.size(), 1u);
      EXPECT_EQ(stile::detail::decode_value<std::string>(recorded[0].value), receipt->lines.at(std::size_t(i)));
    }
  }
  running.stop();
}

TEST(Worker, WhatWaitingDoesNotMendIsThrown) {
  auto store = stile::open("memory:?prepare=never");
  stile::Worker worker(store);
  worker.handle(fulfil, [](stile::Run&, Order order) -> Task<Receipt> { co_return item_of(order); });
  std::stop_source never;
  try {
    worker.run(never.get_token());
    FAIL() << "run must not wait for ever on a store that nobody prepares";
  } catch (const stile::Error& e) {
    EXPECT_EQ(e.status(), stile::Status::unprepared);
  }
}

class Signalled : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Worker, Signalled, testing::Values(SIGINT, SIGTERM, SIGHUP));

TEST_P(Signalled, TheFirstStopsAndTheSecondEndsTheProcess) {
  for (int signals = 1; signals <= 2; ++signals) {
    pid_t child = fork();
    if (child == 0) {
      signal(SIGHUP, SIG_DFL);  // the tests may run under nohup
      auto stop = stile::stop_on_signals();
      for (int i = 0; i < signals; ++i) raise(GetParam());
      Meeting stopped;
      std::stop_callback on_stop(stop, [&] { stopped.arrive(); });
      _exit(stopped.wait([](int count) { return count == 1; }) ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    if (signals == 1)
      EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
    else
      EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == GetParam()) << status;
  }
}

TEST(Worker, AHangupThatIsIgnoredOrHandledStaysSo) {
  for (auto handler : {SIG_IGN, +[](int) {}}) {
    pid_t child = fork();
    if (child == 0) {
      signal(SIGHUP, handler);
      auto stop = stile::stop_on_signals();
      struct sigaction kept {};
      sigaction(SIGHUP, nullptr, &kept);
      _exit(kept.sa_handler == handler ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  }
}

#ifndef __SANITIZE_THREAD__  // which runs handlers later than the kernel would: the child has ended by then
TEST(Worker, ASignalToAForkedChildStopsThatChildAlone) {
  pid_t parent = fork();
  if (parent == 0) {
    auto stop = stile::stop_on_signals();
    pid_t child = fork();
    if (child == 0) {
      raise(SIGTERM);
      _exit(0);
    }
    int ended = 0;
    bool died = waitpid(child, &ended, 0) == child && WIFSIGNALED(ended) && WTERMSIG(ended) == SIGTERM;
    _exit(died && !stop.stop_requested() ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(parent, &status, 0), parent);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}
#endif

}  // namespace

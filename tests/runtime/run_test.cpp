// What a workflow's code may rely on, on a store whose clock the test moves: no thread, no waiting.
//
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "fixture.hpp"

namespace {

using namespace std::chrono_literals;
using shop::approved_by;
using shop::chat;
using shop::fulfil;
using shop::Order;
using shop::Receipt;
using stile::PassOutcome;
using stile::Task;
using WorkflowTest = shop::WorkflowTest;

TEST_F(WorkflowTest, AStepRunsOnceAndIsReplayedAfterEveryWait) {
  int charged = 0;
  handle([&](stile::Run& run, Order order) -> Task<Receipt> {
    auto text = co_await run.step("charge", [&] { return order.item + " " + std::to_string(++charged); });
    co_await run.sleep("settling", 72h);
    auto who = co_await run.wait(approved_by);
    co_return Receipt{text, {who}};
  });
  auto order = start();
  EXPECT_EQ(worker.run_until_idle(), 1u);
  EXPECT_EQ(worker.run_until_idle(), 0u) << "asleep";
  stile::testing::advance(store, 72h - 1us);
  EXPECT_EQ(worker.run_until_idle(), 0u) << "never early";
  stile::testing::advance(store, 1us);
  EXPECT_EQ(worker.run_until_idle(), 1u);
  order.signal(approved_by, "anna");
  EXPECT_EQ(worker.run_until_idle(), 1u);
  auto receipt = order.result(0s);
  ASSERT_TRUE(receipt);
  EXPECT_EQ(receipt->text, "tea 1");
  EXPECT_EQ(receipt->lines, std::vector<std::string>{"anna"});
  EXPECT_EQ(charged, 1);
  EXPECT_EQ(state(), stile::State::finished);
}

TEST_F(WorkflowTest, TheFirstStartStandsAndTheSecondSaysExisted) {
  handle([&](stile::Run&, Order order) -> Task<Receipt> { co_return Receipt{order.item, {}}; });
  auto first = stile::start(store, fulfil, "order-7", {"tea", 1, {}});
  auto same = stile::start(store, fulfil, "order-7", {"tea", 1, {}});
  auto other = stile::start(store, fulfil, "order-7", {"coffee", 1, {}});
  EXPECT_FALSE(first.existed());
  EXPECT_TRUE(same.existed()) << "the same input does not make it the first";
  EXPECT_TRUE(other.existed());
  worker.run_until_idle();
  EXPECT_EQ(stile::find(store, fulfil, "order-7").result(0s)->text, "tea");
  stile::start(store, fulfil, "order-7", {"late", 1, {}});
  worker.run_until_idle();
  EXPECT_EQ(other.result(0s)->text, "tea");
}

TEST_F(WorkflowTest, WhatComesBackIsWhatWasStored) {
  std::vector<std::int64_t> seen;
  handle([&](stile::Run& run, Order) -> Task<Receipt> {
    auto time = co_await run.step("time", [&] { return 90min; });
    seen.push_back(time.count());
    auto precise = co_await run.step("lossy", [&] { return shop::Lossy{1, 2}; });
    seen.push_back(precise.lost);
    co_await run.wait(approved_by);
    co_return Receipt{};
  });
  auto order = start();
  worker.run_until_idle();
  EXPECT_EQ(seen, (std::vector<std::int64_t>{90, 0})) << "on the pass that ran it, too";
  order.signal(approved_by, "x");
  worker.run_until_idle();
  EXPECT_EQ(seen, (std::vector<std::int64_t>{90, 0, 90, 0}));
}

TEST_F(WorkflowTest, CheckValuesRefusesToRecordWhatWouldNotComeBack) {
  stile::Worker strict(store, {.check_values = true});
  strict.handle(fulfil, [&](stile::Run& run, Order) -> Task<Receipt> {
    auto lossy = co_await run.try_step("lossy", [&] { return shop::Lossy{1, 2}; });
    co_return Receipt{lossy.ok() ? "recorded" : lossy.error(), {}};
  });
  auto order = start();
  strict.run_until_idle();
  EXPECT_EQ(order.result(0s)->text,
            "its value cannot be recorded: the value does not come back from its stored form as it was");
}

TEST_F(WorkflowTest, AFailingStepIsTriedAgainLaterThenItsFailureIsRecorded) {
  std::vector<int> numbers;
  std::set<std::string> keys;
  handle([&](stile::Run& run, Order) -> Task<Receipt> {
    try {
      co_await run.step("charge", {.retry = {.attempts = 3, .first = 10s, .most = 20s}}, [&](stile::Attempt& attempt) {
        numbers.push_back(attempt.number());
        keys.insert(attempt.idempotency_key());
        throw std::runtime_error("card declined");
      });
    } catch (const stile::StepFailed& failed) {
      co_return Receipt{failed.what(), {failed.step(), failed.error(), std::to_string(failed.attempts())}};
    }
    co_return Receipt{"charged", {}};
  });
  auto order = start();
  EXPECT_EQ(worker.run_until_idle(), 1u);
  EXPECT_EQ(last_error(), "step \"charge#1\", attempt 1: card declined");
  for (int i = 0; i < 2; ++i) {
    stile::testing::advance(store, 20s);
    EXPECT_EQ(worker.run_until_idle(), 1u);
  }
  EXPECT_EQ(numbers, (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(keys, std::set<std::string>{"order-7/charge#1"});
  auto receipt = order.result(0s);
  ASSERT_TRUE(receipt);
  EXPECT_EQ(receipt->text, "step \"charge\" failed after 3 attempts: card declined");
  EXPECT_EQ(receipt->lines, (std::vector<std::string>{"charge", "card declined", "3"}));
}

TEST_F(WorkflowTest, ASignalDoesNotMakeAFailedStepTryEarlier) {
  int tries = 0;
  handle([&](stile::Run& run, Order) -> Task<Receipt> {
    co_await run.step("charge", {.retry = {.first = 1h, .most = 1h}}, [&] {
      if (++tries < 2) throw std::runtime_error("not yet");
    });
    auto who = co_await run.wait(approved_by);
    co_return Receipt{who, {}};
  });
  auto order = start();
  worker.run_until_idle();
  order.signal(approved_by, "anna");
  EXPECT_EQ(worker.run_until_idle(), 1u);
  EXPECT_EQ(tries, 1);
  stile::testing::advance(store, 1h);
  EXPECT_EQ(worker.run_until_idle(), 1u);
  EXPECT_EQ(tries, 2);
  EXPECT_EQ(order.result(0s)->text, "anna");
}

TEST_F(WorkflowTest, PermanentStopsAtOnceAndTryStepHandsTheFailureBack) {
  int tries = 0;
  handle([&](stile::Run& run, Order) -> Task<Receipt> {
    auto charged = co_await run.try_step("charge", [&]() -> int {
      ++tries;
      throw stile::Permanent("no such card");
    });
    if (charged) co_return Receipt{"charged", {}};
    auto note = co_await run.step("apologise", [&] { return "sorry: " + charged.error(); });
    co_await run.wait(approved_by);
    co_return Receipt{note, {}};
  });
  auto order = start();
  worker.run_until_idle();
  order.signal(approved_by, "");
  worker.run_until_idle();
  EXPECT_EQ(tries, 1) << "a failure is replayed, not run again";
  EXPECT_EQ(order.result(0s)->text, "sorry: no such card");
}

TEST_F(WorkflowTest, AnExceptionThatLeavesTheWorkflowIsItsResult) {
  handle([&](stile::Run& run, Order) -> Task<Receipt> {
    co_await run.step("boom", [&]() { throw stile::Permanent("boom"); });
    co_return Receipt{};
  });
  auto order = start();
  worker.run_until_idle();
  EXPECT_EQ(state(), stile::State::finished);
  try {
    order.result(0s);
    FAIL() << "a failed workflow has no result";
  } catch (const stile::WorkflowFailed& failed) {
    EXPECT_STREQ(failed.what(), "step \"boom\" failed: boom");
  }
  EXPECT_EQ(worker.counts().completed, 1u);
}

TEST_F(WorkflowTest, AWaitEndsWithTheSignalOrWithItsTimeAndStaysThatWay) {
  handle([&](stile::Run& run, Order) -> Task<Receipt> {
    auto first = co_await run.wait(approved_by, 48h);
    auto second = co_await run.wait(approved_by, 48h);
    co_await run.step("note", [&] { return 1; });
    co_await run.sleep("later", 1h);
    co_return Receipt{first.value_or("nobody"), {second.value_or("nobody")}};
  });
  auto order = start();
  worker.run_until_idle();
  stile::testing::advance(store, 48h);
  EXPECT_EQ(worker.run_until_idle(), 1u) << "timed out, and the second wait begins";
  order.signal(approved_by, "anna");
  worker.run_until_idle();
  stile::testing::advance(store, 1h);
  worker.run_until_idle();
  auto receipt = order.result(0s);
  ASSERT_TRUE(receipt);
  EXPECT_EQ(receipt->text, "nobody") << "the signal came too late for the first wait";
  EXPECT_EQ(receipt->lines, std::vector<std::string>{"anna"});
}

TEST_F(WorkflowTest, ASignalMayComeBeforeTheStartAndTheFirstOneStands) {
  handle([&](stile::Run& run, Order order) -> Task<Receipt> {
    auto who = co_await run.wait(approved_by, 0s);
    auto nobody = co_await run.wait(stile::Signal<int>{"never"}, 0s);
    co_return Receipt{order.item + who.value_or("?"), {nobody ? "some" : "none"}};
  });
  auto order = stile::find(store, fulfil, "order-7");
  auto first = order.signal(approved_by, "anna");
  auto second = order.signal(approved_by, "bob");
  EXPECT_TRUE(first.first);
  EXPECT_FALSE(second.first);
  EXPECT_EQ(second.stands, "anna");
  worker.run_until_idle();
  start();
  worker.run_until_idle();
  auto receipt = order.result(0s);
  ASSERT_TRUE(receipt);
  EXPECT_EQ(receipt->text, "teaanna");
  EXPECT_EQ(receipt->lines, std::vector<std::string>{"none"});
}

TEST_F(WorkflowTest, MessagesAreTakenInOrderEachOnceFromTheirOwnInbox) {
  constexpr stile::Inbox<int> numbers{"numbers"};
  handle([&](stile::Run& run, Order) -> Task<Receipt> {
    Receipt receipt;
    for (int i = 0; i < 3; ++i) {
      auto line = co_await run.receive(chat);
      auto seen = co_await run.step("seen", [&] { return line + "!"; });
      receipt.lines.push_back(seen);
    }
    auto number = co_await run.receive(numbers);
    auto late = co_await run.receive(chat, 1min);
    co_return Receipt{std::to_string(number) + late.value_or(" nothing"), receipt.lines};
  });
  auto order = start();
  order.send(numbers, 42);
  auto a = order.send(chat, "a", "id-a");
  auto again = order.send(chat, "not a", "id-a");
  EXPECT_FALSE(a.duplicate);
  EXPECT_TRUE(again.duplicate);
  EXPECT_EQ(again.position, a.position);
  order.send(chat, "b");
  worker.run_until_idle();
  order.send(chat, "c");
  worker.run_until_idle();
  stile::testing::advance(store, 1min);
  worker.run_until_idle();
  auto receipt = order.result(0s);
  ASSERT_TRUE(receipt);
  EXPECT_EQ(receipt->lines, (std::vector<std::string>{"a!", "b!", "c!"}));
  EXPECT_EQ(receipt->text, "42 nothing");
}

TEST_F(WorkflowTest, ACancelRequestIsSeenFromOnePlaceOnOnEveryPass) {
  std::vector<bool> before, after;
  handle([&](stile::Run& run, Order) -> Task<Receipt> {
    before.push_back(run.cancel_requested());
    co_await run.step("a", [&] { return 1; });
    co_await run.wait(approved_by, 24h);
    after.push_back(run.cancel_requested());
    if (run.cancel_requested()) {
      co_await run.sleep("winding down", 1h);
      co_return Receipt{"cancelled", {}};
    }
    co_return Receipt{"not cancelled", {}};
  });
  auto order = start();
  worker.run_until_idle();
  order.request_cancel();
  EXPECT_EQ(worker.run_until_idle(), 1u) << "a cancel request wakes it";
  stile::testing::advance(store, 24h);
  worker.run_until_idle();
  stile::testing::advance(store, 1h);
  worker.run_until_idle();
  EXPECT_EQ(before, (std::vector<bool>{false, false, false, false})) << "what was answered once stays answered";
  EXPECT_EQ(after, (std::vector<bool>{true, true}));
  EXPECT_EQ(order.result(0s)->text, "cancelled");
}

TEST_F(WorkflowTest, ItsOwnTimeIsTheSameOnEveryPass) {
  std::vector<stile::StoreTime> times;
  handle([&](stile::Run& run, Order) -> Task<Receipt> {
    times.push_back(run.now());
    co_await run.sleep("a", 10min);
    times.push_back(run.now());
    co_await run.sleep_until("b", run.now() + 20min);
    times.push_back(run.now());
    co_return Receipt{};
  });
  start();
  worker.run_until_idle();
  stile::testing::advance(store, 15min);
  worker.run_until_idle();
  stile::testing::advance(store, 15min);
  worker.run_until_idle();
  ASSERT_EQ(times.size(), 6u);
  EXPECT_EQ(times[1], times[0]);
  EXPECT_EQ(times[2], times[0] + 10min);
  EXPECT_EQ(times[3], times[0]);
  EXPECT_EQ(times[4], times[2]);
  EXPECT_EQ(times[5], times[0] + 30min);
}

TEST_F(WorkflowTest, AStartThatIsPutOffStaysSoWhoeverWakesTheWorkflow) {
  handle([&](stile::Run& run, Order) -> Task<Receipt> {
    auto who = co_await run.wait(approved_by);
    co_return Receipt{who, {}};
  });
  auto order = stile::start(store, fulfil, "order-7", {"tea", 1, {}}, {.delay = 1h});
  order.signal(approved_by, "anna");
  EXPECT_EQ(worker.run_until_idle(), 1u);
  EXPECT_FALSE(order.result(0s)) << "woken by the signal, and put off again";
  stile::testing::advance(store, 1h);
  worker.run_until_idle();
  EXPECT_EQ(order.result(0s)->text, "anna");
}

TEST_F(WorkflowTest, TerminateForgetsItAndTheIdMayBeUsedAgain) {
  handle([&](stile::Run& run, Order order) -> Task<Receipt> {
    co_await run.step("a", [&] { return 1; });
    if (order.item == "tea") co_await run.wait(approved_by);
    co_return Receipt{order.item, {}};
  });
  auto order = start();
  worker.run_until_idle();
  order.terminate();
  EXPECT_EQ(worker.run_until_idle(), 0u);
  EXPECT_FALSE(stile::start(store, fulfil, "order-7", {"coffee", 1, {}}).existed());
  worker.run_until_idle();
  EXPECT_EQ(order.result(0s)->text, "coffee");
}

}  // namespace

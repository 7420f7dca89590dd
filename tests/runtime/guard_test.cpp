// Code that changed under its workflows, and what cannot be read: stuck, not wrong. And one pass without a worker.
//
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "fixture.hpp"

namespace {

using namespace std::chrono_literals;
using shop::approved_by;
using shop::fulfil;
using shop::Order;
using shop::Receipt;
using stile::PassOutcome;
using stile::Task;
using GuardTest = shop::WorkflowTest;

/// Runs a first version until it waits.
void first_version(stile::Store store) {
  stile::Worker old(store);
  old.handle(fulfil, [](stile::Run& run, Order) -> Task<Receipt> {
    co_await run.step("charge", [&] { return 1; });
    co_await run.step("ship", [&] { return 2; });
    co_await run.wait(approved_by);
    co_return Receipt{"first version", {}};
  });
  old.run_until_idle();
}

TEST_F(GuardTest, AnotherOrderIsStuckBeforeAnythingRunsAndGoesOnWhenTheCodeAgrees) {
  auto order = start();
  first_version(store);
  int ran = 0;
  stile::Worker wrong(store, {.build = "42"});
  wrong.handle(fulfil, [&](stile::Run& run, Order) -> Task<Receipt> {
    co_await run.step("ship", [&] { return ++ran; });
    co_await run.step("charge", [&] { return ++ran; });
    co_return Receipt{};
  });
  order.signal(approved_by, "anna");
  EXPECT_EQ(wrong.run_until_idle(), 1u);
  EXPECT_EQ(ran, 0);
  EXPECT_EQ(wrong.counts().stuck, 1u);
  EXPECT_EQ(last_error(), "stuck: the code asks for \"ship#1\" where \"charge#1\" is recorded (position 2) (build 42)");
  for (int i = 0; i < 40; ++i) {
    stile::testing::advance(store, 1min);
    wrong.run_until_idle();
  }
  EXPECT_EQ(state(), stile::State::delayed) << "being stuck spends no retries";
  stile::testing::advance(store, 1min);
  first_version(store);
  EXPECT_EQ(order.result(0s)->text, "first version");
}

TEST_F(GuardTest, EveryChangeThatRecordsContradictIsStuck) {
  using Function = Task<Receipt> (*)(stile::Run&, Order);
  struct Change {
    const char* what;
    Function function;
    std::string error;
  };
  const Change changes[] = {
      {"a step put in before",
       [](stile::Run& run, Order) -> Task<Receipt> {
         co_await run.step("new", [&] { return 1; });
         co_return Receipt{};
       },
       "the code asks for \"new#1\" where \"charge#1\" is recorded (position 2)"},
      {"a step left out",
       [](stile::Run& run, Order) -> Task<Receipt> {
         co_await run.step("charge", [&] { return 1; });
         co_await run.wait(approved_by);
         co_return Receipt{};
       },
       "the code asks for \"the end\" where \"ship#1\" is recorded (position 3)"},
      {"a step that became a sleep",
       [](stile::Run& run, Order) -> Task<Receipt> {
         co_await run.sleep("charge", 1h);
         co_return Receipt{};
       },
       "\"charge#1\": what is stored is no timer"},
      {"a wait put in before",
       [](stile::Run& run, Order) -> Task<Receipt> {
         co_await run.wait(stile::Signal<int>{"new"});
         co_return Receipt{};
       },
       "the code asks for \"new#1\" where \"charge#1\" is recorded (position 2)"},
      {"another type",
       [](stile::Run& run, Order) -> Task<Receipt> {
         co_await run.step("charge", [&] { return std::string("text"); });
         co_return Receipt{};
       },
       "\"charge#1\" is recorded in a form that this code cannot read: no text"},
      {"a name that is the core's",
       [](stile::Run& run, Order) -> Task<Receipt> {
         co_await run.step("!result", [&] { return 1; });
         co_return Receipt{};
       },
       "the name \"!result\" begins with '!', which is the core's"},
  };
  start();
  first_version(store);
  stile::find(store, fulfil, "order-7").signal(approved_by, "anna");
  for (const auto& change : changes) {
    auto end = stile::run_pass(store, fulfil, change.function, "order-7");
    EXPECT_EQ(end.outcome, PassOutcome::stuck) << change.what;
    EXPECT_EQ(end.text, change.error) << change.what;
  }
}

TEST_F(GuardTest, ASleepThatBecameAStepIsStuck) {
  auto sleeps = [](stile::Run& run, Order) -> Task<Receipt> {
    co_await run.sleep("a", 1h);
    co_return Receipt{};
  };
  auto steps = [](stile::Run& run, Order) -> Task<Receipt> {
    co_await run.step("a", [&] { return 1; });
    co_return Receipt{};
  };
  start();
  EXPECT_EQ(stile::run_pass(store, fulfil, sleeps, "order-7").outcome, PassOutcome::sleeping);
  auto end = stile::run_pass(store, fulfil, steps, "order-7");
  EXPECT_EQ(end.outcome, PassOutcome::stuck);
  EXPECT_EQ(end.text, "\"a#1\" is recorded as a wait, and the code runs a step");
}

TEST_F(GuardTest, AnInputThatCannotBeReadAndAKindThatNobodyHandlesAreStuck) {
  constexpr stile::Workflow<int(std::string)> other_input{"fulfil"};
  constexpr stile::Workflow<int(int)> other_kind{"other"};
  handle([](stile::Run&, Order) -> Task<Receipt> { co_return Receipt{}; });
  stile::start(store, other_input, "order-7", "just text");
  worker.run_until_idle();
  EXPECT_EQ(last_error(), "stuck: \"!start\" is recorded in a form that this code cannot read: no object");
  stile::find(store, fulfil, "order-7").terminate();
  stile::start(store, other_kind, "order-7", 1, {.queue = "fulfil"});
  worker.run_until_idle();
  EXPECT_EQ(last_error(), "stuck: no function for the kind \"other\" here");
  EXPECT_EQ(state(), stile::State::delayed);
}

TEST_F(GuardTest, ValuesThatTheStoreDoesNotTakeFailTheStepNotTheWorkflow) {
  handle([&](stile::Run& run, Order) -> Task<Receipt> {
    auto huge = co_await run.try_step("huge", [&] { return std::string(too_much(), 'x'); });
    auto nan = co_await run.try_step("nan", [&] { return std::numeric_limits<double>::quiet_NaN(); });
    co_return Receipt{huge.ok() ? "recorded" : huge.error(), {nan.ok() ? "recorded" : nan.error()}};
  });
  auto order = start();
  worker.run_until_idle();
  auto receipt = order.result(0s);
  ASSERT_TRUE(receipt);
  EXPECT_TRUE(receipt->text.starts_with("its value cannot be recorded: ")) << receipt->text;
  EXPECT_EQ(receipt->lines.at(0), "its value cannot be recorded: NaN and infinity have no JSON form");
}

TEST_F(GuardTest, AResultThatTheStoreDoesNotTakeFailsTheWorkflow) {
  handle([&](stile::Run&, Order) -> Task<Receipt> { co_return Receipt{std::string(too_much(), 'x'), {}}; });
  auto order = start();
  worker.run_until_idle();
  EXPECT_THROW(order.result(0s), stile::WorkflowFailed);
  EXPECT_EQ(state(), stile::State::finished);
}

TEST_F(GuardTest, APassWithoutAWorkerSaysWhatItCameTo) {
  auto function = [](stile::Run& run, Order) -> Task<Receipt> {
    co_await run.sleep("a while", 1h);
    co_await run.step("flaky", {.retry = {.first = 1min, .most = 1min}}, [&](stile::Attempt& attempt) {
      if (attempt.number() == 1) throw std::runtime_error("not yet");
    });
    auto who = co_await run.wait(approved_by);
    co_return Receipt{who, {}};
  };
  auto pass = [&] { return stile::run_pass(store, fulfil, function, "order-7"); };
  EXPECT_EQ(pass().outcome, PassOutcome::waiting) << "not started";
  auto order = start();
  auto now = store.info().store_time;
  auto sleeping = pass();
  EXPECT_EQ(sleeping.outcome, PassOutcome::sleeping);
  EXPECT_EQ(sleeping.due, now + 1h);
  stile::testing::advance(store, 1h);
  auto retrying = pass();
  EXPECT_EQ(retrying.outcome, PassOutcome::retrying);
  EXPECT_EQ(retrying.text, "step \"flaky#1\", attempt 1: not yet");
  stile::testing::advance(store, 1min);
  EXPECT_EQ(pass().outcome, PassOutcome::waiting);
  auto lease = store.call(stile::Acquire{.workflow = "order-7", .ttl = 1min, .budget = 1min});
  EXPECT_EQ(pass().outcome, PassOutcome::held);
  store.call(stile::Release{.workflow = "order-7", .fence = lease.fence});
  order.signal(approved_by, "anna");
  EXPECT_EQ(pass().outcome, PassOutcome::completed);
  EXPECT_EQ(pass().outcome, PassOutcome::completed) << "again is harmless";
  EXPECT_EQ(order.result(0s)->text, "anna");
  handle(function);
  worker.run_until_idle();
  EXPECT_EQ(state(), stile::State::finished) << "a worker that comes later ends it";
}

TEST_F(GuardTest, ASupersededPassWritesNothingAndAnswersNothing) {
  handle([&](stile::Run& run, Order) -> Task<Receipt> {
    co_await run.step("stolen", [&] {
      store.call(stile::Acquire{.workflow = "order-7", .ttl = 1min, .budget = 1min, .force = true});
      return 1;
    });
    co_return Receipt{};
  });
  start();
  worker.run_until_idle();
  EXPECT_EQ(worker.counts().lost, 1u);
  EXPECT_EQ(keys(), std::vector<std::string>{"!start"});
}

TEST_F(GuardTest, AWorkflowThatKillsEveryPassIsPutAside) {
  stile::Worker worker_of_two(store, {.lease = 1s, .deliveries = 2});
  worker_of_two.handle(fulfil, [](stile::Run&, Order) -> Task<Receipt> { co_return Receipt{}; });
  start();
  for (int i = 0; i < 2; ++i) {
    auto got = store.call(stile::Receive{.queues = {"fulfil"}, .lease = 1s});
    ASSERT_EQ(got.deliveries.size(), 1u);
    stile::testing::advance(store, 1s);
  }
  worker_of_two.run_until_idle();
  EXPECT_EQ(worker_of_two.counts().rejected, 1u);
  EXPECT_EQ(state(), stile::State::dead);
  EXPECT_EQ(last_error(), "handed out 3 times without an answer");
}

TEST_F(GuardTest, NamesThatCannotBeUsedAreRefusedWhereTheyAreSaid) {
  auto refused = [&](auto&& f) {
    try {
      f();
    } catch (const stile::Error& e) {
      return e.status() == stile::Status::invalid;
    }
    return false;
  };
  auto order = stile::find(store, fulfil, "order-7");
  EXPECT_TRUE(refused([&] { stile::start(store, stile::Workflow<int()>{"a kind"}, "x"); }));
  EXPECT_TRUE(refused([&] { stile::start(store, stile::Workflow<int()>{""}, "x"); }));
  EXPECT_TRUE(refused([&] { stile::start(store, fulfil, "", {"tea", 1, {}}); }));
  EXPECT_TRUE(refused([&] { order.signal(stile::Signal<int>{"!start"}, 1); }));
  EXPECT_TRUE(refused([&] { order.send(stile::Inbox<int>{"two words"}, 1); }));
  EXPECT_TRUE(refused([&] { stile::Worker(store).run_until_idle(); })) << "a worker without a function";
  EXPECT_TRUE(refused([&] { stile::Worker(store, {.lease = 1us}); }));
  handle([](stile::Run&, Order) -> Task<Receipt> { co_return Receipt{}; });
  EXPECT_TRUE(refused([&] { handle([](stile::Run&, Order) -> Task<Receipt> { co_return Receipt{}; }); }));
  EXPECT_EQ(store.stats().workflows, 0u) << "nothing was written";
}

}  // namespace

// Calls through the store handle over links that fail on demand: sending again, statuses, waiting calls, closing.
//
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <thread>

#include "scripted.hpp"
#include "stile/store.hpp"

namespace stile::store {
namespace {

using namespace std::chrono_literals;

class Handle : public testing::Test {
 protected:
  Store open(OpenOptions options = {}) { return Store(backend, options); }

  struct Send {
    std::uint32_t kind, must;
    Id op_id;
    std::int64_t wait;
  };
  /// Answers the n-th send of every operation with the n-th of these, then ok; keeps what was sent.
  void answer_with(std::vector<Status> statuses, Fate fate = Fate::keep) {
    backend->script([this, statuses, fate](const stile_call&, auto ops) {
      std::lock_guard lock(mutex);
      bool failed = false;
      for (stile_op* op : ops) {
        std::size_t n = round < statuses.size() ? round : statuses.size();
        op->status = n < statuses.size() ? static_cast<std::int32_t>(statuses[n]) : STILE_OK;
        failed |= op->status != STILE_OK;
        std::int64_t wait = 0;
        if (op->kind == STILE_OP_RECEIVE) wait = static_cast<const stile_receive_request*>(op->request)->wait;
        sends.push_back({op->kind, op->must, id_of(op->op_id), wait});
      }
      ++round;
      return failed ? fate : Fate::keep;
    });
  }

  std::shared_ptr<ScriptedBackend> backend = std::make_shared<ScriptedBackend>();
  std::mutex mutex;
  std::vector<Send> sends;
  std::size_t round = 0;
};

TEST_F(Handle, AWriteIsSentAgainUnderItsOpId) {
  Store store = open();
  answer_with({Status::unknown, Status::unavailable});
  EXPECT_TRUE(store.try_call(Put{.key = "k", .value = "v"}).ok());
  ASSERT_EQ(sends.size(), 3u);
  EXPECT_FALSE(sends[0].op_id.empty());
  EXPECT_EQ(sends[0].op_id, sends[1].op_id);
  EXPECT_EQ(sends[0].op_id, sends[2].op_id);
}

TEST_F(Handle, EveryCallHasAnOpIdOfItsOwnUnlessGiven) {
  Store store = open();
  answer_with({});
  Id mine = Id::random();
  store.call(Enqueue{.workflow = "w"});
  store.call(Enqueue{.workflow = "w"});
  store.call(Enqueue{.workflow = "w", .op_id = mine});
  EXPECT_NE(sends[0].op_id, sends[1].op_id);
  EXPECT_EQ(sends[2].op_id, mine);
  store.call(Renew{.workflow = "w", .fence = {}, .ttl = 1s});
  EXPECT_TRUE(sends[3].op_id.empty()) << "renew takes none";
}

TEST_F(Handle, DroppedSessionsAreReplacedUnderway) {
  Store store = open();
  answer_with({Status::unknown, Status::unknown}, Fate::drop);
  EXPECT_TRUE(store.try_call(Put{.key = "k", .value = "v"}).ok());
  EXPECT_EQ(backend->connects, 3);
}

TEST_F(Handle, BothFormsOfError) {
  Store store = open();
  answer_with({Status::fenced, Status::fenced});
  auto result = store.try_call(Record{.workflow = "w", .fence = {}, .key = "k", .value = "v"});
  EXPECT_EQ(result.status(), Status::fenced);
  EXPECT_FALSE(result.failure().text.empty());
  try {
    store.call(Record{.workflow = "w", .fence = {}, .key = "k", .value = "v"});
    FAIL() << "must throw";
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), Status::fenced);
  }
}

TEST_F(Handle, UnknownWhenTheDeadlineComesAfterASend) {
  Store store = open();
  answer_with(std::vector<Status>(1000, Status::unknown));
  auto start = std::chrono::steady_clock::now();
  auto result = store.try_call(Put{.key = "k", .value = "v"}, {.timeout = 60ms});
  EXPECT_EQ(result.status(), Status::unknown);
  EXPECT_GT(sends.size(), 1u);
  EXPECT_LT(std::chrono::steady_clock::now() - start, 5s);
}

TEST_F(Handle, ALaterDefiniteFailureDoesNotHideALostSend) {
  Store store = open();
  std::vector<Status> statuses(1000, Status::unavailable);
  statuses[0] = Status::unknown;
  answer_with(statuses);
  EXPECT_EQ(store.try_call(Put{.key = "k", .value = "v"}, {.timeout = 60ms}).status(), Status::unknown);
}

TEST_F(Handle, UnavailableStaysUnavailableWhenNothingWasLost) {
  Store store = open();
  answer_with(std::vector<Status>(1000, Status::unavailable));
  EXPECT_EQ(store.try_call(Put{.key = "k", .value = "v"}, {.timeout = 60ms}).status(), Status::unavailable);
}

TEST_F(Handle, ARefusalAfterALostSendSaysThatItIsInDoubt) {
  Store store = open();
  answer_with({Status::unknown, Status::conflict});
  auto result = store.try_call(Put{.key = "k", .value = "v", .condition = If::absent()});
  EXPECT_EQ(result.status(), Status::conflict);
  EXPECT_TRUE(result.failure().in_doubt);
  EXPECT_FALSE(result.failure().current);
}

TEST_F(Handle, ADeadlineInThePastSendsNothing) {
  Store store = open();
  answer_with({});
  auto result = store.try_call(Get{"k"}, {.deadline = std::chrono::steady_clock::now() - 1s});
  EXPECT_EQ(result.status(), Status::timed_out);
  EXPECT_TRUE(sends.empty());
}

TEST_F(Handle, ForceIsNeverSentAgain) {
  Store store = open();
  answer_with({Status::unknown});
  auto result = store.try_call(Acquire{.workflow = "w", .ttl = 1s, .budget = 1s, .force = true});
  EXPECT_EQ(result.status(), Status::unknown);
  EXPECT_EQ(sends.size(), 1u);
}

TEST_F(Handle, NothingIsSentAgainWhereTheCallerSaysSo) {
  Store store = open();
  answer_with({Status::unknown});
  EXPECT_EQ(store.try_call(Get{"k"}, {.resend = false}).status(), Status::unknown);
  EXPECT_EQ(sends.size(), 1u);
}

TEST_F(Handle, AReceiveIsAskedAgainForWhatTheLostOneHandedOut) {
  Store store = open();
  answer_with({Status::unknown});
  store.call(Receive{.lease = 1s});
  ASSERT_EQ(sends.size(), 2u);
  EXPECT_EQ(sends[0].must & STILE_MUST_AGAIN, 0u);
  EXPECT_EQ(sends[1].must & STILE_MUST_AGAIN, STILE_MUST_AGAIN);
  EXPECT_EQ(sends[0].op_id, sends[1].op_id);
}

TEST_F(Handle, AWaitingReceiveAsksAgainAtOnceAndThenWaitsOn) {
  Store store = open();
  answer_with({Status::unknown});
  store.call(Receive{.lease = 1s, .wait = 20s});
  ASSERT_EQ(sends.size(), 3u);
  EXPECT_EQ(sends[0].wait, 20'000'000);
  EXPECT_EQ(sends[1].must & STILE_MUST_AGAIN, STILE_MUST_AGAIN);
  EXPECT_EQ(sends[1].wait, 0);
  EXPECT_EQ(sends[2].must & STILE_MUST_AGAIN, 0u);
  EXPECT_GT(sends[2].wait, 1'000'000);
  EXPECT_LE(sends[2].wait, 20'000'000);
}

TEST_F(Handle, AChainGoesAgainFromWhereItWasLost) {
  Store store = open();
  std::vector<std::vector<std::uint32_t>> musts;
  backend->script([&](const stile_call&, auto ops) {
    auto& batch = musts.emplace_back();
    for (stile_op* op : ops) {
      batch.push_back(op->must);
      op->status = STILE_OK;
    }
    if (musts.size() == 1) {
      ops[1]->status = STILE_UNKNOWN;
      ops[2]->status = STILE_SKIPPED;
    }
    return Fate::keep;
  });
  auto [a, b, c] =
      store.chain(Put{.key = "1", .value = ""}, Put{.key = "2", .value = ""}, Put{.key = "3", .value = ""});
  EXPECT_TRUE(a.ok() && b.ok() && c.ok());
  ASSERT_EQ(musts.size(), 2u);
  EXPECT_EQ(musts[0], (std::vector<std::uint32_t>{0, STILE_MUST_AFTER_OK, STILE_MUST_AFTER_OK}));
  EXPECT_EQ(musts[1], (std::vector<std::uint32_t>{0, STILE_MUST_AFTER_OK}));
}

TEST_F(Handle, WhatIsRefusedHereIsNotSent) {
  Store store = open();
  answer_with({});
  auto both = store.try_call(Enqueue{.workflow = "w", .delay = 1s, .at = StoreTime(5s)});
  EXPECT_EQ(both.status(), Status::invalid);
  EXPECT_EQ(store.try_call(Snooze{.receipt = "r"}).status(), Status::invalid);
  EXPECT_EQ(store.try_call(Receive{.lease = 1s, .again = true}).status(), Status::invalid);
  auto [alone, other] = store.batch(Receive{.lease = 1s, .wait = 1s}, Get{"k"});
  EXPECT_EQ(alone.status(), Status::invalid);
  EXPECT_TRUE(other.ok());
  auto [bad, after] = store.chain(Snooze{.receipt = "r"}, Get{"k"});
  EXPECT_EQ(bad.status(), Status::invalid);
  EXPECT_EQ(after.status(), Status::skipped);
  EXPECT_EQ(sends.size(), 1u);
}

TEST_F(Handle, ABatchLargerThanTheStoresIsSentInPieces) {
  backend->limits.batch = 10;
  Store store = open();
  answer_with({});
  std::vector<Enqueue> many(35, Enqueue{.workflow = "w"});
  auto answers = store.batch(many);
  EXPECT_EQ(answers.size(), 35u);
  for (auto& answer : answers) EXPECT_TRUE(answer.ok());
  for (auto& batch : backend->batches()) EXPECT_LE(batch.size(), 10u);
  EXPECT_TRUE(store.batch(std::vector<Enqueue>{}).empty());
}

TEST_F(Handle, AnUnpreparedStoreOpensAndIsAskedAgain) {
  backend->unprepared = true;
  Store store = open();
  EXPECT_TRUE(store.opened_as().capabilities.empty());
  store.call(Get{"k"});
  EXPECT_EQ(store.opened_as().limits.batch, 0u);
  backend->unprepared = false;
  store.call(Get{"k"});
  EXPECT_EQ(store.opened_as().limits.batch, 64u);
}

TEST_F(Handle, OpeningSaysWhyItCannot) {
  backend->refusals = 1;
  try {
    open();
    FAIL() << "must throw";
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), Status::unavailable);
    EXPECT_STREQ(error.what(), "nobody listens");
  }
}

TEST_F(Handle, StopInterruptsAWaitingCall) {
  Store store = open();
  backend->script([this](const stile_call& call, auto ops) {
    std::unique_lock lock(backend->mutex);
    backend->changed.wait_for(
        lock, 10s, [&] { return !backend->interrupts.empty() && backend->interrupts.back() == call.serial; });
    ScriptedBackend::answer(ops, Status::interrupted);
    return Fate::keep;
  });
  std::stop_source stop;
  std::thread waiter([&] {
    EXPECT_EQ(store.try_call(Receive{.lease = 1s, .wait = 1h}, {.stop = stop.get_token()}).status(),
              Status::interrupted);
  });
  ASSERT_TRUE(backend->wait_for_batches(1));
  store.info();  // an ordinary call does not stand behind it
  stop.request_stop();
  waiter.join();
  EXPECT_EQ(store.try_call(Get{"k"}, {.stop = stop.get_token()}).status(), Status::interrupted);
}

TEST_F(Handle, CloseInterruptsWaitingCallsAndRefusesNewOnes) {
  Store store = open({.waiting = 1});
  backend->script([this](const stile_call& call, auto ops) {
    std::unique_lock lock(backend->mutex);
    backend->changed.wait_for(
        lock, 10s, [&] { return !backend->interrupts.empty() && backend->interrupts.back() == call.serial; });
    ScriptedBackend::answer(ops, Status::interrupted);
    return Fate::keep;
  });
  std::vector<std::thread> waiters;
  std::atomic<int> interrupted{0};
  for (int i = 0; i < 3; ++i)  // one executes, two wait for its session
    waiters.emplace_back(
        [&] { interrupted += store.try_call(Receive{.lease = 1s, .wait = 1h}).status() == Status::interrupted; });
  ASSERT_TRUE(backend->wait_for_batches(1));
  store.close();
  for (auto& waiter : waiters) waiter.join();
  EXPECT_EQ(interrupted, 3);
  EXPECT_EQ(store.try_call(Get{"k"}).status(), Status::interrupted);
  EXPECT_EQ(store.try_call(Receive{.lease = 1s, .wait = 1s}).status(), Status::interrupted);
}

TEST_F(Handle, APauseBeforeTheNextSendEndsAtAStop) {
  Store store = open();
  backend->script([](const stile_call&, auto ops) {
    ScriptedBackend::answer(ops, Status::unavailable);
    for (stile_op* op : ops) op->retry_after = 1'000'000;
    return Fate::keep;
  });
  std::stop_source stop;
  auto start = std::chrono::steady_clock::now();
  std::thread caller(
      [&] { EXPECT_EQ(store.try_call(Get{"k"}, {.stop = stop.get_token()}).status(), Status::unavailable); });
  ASSERT_TRUE(backend->wait_for_batches(3));
  stop.request_stop();
  caller.join();
  EXPECT_LT(std::chrono::steady_clock::now() - start, 10s);
}

TEST_F(Handle, WritersDecideHowManyLanesThereAre) {
  backend->limits.writers = 0;
  Store store = open({.lanes = 3});
  Gate gate;
  backend->script([&](const stile_call&, auto ops) {
    EXPECT_TRUE(gate.wait());
    ScriptedBackend::answer(ops);
    return Fate::keep;
  });
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) threads.emplace_back([&] { EXPECT_TRUE(store.try_call(Get{"k"}).ok()); });
  EXPECT_TRUE(backend->wait_for_batches(3)) << "three calls are under way at once";
  gate.open();
  for (auto& thread : threads) thread.join();
}

}  // namespace
}  // namespace stile::store

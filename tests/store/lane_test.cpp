// Lanes: who executes what, batching, leaving early, handing over, replacing sessions.
//
// SPDX-License-Identifier: Apache-2.0
#include "store/lane.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "scripted.hpp"
#include "stile/store.hpp"

namespace stile::store {
namespace {

using namespace std::chrono_literals;

class Laned : public testing::Test, public Source {
 protected:
  std::unique_ptr<Link> connect(Deadline deadline) override { return backend.connect(deadline); }
  std::optional<std::size_t> batch_limit() const override { return limit; }
  void learn(Link&, std::uint64_t, Deadline) override {}

  static Deadline in(std::chrono::milliseconds span) { return std::chrono::steady_clock::now() + span; }

  /// Runs ops as one caller of the lane.
  void run(std::span<detail::Slot> slots, Deadline deadline, std::stop_token stop = {}) {
    std::vector<Operation*> ops;
    for (auto& slot : slots) ops.push_back(slot.get());
    lane.run(ops, deadline, stop);
  }

  struct Caller {
    explicit Caller(std::size_t n = 1, bool chained = false) : slots(n) {
      for (std::size_t i = 0; i < n; ++i) {
        detail::put_request(*slots[i].get(), Get{"key"});
        slots[i].get()->chain(chained && i > 0);
      }
    }
    std::vector<detail::Slot> slots;
    Status status(std::size_t i = 0) const { return slots[i].get()->status(); }
  };

  ScriptedBackend backend;
  std::size_t limit = 64;
  Lane lane{*this};
};

TEST_F(Laned, AnIdleCallGoesAtOnceOnItsOwnThread) {
  std::thread::id where;
  backend.script([&](const stile_call&, auto ops) {
    where = std::this_thread::get_id();
    ScriptedBackend::answer(ops);
    return Fate::keep;
  });
  Caller caller;
  run(caller.slots, in(10s));
  EXPECT_EQ(caller.status(), Status::ok);
  EXPECT_EQ(where, std::this_thread::get_id());
  EXPECT_EQ(backend.connects, 1);
}

TEST_F(Laned, CallsThatArriveDuringARoundTripLeaveTogether) {
  Gate gate;
  backend.script([&](const stile_call& call, auto ops) {
    EXPECT_TRUE(call.serial != 1 || gate.wait());
    ScriptedBackend::answer(ops);
    return Fate::keep;
  });
  std::vector<std::thread> threads;
  std::vector<Caller> callers(10);
  threads.emplace_back([&] { run(callers[0].slots, in(20s)); });
  ASSERT_TRUE(backend.wait_for_batches(1));
  for (std::size_t i = 1; i < callers.size(); ++i) threads.emplace_back([&, i] { run(callers[i].slots, in(20s)); });
  ASSERT_TRUE(eventually([&] { return lane.waiting() == 9; }));
  gate.open();
  for (auto& thread : threads) thread.join();
  for (auto& caller : callers) EXPECT_EQ(caller.status(), Status::ok);
  auto batches = backend.batches();
  ASSERT_EQ(batches.size(), 2u);
  EXPECT_EQ(batches[1].size(), 9u);
}

TEST_F(Laned, TheBatchLimitIsKeptAndChainsStayWhole) {
  limit = 4;
  std::vector<std::vector<bool>> chained;
  Gate gate;
  backend.script([&](const stile_call& call, auto ops) {
    EXPECT_TRUE(call.serial != 1 || gate.wait());
    auto& batch = chained.emplace_back();
    for (const stile_op* op : ops) batch.push_back((op->must & STILE_MUST_AFTER_OK) != 0);
    ScriptedBackend::answer(ops);
    return Fate::keep;
  });
  std::vector<std::thread> threads;
  std::vector<Caller> callers;
  callers.emplace_back(1);
  callers.emplace_back(3, true);
  callers.emplace_back(3, true);
  callers.emplace_back(1);
  for (std::size_t i = 0; i < callers.size(); ++i) {
    threads.emplace_back([&, i] { run(callers[i].slots, in(20s)); });
    ASSERT_TRUE(i != 0 || backend.wait_for_batches(1));
    ASSERT_TRUE(eventually([&] { return lane.waiting() == i; }));
  }
  gate.open();
  for (auto& thread : threads) thread.join();
  ASSERT_EQ(chained.size(), 3u);
  EXPECT_EQ(chained[1], (std::vector<bool>{false, true, true})) << "the second chain did not fit whole";
  EXPECT_EQ(chained[2], (std::vector<bool>{false, true, true, false}));
}

TEST_F(Laned, ALongChainIsCutAndStopsWhereItFails) {
  limit = 2;
  backend.script([&](const stile_call& call, auto ops) {
    EXPECT_EQ(ops[0]->must & STILE_MUST_AFTER_OK, 0u) << "what it is chained to is not in this batch";
    ScriptedBackend::answer(ops);
    if (call.serial == 2) ops[1]->status = STILE_FENCED;
    return Fate::keep;
  });
  Caller caller(7, true);
  run(caller.slots, in(10s));
  EXPECT_EQ(caller.status(2), Status::ok);
  EXPECT_EQ(caller.status(3), Status::fenced);
  for (std::size_t i = 4; i < 7; ++i) EXPECT_EQ(caller.status(i), Status::skipped) << i;
  EXPECT_EQ(backend.batches().size(), 2u);
}

TEST_F(Laned, ACallerWhoseDeadlinePassesIsAnsweredBeforeItsBatch) {
  Gate gate;
  backend.script([&](const stile_call&, auto ops) {
    EXPECT_TRUE(gate.wait());
    ScriptedBackend::answer(ops);
    return Fate::keep;
  });
  Caller first, hasty;
  std::thread patient([&] { run(first.slots, in(20s)); });
  ASSERT_TRUE(backend.wait_for_batches(1));
  run(hasty.slots, in(30ms));  // never sent
  EXPECT_EQ(hasty.status(), Status::timed_out);
  Caller sent, second;
  std::thread rider;
  {
    // The second batch carries a caller that leaves while it is under way: the patient one leads it.
    rider = std::thread([&] { run(second.slots, in(20s)); });
    ASSERT_TRUE(eventually([&] { return lane.waiting() == 1; }));
  }
  gate.open();
  patient.join();
  rider.join();
  EXPECT_EQ(first.status(), Status::ok);
  EXPECT_EQ(second.status(), Status::ok);
}

TEST_F(Laned, ARiderLeavesWithUnknownAndItsMemoryStays) {
  Gate first_gate, second_gate;
  std::atomic<int> round{0};
  backend.script([&](const stile_call&, auto ops) {
    EXPECT_TRUE((++round == 1 ? first_gate : second_gate).wait());
    for (stile_op* op : ops) EXPECT_NE(op->arena->alloc(op->arena->ctx, 100'000), nullptr);
    ScriptedBackend::answer(ops);
    return Fate::keep;
  });
  Caller opening, leader;
  std::thread opener([&] { run(opening.slots, in(20s)); });
  ASSERT_TRUE(backend.wait_for_batches(1));
  std::thread patient([&] { run(leader.slots, in(20s)); });
  ASSERT_TRUE(eventually([&] { return lane.waiting() == 1; }));
  Status answered = Status::ok;
  std::thread hasty([&] {
    Caller rider;
    run(rider.slots, in(400ms));
    answered = rider.status();
  });
  ASSERT_TRUE(eventually([&] { return lane.waiting() == 2; }));
  first_gate.open();
  hasty.join();  // while its batch is still held up
  EXPECT_EQ(answered, Status::unknown);
  second_gate.open();
  opener.join();
  patient.join();
  EXPECT_EQ(leader.status(), Status::ok);
  EXPECT_EQ(backend.batches()[1].size(), 2u);
}

TEST_F(Laned, TheCallHasTheDeadlineOfThePatientOne) {
  Gate gate;
  std::vector<std::int64_t> deadlines;
  backend.script([&](const stile_call& call, auto ops) {
    EXPECT_TRUE(call.serial != 1 || gate.wait());
    deadlines.push_back(call.deadline);
    ScriptedBackend::answer(ops);
    return Fate::keep;
  });
  Caller a, b, c;
  Deadline soon = in(15s), late = in(25s);
  std::thread one([&] { run(a.slots, in(20s)); });
  ASSERT_TRUE(backend.wait_for_batches(1));
  std::thread two([&] { run(b.slots, soon); });
  ASSERT_TRUE(eventually([&] { return lane.waiting() == 1; }));
  std::thread three([&] { run(c.slots, late); });
  ASSERT_TRUE(eventually([&] { return lane.waiting() == 2; }));
  gate.open();
  one.join(), two.join(), three.join();
  ASSERT_EQ(deadlines.size(), 2u);
  EXPECT_EQ(deadlines[1], abi_of(late));
}

TEST_F(Laned, StopEndsAWaitingCallerAndInterruptsOneUnderWay) {
  backend.script([&](const stile_call& call, auto ops) {
    std::unique_lock lock(backend.mutex);
    EXPECT_TRUE(backend.changed.wait_for(
        lock, 10s, [&] { return !backend.interrupts.empty() && backend.interrupts.back() == call.serial; }));
    ScriptedBackend::answer(ops, Status::unknown);
    return Fate::keep;
  });
  std::stop_source stop_leader, stop_waiter;
  Caller leading, waiting;
  std::thread leader([&] { run(leading.slots, in(20s), stop_leader.get_token()); });
  ASSERT_TRUE(backend.wait_for_batches(1));
  std::thread waiter([&] { run(waiting.slots, in(20s), stop_waiter.get_token()); });
  ASSERT_TRUE(eventually([&] { return lane.waiting() == 1; }));
  stop_waiter.request_stop();
  waiter.join();
  EXPECT_EQ(waiting.status(), Status::interrupted);
  stop_leader.request_stop();
  leader.join();
  EXPECT_EQ(leading.status(), Status::unknown);
}

TEST_F(Laned, ADroppedSessionIsReplacedAtOnceAndThenRarely) {
  backend.script([&](const stile_call&, auto ops) {
    ScriptedBackend::answer(ops, Status::unknown);
    return Fate::drop;
  });
  Caller a, b, c;
  run(a.slots, in(10s));
  run(b.slots, in(10s));
  EXPECT_EQ(backend.connects, 2);
  EXPECT_EQ(b.status(), Status::unknown);
  run(c.slots, in(10s));
  EXPECT_EQ(c.status(), Status::unavailable) << "nothing was sent";
  EXPECT_GT(c.slots[0].get()->op().retry_after, 0);
  EXPECT_EQ(backend.connects, 2);
}

TEST_F(Laned, EverybodyWhoWaitsForASessionHearsThatThereIsNone) {
  backend.refusals = 1;
  Caller caller(3, true);
  run(caller.slots, in(10s));
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(caller.status(i), Status::unavailable);
  EXPECT_EQ(view(caller.slots[0].get()->op().error), "nobody listens");
}

TEST_F(Laned, ManyCallersLoseNothing) {
  std::atomic<std::uint64_t> done{0}, last{0};
  backend.script([&](const stile_call& call, auto ops) {
    EXPECT_GT(call.serial, last.exchange(call.serial)) << "serials rise";
    EXPECT_LE(ops.size(), 64u);
    done += ops.size();
    ScriptedBackend::answer(ops);
    return Fate::keep;
  });
  constexpr int threads = 16, calls = 500;
  std::atomic<int> ok{0};
  std::vector<std::thread> all;
  for (int t = 0; t < threads; ++t)
    all.emplace_back([&] {
      for (int i = 0; i < calls; ++i) {
        Caller caller(1 + i % 3, i % 2 == 0);
        run(caller.slots, in(30s));
        bool good = true;
        for (std::size_t k = 0; k < caller.slots.size(); ++k) good &= caller.status(k) == Status::ok;
        ok += good;
      }
    });
  for (auto& thread : all) thread.join();
  EXPECT_EQ(ok, threads * calls);
  EXPECT_EQ(lane.waiting(), 0u);
}

TEST_F(Laned, HastyCallersAmongPatientOnesAreAllAnswered) {
  backend.script([&](const stile_call&, auto ops) {
    const auto busy_until = std::chrono::steady_clock::now() + 50us;  // yields would take for ever on a busy machine
    while (std::chrono::steady_clock::now() < busy_until) continue;
    ScriptedBackend::answer(ops);
    return Fate::keep;
  });
  std::atomic<int> answered{0};
  std::vector<std::thread> all;
  for (int t = 0; t < 8; ++t)
    all.emplace_back([&, t] {
      for (int i = 0; i < 100; ++i) {
        Caller caller;
        run(caller.slots, t % 2 ? in(30s) : std::chrono::steady_clock::now() + std::chrono::microseconds(100 * i));
        Status status = caller.status();
        answered += status == Status::ok || status == Status::timed_out || status == Status::unknown;
        EXPECT_TRUE(t % 2 == 0 || status == Status::ok);
      }
    });
  for (auto& thread : all) thread.join();
  EXPECT_EQ(answered, 800);
}

}  // namespace
}  // namespace stile::store

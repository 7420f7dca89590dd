// Sending again, pauses, reconnecting, cutting batches: the decisions alone.
//
// SPDX-License-Identifier: Apache-2.0
#include "store/retry.hpp"

#include <gtest/gtest.h>

#include <set>

#include "stile/abi.h"
#include "store/chaos.hpp"
#include "store/compose.hpp"
#include "store/lane.hpp"

namespace stile::store {
namespace {

Sent sent(Status status, bool after_ok = false) {
  return {status, after_ok, worth_sending_again(STILE_OP_RECORD, false, status)};
}

using Places = std::vector<std::size_t>;

TEST(PlanResend, IndependentOperationsGoAloneAndInOrder) {
  std::vector<Sent> all{sent(Status::unknown), sent(Status::ok), sent(Status::unavailable), sent(Status::fenced)};
  EXPECT_EQ(plan_resend(all), (Places{0, 2}));
}

TEST(PlanResend, AChainGoesAgainFromItsFirstLossOn) {
  std::vector<Sent> all{sent(Status::ok), sent(Status::unknown, true), sent(Status::skipped, true),
                        sent(Status::unknown, true)};
  EXPECT_EQ(plan_resend(all), (Places{1, 2, 3}));
}

TEST(PlanResend, ARefusedChainIsOver) {
  std::vector<Sent> all{sent(Status::fenced), sent(Status::skipped, true), sent(Status::skipped, true)};
  EXPECT_TRUE(plan_resend(all).empty());
}

TEST(PlanResend, WhatIsAnsweredBehindALossStays) {
  std::vector<Sent> all{sent(Status::unknown), sent(Status::ok, true), sent(Status::skipped, true)};
  EXPECT_EQ(plan_resend(all), (Places{0}));
  std::vector<Sent> judged{sent(Status::unknown), sent(Status::invalid, true), sent(Status::skipped, true)};
  EXPECT_EQ(plan_resend(judged), (Places{0}));
}

TEST(PlanResend, ChainsDoNotTouchEachOther) {
  std::vector<Sent> all{sent(Status::held), sent(Status::skipped, true), sent(Status::unknown),
                        sent(Status::skipped, true)};
  EXPECT_EQ(plan_resend(all), (Places{2, 3}));
}

TEST(WorthSendingAgain, FollowsTheTableOfStatuses) {
  std::set<Status> again{Status::unavailable, Status::unknown, Status::timed_out, Status::interrupted};
  for (int i = 0; i < STILE_STATUS_COUNT; ++i) {
    auto status = static_cast<Status>(i);
    EXPECT_EQ(worth_sending_again(STILE_OP_RECORD, false, status), again.count(status) == 1) << name_of(status);
    EXPECT_FALSE(worth_sending_again(STILE_OP_ACQUIRE, true, status)) << "force is never sent again (R1)";
  }
  EXPECT_FALSE(worth_sending_again(STILE_OP_ADVANCE, false, Status::unknown));
  EXPECT_TRUE(worth_sending_again(STILE_OP_ADVANCE, false, Status::unavailable));
}

TEST(Settle, ALostSendIsNotForgotten) {
  EXPECT_EQ(settle(Status::unavailable, true), Status::unknown);
  EXPECT_EQ(settle(Status::timed_out, true), Status::unknown);
  EXPECT_EQ(settle(Status::skipped, true), Status::unknown);
  EXPECT_EQ(settle(Status::timed_out, false), Status::timed_out);
  EXPECT_EQ(settle(Status::ok, true), Status::ok);
  EXPECT_EQ(settle(Status::fenced, true), Status::fenced);
}

TEST(Backoff, DoublesUpToItsMostAndIsSpread) {
  Backoff backoff{Duration{1000}, Duration{8000}};
  EXPECT_EQ(backoff.pause(1, 0.0), Duration{500});
  EXPECT_EQ(backoff.pause(2, 0.0), Duration{1000});
  EXPECT_EQ(backoff.pause(50, 0.0), Duration{4000});
  EXPECT_LT(backoff.pause(50, 0.999), Duration{8000});
  EXPECT_EQ(backoff.pause(1, 0.5, Duration{6000}), Duration{6000}) << "the store's hint counts";
  EXPECT_EQ(backoff.pause(1, 0.5, Duration{60'000'000}), Duration{8000}) << "up to the most";
}

TEST(Chance, StaysInItsRange) {
  double lowest = 1, highest = 0;
  for (int i = 0; i < 10'000; ++i) {
    double drawn = chance();
    lowest = std::min(lowest, drawn);
    highest = std::max(highest, drawn);
  }
  EXPECT_GE(lowest, 0.0);
  EXPECT_LT(lowest, 0.1);
  EXPECT_LT(highest, 1.0);
  EXPECT_GT(highest, 0.9);
}

TEST(Reconnect, ReplacesOnceAtOnceThenEverMoreRarely) {
  Reconnect reconnect({Duration{1000}, Duration{4000}});
  Deadline now{std::chrono::seconds(100)};
  EXPECT_FALSE(reconnect.closed_for(now));
  reconnect.dropped(now, 0.0);
  EXPECT_FALSE(reconnect.closed_for(now)) << "the first dropped session is replaced at once (R5)";
  reconnect.connect_failed(now, 0.0);
  EXPECT_EQ(reconnect.closed_for(now), Duration{1000});
  EXPECT_FALSE(reconnect.closed_for(now + Duration{1000}));
  reconnect.connect_failed(now, 0.0);
  reconnect.connect_failed(now, 0.0);
  EXPECT_EQ(reconnect.closed_for(now), Duration{2000});
  reconnect.worked();
  reconnect.dropped(now + Duration{5000}, 0.0);
  EXPECT_FALSE(reconnect.closed_for(now + Duration{5000}));
}

class Pieces : public testing::Test {
 protected:
  ~Pieces() override {
    for (Operation* o : all_) o->release();
  }
  std::span<Operation* const> operations(std::initializer_list<bool> chained) {
    for (bool chain : chained) {
      all_.push_back(Operation::make());
      all_.back()->chain(chain);
    }
    return all_;
  }

 private:
  std::vector<Operation*> all_;
};

TEST_F(Pieces, FillTheRoomWithoutCuttingAChain) {
  auto ops = operations({false, false, true, true, false});
  EXPECT_EQ(piece(ops, 9, true), 5u);
  EXPECT_EQ(piece(ops, 5, true), 5u);
  EXPECT_EQ(piece(ops, 4, false), 4u);
  EXPECT_EQ(piece(ops, 3, false), 1u) << "the chain of three waits for the next batch";
  EXPECT_EQ(piece(ops, 2, true), 1u);
  EXPECT_EQ(piece(ops, 0, false), 0u);
}

TEST_F(Pieces, CutAChainThatNoBatchHolds) {
  auto ops = operations({false, true, true, true});
  EXPECT_EQ(piece(ops, 2, false), 0u);
  EXPECT_EQ(piece(ops, 2, true), 2u);
}

TEST(StatusWithoutSession, NothingWasSent) {
  EXPECT_EQ(status_without_session(Status::unknown), Status::unavailable);
  EXPECT_EQ(status_without_session(Status::timed_out), Status::unavailable);
  EXPECT_EQ(status_without_session(Status::denied), Status::denied);
  EXPECT_EQ(status_without_session(Status::store_lost), Status::store_lost);
}

TEST(Compose, PartsOfAnOperationHaveIdsOfTheirOwn) {
  stile_id whole = abi_of(Id::random());
  EXPECT_EQ(id_of(part_id(whole, "cover")), id_of(part_id(whole, "cover"))) << "the same for every send";
  EXPECT_NE(id_of(part_id(whole, "cover")), id_of(part_id(whole, "enqueue")));
  EXPECT_NE(id_of(part_id(whole, "cover")), id_of(whole));
  EXPECT_TRUE(id_of(part_id(stile_id{}, "cover")).empty());
}

TEST(Compose, TheCoveringWakeupIsNeverEarlierThanAsked) {
  stile_enqueue now{}, late{}, at{};
  late.when = 60'000'000;
  at.is_instant = 1;
  at.when = 1'000;
  EXPECT_EQ(covering(now, 7).when, fallback_interval.count());
  EXPECT_EQ(covering(late, 7).when, 60'000'000);
  EXPECT_EQ(covering(at, 2'000'000).when, 2'000'000 + fallback_interval.count());
}

TEST(Compose, StatesAreThoseOfOneEnqueue) {
  EXPECT_EQ(state_of_both(STILE_STATE_DELAYED, STILE_STATE_COALESCED, false), STILE_STATE_READY);
  EXPECT_EQ(state_of_both(STILE_STATE_DELAYED, STILE_STATE_COALESCED, true), STILE_STATE_DELAYED);
  EXPECT_EQ(state_of_both(STILE_STATE_COALESCED, STILE_STATE_COALESCED, false), STILE_STATE_COALESCED);
  EXPECT_EQ(state_of_both(STILE_STATE_DEFERRED, STILE_STATE_DEFERRED, false), STILE_STATE_DEFERRED);
  EXPECT_EQ(state_of_both(STILE_STATE_DEAD, STILE_STATE_DEAD, false), STILE_STATE_DEAD);
}

TEST(Compose, AHeldDeliveryKeepsItsCount) {
  PutOff first = put_off(1, 100'000'000, 1'000'000), later = put_off(3, 100'000'000, 1'000'000);
  EXPECT_TRUE(first.snooze);
  EXPECT_EQ(first.until, 1'000'000 + fallback_interval.count());
  EXPECT_FALSE(later.snooze) << "a snooze would forget that it failed";
  EXPECT_EQ(later.until, 100'000'000);
}

TEST(Compose, WatchersLookEverMoreRarely) {
  Pace pace;
  Deadline now{std::chrono::seconds(1)};
  pace.start(now);
  EXPECT_EQ(pace.due(), now);
  pace.looked(now);
  EXPECT_EQ(pace.due() - now, std::chrono::milliseconds(5));
  for (int i = 0; i < 50; ++i) pace.looked(now);
  EXPECT_EQ(pace.due() - now, std::chrono::seconds(1));
}

class Chaos : public testing::Test {
 protected:
  std::vector<const stile_op*> batch(std::initializer_list<bool> chained) {
    for (bool chain : chained) {
      requests_.emplace_back().struct_size = sizeof(stile_ack_request);
      stile_op& op = ops_.emplace_back();
      op.kind = STILE_OP_ACK;
      op.request = &requests_.back();
      op.must = chain ? STILE_MUST_AFTER_OK : 0;
      op.op_id = abi_of(Id::random());
    }
    std::vector<const stile_op*> out;
    for (const stile_op& op : ops_) out.push_back(&op);
    return out;
  }

 private:
  std::deque<stile_ack_request> requests_;
  std::deque<stile_op> ops_;
};

TEST_F(Chaos, IsTheSameForASeed) {
  auto ops = batch({false, true, false, false, true});
  ChaosRates rates{0.3, 0.3, 0.3, 0.3, 0.2, 0, Duration{1000}};
  Dice one(7), two(7), other(8);
  bool differs = false;
  for (int i = 0; i < 200; ++i) {
    ChaosPlan a = plan_chaos(ops, rates, one), b = plan_chaos(ops, rates, two), c = plan_chaos(ops, rates, other);
    EXPECT_EQ(a.faults, b.faults);
    EXPECT_EQ(a.duplicates, b.duplicates);
    EXPECT_EQ(a.delay, b.delay);
    differs |= a.faults != c.faults;
  }
  EXPECT_TRUE(differs);
}

TEST_F(Chaos, AFaultTakesTheRestOfItsChain) {
  using Fault = ChaosPlan::Fault;
  auto ops = batch({false, true, true, false});
  ChaosRates rates;
  rates.lose_request = 0.5;
  Dice dice(3);
  int met = 0;
  for (int i = 0; i < 200; ++i) {
    auto faults = plan_chaos(ops, rates, dice).faults;
    for (std::size_t k = 1; k < 3; ++k)
      if (faults[k - 1] == Fault::lost_request) {
        EXPECT_EQ(faults[k], Fault::lost_request);
        ++met;
      }
  }
  EXPECT_GT(met, 20);
}

TEST_F(Chaos, NothingHappensAtRateZero) {
  auto ops = batch({false, false});
  Dice dice(1);
  for (int i = 0; i < 100; ++i) {
    ChaosPlan plan = plan_chaos(ops, ChaosRates{}, dice);
    EXPECT_FALSE(plan.cut);
    EXPECT_TRUE(plan.duplicates.empty());
    for (auto fault : plan.faults) EXPECT_EQ(fault, ChaosPlan::Fault::none);
  }
}

}  // namespace
}  // namespace stile::store

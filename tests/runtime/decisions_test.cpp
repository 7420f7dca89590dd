// Retries, dead letters, leases and clocks as plain values: no thread, no waiting.
//
// SPDX-License-Identifier: Apache-2.0
#include "runtime/decisions.hpp"

#include <gtest/gtest.h>

#include "runtime/life.hpp"

namespace {

using namespace std::chrono_literals;
using namespace stile::runtime;
using stile::Deadline;
using stile::Duration;
using stile::Retry;
using stile::StoreTime;

TEST(Decisions, PausesDoubleUpToTheMostAndAreJitteredDownByHalf) {
  Retry retry{.attempts = 20, .first = 1s, .most = 5min, .factor = 2};
  EXPECT_EQ(next_attempt(retry, 1, false, 1), 1s);
  EXPECT_EQ(next_attempt(retry, 2, false, 1), 2s);
  EXPECT_EQ(next_attempt(retry, 4, false, 1), 8s);
  EXPECT_EQ(next_attempt(retry, 19, false, 1), 5min);
  EXPECT_EQ(next_attempt(retry, 1, false, 0), 500ms);
  EXPECT_EQ(next_attempt(retry, 3, false, 0.5), 3s);
}

TEST(Decisions, TheLastAttemptAndAPermanentErrorGiveUp) {
  EXPECT_TRUE(next_attempt(Retry{}, 4, false, 1));
  EXPECT_FALSE(next_attempt(Retry{}, 5, false, 1));
  EXPECT_FALSE(next_attempt(Retry{}, 1, true, 1));
  EXPECT_FALSE(next_attempt(Retry{.attempts = 0}, 1, false, 1));
}

TEST(Decisions, SillyRetriesAreHarmless) {
  EXPECT_EQ(next_attempt(Retry{.first = -1s}, 1, false, 1), 0s);
  EXPECT_EQ(next_attempt(Retry{.attempts = 2'000'000, .factor = 1e300}, 1'000'000, false, 1), 5min);
  EXPECT_EQ(next_attempt(Retry{.factor = 0}, 3, false, 1), 1s) << "a factor below 1 does not shrink the pause";
  EXPECT_EQ(next_attempt(Retry{}, 1, false, 7), 1s);
}

TEST(Decisions, PoisonIsTooManyHandOutsThatNobodyAnswered) {
  EXPECT_FALSE(is_poison(20, 0, "", 20));
  EXPECT_TRUE(is_poison(21, 0, "", 20));
  EXPECT_FALSE(is_poison(21, 1, "step failed", 20)) << "a step's later attempt is an answer";
  EXPECT_TRUE(is_poison(22, 1, "step failed", 20));
  EXPECT_FALSE(is_poison(4'000'000'000u, 0, "stuck: x", 20)) << "being stuck spends no retries";
  EXPECT_FALSE(is_poison(1'000, 0, "", 0)) << "0 is never";
}

TEST(Decisions, TroubleAndBeingStuckPauseLongerAndLonger) {
  EXPECT_LT(pause_after_trouble(1, 1), pause_after_trouble(4, 1));
  EXPECT_EQ(pause_after_trouble(1'000, 1), 30s);
  EXPECT_EQ(pause_when_stuck(1, 1), 5s);
  EXPECT_EQ(pause_when_stuck(1'000, 1), 60s);
  EXPECT_GT(pause_after_trouble(0, 0), 0s);
}

TEST(Decisions, ALeaseIsLostWhenNoRenewalWasConfirmedCountedFromItsSending) {
  Deadline t0(1'000s);
  Liveness life(t0, 60s);
  EXPECT_FALSE(life.lost(t0 + 59s));
  EXPECT_TRUE(life.lost(t0 + 60s));
  EXPECT_EQ(life.next_beat(), t0 + 20s);
  life.unanswered(t0 + 25s);
  EXPECT_EQ(life.next_beat(), t0 + 30s);
  EXPECT_EQ(life.live_until(), t0 + 60s) << "an unanswered renewal renews nothing";
  life.confirmed(t0 + 30s);
  EXPECT_FALSE(life.lost(t0 + 89s));
  EXPECT_TRUE(life.lost(t0 + 90s));
  EXPECT_EQ(life.next_beat(), t0 + 50s);
  life.confirmed(t0 + 10s);
  EXPECT_EQ(life.live_until(), t0 + 90s) << "a late answer to an old renewal shortens nothing";
}

TEST(Decisions, TheStoresTimeIsNeverAheadOfWhatItSaid) {
  Deadline t0(1'000s);
  StoreTime said(Duration{5'000'000});
  StoreClock clock(false);
  clock.hear(said, t0);
  EXPECT_EQ(clock.now(t0), said);
  EXPECT_EQ(clock.now(t0 + 3s), said + 3s);
  EXPECT_EQ(clock.now(t0 - 1s), said);
  clock.hear(said + 1s, t0 + 3s);
  EXPECT_EQ(clock.now(t0 + 3s), said + 3s) << "an older time than is known teaches nothing";
  clock.hear(said + 10s, t0 + 4s);
  EXPECT_EQ(clock.now(t0 + 5s), said + 11s);
  StoreClock manual(true);
  manual.hear(said, t0);
  EXPECT_EQ(manual.now(t0 + 3h), said) << "a manual clock does not pass here";
}

TEST(Decisions, APassThatWentSilentIsToldToStopAndStaysLost) {
  Deadline t0(1'000s);
  Life life({"w", "r", {}}, Liveness(t0, 9s), false);
  auto chores = life.chores(t0 + 1s, 10min);
  EXPECT_FALSE(chores.beat);
  EXPECT_EQ(chores.next_look, t0 + 3s);
  EXPECT_TRUE(life.chores(t0 + 3s, 10min).beat);
  life.unanswered(t0 + 4s);
  EXPECT_FALSE(life.stop_token().stop_requested());
  EXPECT_FALSE(life.chores(t0 + 9s, 10min).beat);
  EXPECT_TRUE(life.stop_token().stop_requested());
  life.confirmed(t0 + 8s, false);
  EXPECT_TRUE(life.lost(t0 + 9s)) << "what came too late revives nothing";
}

TEST(Decisions, AnAttemptIsToldWhenItsTimeIsOverAndASlowStepIsNamedOnce) {
  Deadline t0(1'000s);
  Life life({"w", "r", {}}, Liveness(t0, 1h), false);
  std::stop_source stop;
  life.begin({.name = "charge#1", .stop = stop, .until = t0 + 5s, .began = t0});
  EXPECT_EQ(life.chores(t0 + 1s, 10s).next_look, t0 + 5s);
  EXPECT_FALSE(stop.stop_requested());
  life.chores(t0 + 5s, 10s);
  EXPECT_TRUE(stop.stop_requested());
  EXPECT_FALSE(life.stop_token().stop_requested()) << "the pass goes on";
  EXPECT_EQ(life.chores(t0 + 10s, 10s).slow, "charge#1");
  EXPECT_EQ(life.chores(t0 + 11s, 10s).slow, "");
  life.end();
  life.stop(false);
  std::stop_source late;
  life.begin({.name = "ship#1", .stop = late, .until = {}, .began = t0});
  EXPECT_TRUE(late.stop_requested()) << "an attempt of a pass that must stop hears it at once";
}

}  // namespace

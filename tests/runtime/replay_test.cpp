// The determinism guard: what is recorded is met in its order, or the code is another code.
//
// SPDX-License-Identifier: Apache-2.0
#include "runtime/replay.hpp"

#include <gtest/gtest.h>

namespace {

using namespace stile::runtime;
using stile::Duration;
using stile::StoredRecord;
using stile::StoreTime;
using Met = Replay::Met;

struct History {
  Replay replay;
  std::int64_t position = 0;

  History& operator()(std::string key, std::string value = "j=1") {
    ++position;
    replay.add(StoredRecord{std::move(key), std::move(value), position, StoreTime(Duration{position * 100})});
    return *this;
  }
};

TEST(Replay, StepsAreMetInTheirOrderThenEverythingIsFresh) {
  History h;
  h("!start", "j>k 1")("a#1", "j=10")("b#1", "j=20");
  const StoredRecord* record = nullptr;
  EXPECT_EQ(h.replay.meet(h.replay.use("a"), record), Met::recorded);
  EXPECT_EQ(record->value, "j=10");
  EXPECT_EQ(h.replay.meet(h.replay.use("b"), record), Met::recorded);
  EXPECT_EQ(h.replay.meet(h.replay.use("c"), record), Met::fresh);
  EXPECT_EQ(h.replay.last_position(), 3);
}

TEST(Replay, TheKthUseOfANameIsItsOwnKey) {
  Replay replay;
  EXPECT_EQ(replay.use("a"), "a#1");
  EXPECT_EQ(replay.use("b"), "b#1");
  EXPECT_EQ(replay.use("a"), "a#2");
  EXPECT_EQ(replay.use("a#1"), "a#1#1");
}

TEST(Replay, AnotherNameThanRecordedDiffersAndSaysBoth) {
  History h;
  h("!start")("charge#1")("ship#1");
  const StoredRecord* record = nullptr;
  EXPECT_EQ(h.replay.meet("ship#1", record), Met::differs) << "out of order is another code, too";
  EXPECT_EQ(h.replay.differs("ship#1").text(),
            "the code asks for \"ship#1\" where \"charge#1\" is recorded (position 2)");
  EXPECT_EQ(h.replay.meet("new#1", record), Met::differs) << "a step put in before what is recorded";
  EXPECT_EQ(h.replay.meet("charge#1", record), Met::recorded) << "asking took nothing";
}

TEST(Replay, WhatComesFromOutsideHasNoPlaceInTheOrder) {
  History h;
  h("!signal/go", "j=\"yes\"")("!start")("a#1")("inbox:1", "j>chat 1")("!failed/b#1/1", "j!{}")("b#1");
  const StoredRecord* record = nullptr;
  EXPECT_EQ(h.replay.meet("a#1", record), Met::recorded);
  EXPECT_EQ(h.replay.meet("b#1", record), Met::recorded);
  EXPECT_TRUE(h.replay.at_end());
  EXPECT_EQ(h.replay.signal("go")->value, "j=\"yes\"");
  EXPECT_EQ(h.replay.signal("stay"), nullptr);
  EXPECT_EQ(h.replay.failed_attempts(), 1u);
}

TEST(Replay, EachInboxHasItsOwnPlace) {
  History h;
  h("inbox:1", "j>chat 1")("inbox:2", "j>news 2")("inbox:3", "j>chat 3")("inbox:4", "no message");
  EXPECT_EQ(h.replay.message("chat")->value, "j>chat 1");
  EXPECT_EQ(h.replay.message("chat")->value, "j>chat 1") << "looking takes nothing";
  h.replay.take_message("chat");
  EXPECT_EQ(h.replay.message("news")->value, "j>news 2");
  EXPECT_EQ(h.replay.message("chat")->value, "j>chat 3");
  h.replay.take_message("chat");
  EXPECT_EQ(h.replay.message("chat"), nullptr);
  EXPECT_EQ(h.replay.message("other"), nullptr);
}

TEST(Replay, WhatMayBeRecordedIsTakenOnlyWhereItStands) {
  History h;
  h("a#1")("go#1", "j@{\"after\":5}")("go#1/timeout", "j~null");
  EXPECT_EQ(h.replay.meet_if_next("go#1"), nullptr);
  const StoredRecord* record = nullptr;
  ASSERT_EQ(h.replay.meet("a#1", record), Met::recorded);
  EXPECT_NE(h.replay.meet_if_next("go#1"), nullptr);
  EXPECT_NE(h.replay.meet_if_next("go#1/timeout"), nullptr);
  EXPECT_TRUE(h.replay.at_end());
}

TEST(Replay, TheLastFailedAttemptOfAStepCounts) {
  History h;
  h("!failed/a/b#1/1", "j!1")("!failed/a/b#1/4", "j!4")("!failed/c#1/1", "j!c");
  EXPECT_EQ(h.replay.failed("a/b#1")->value, "j!4");
  EXPECT_EQ(h.replay.failed("b#1"), nullptr);
  EXPECT_EQ(h.replay.failed_attempts(), 3u);
}

TEST(Replay, ItsTimeIsThatOfWhatWasMetAndNeverRunsAhead) {
  History h;
  h("!start")("a#1")("b#1");
  EXPECT_EQ(h.replay.now(), StoreTime(Duration{100}));
  const StoredRecord* record = nullptr;
  h.replay.meet("a#1", record);
  EXPECT_EQ(h.replay.now(), StoreTime(Duration{200}));
  h.replay.reached(StoreTime(Duration{50}));
  EXPECT_EQ(h.replay.now(), StoreTime(Duration{200}));
}

}  // namespace

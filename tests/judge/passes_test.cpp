// Every linear pass: a history that it accepts, and one that it refuses by its id.
//
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "saying.hpp"
#include "script.hpp"

namespace stile::conformance::judge {
namespace {

TEST(Passes, FencesRise) {
  EXPECT_EQ(passed(clock() + grant("A 1000 1100", "1.a", 1001050, 5000) + grant("B 9000 9100", "2.b", 1009050, 5000)),
            "");
  EXPECT_EQ(passed(clock() + grant("A 1000 1100", "2.a", 1001050, 5000) + grant("B 9000 9100", "1.b", 1009050, 5000)),
            "A1, A3, A2");
  EXPECT_EQ(passed(clock() + grant("A 1000 9000", "1.a", 1001050, 5000) + grant("B 1000 9100", "1.b", 1009050, 5000)),
            "A1");
}

TEST(Passes, NothingLandsUnderAnOldFence) {
  std::string both = clock() + grant("A 1000 1100", "1.a", 1001050, 5000) + grant("B 9000 9100", "2.b", 1009050, 5000);
  EXPECT_EQ(passed(both + say("A 9050 9900", recording("1.a", "k", "v"), recorded("v", 1, 1009060))), "");
  EXPECT_EQ(passed(both + say("A 9200 9900", recording("1.a", "k", "v"), recorded("v", 1, 1009300))), "A4");
  EXPECT_EQ(passed(both + plain("A 9200 9900", op("release", R"("fence":"1.a")"))), "A8");
  EXPECT_EQ(passed(both + say("A 9200 9900", recording("2.x", "k", "v"), recorded("v", 1, 1009300))), "A4");
  std::string delivery = enqueued("C 1000 1100", "ready", 1001050) + delivered("C 1200 1300", "r", 1001250, 50000);
  EXPECT_EQ(passed(both + delivery + acked("A 9200 9900", "r", R"(,"fence":"1.a")")), "D8");
}

TEST(Passes, ARefusalBelongsToItsOperations) {
  const std::string fence = R"("fence":"1.a")", receipt = R"("receipt":"r")", document = R"("op":"get","key":"k")";
  const std::string leased = clock() + grant("A 1000 1100", "1.a", 1001050, 5000);
  EXPECT_EQ(passed(leased + refused("B 2000 2100", op("acquire", R"("ttl":1,"budget":1)"), "fenced")), "A4 D8 E3");
  EXPECT_EQ(passed(leased + refused("B 2000 2100", recording("1.b", "k", "v"), "fenced")), "");
  EXPECT_EQ(passed(leased + refused("B 2000 2100", recording("1.a", "k", "v"), "not_found")), "K4");
  EXPECT_EQ(passed(leased + refused("B 2000 2100", op("load"), "not_found")), "K4");
  EXPECT_EQ(passed(leased + refused("B 2000 2100", op("enqueue"), "lapsed")), "A5 A7");
  EXPECT_EQ(passed(leased + refused("B 2000 2100", op("renew", R"("ttl":1000,)" + fence), "lapsed")), "");
  EXPECT_EQ(passed(clock() + refused("B 2000 2100", document, "not_found")), "");
  EXPECT_EQ(passed(clock() + refused("B 2000 2100", document, "stale")), "D2");
  EXPECT_EQ(passed(clock() + refused("B 2000 2100", document, "cancelled")), "C2");
  EXPECT_EQ(passed(clock() + refused("B 2000 2100", R"("op":"receive","lease":1000)", "conflict")), "K1 K2 K6");
  EXPECT_EQ(passed(clock() + refused("B 2000 2100", "\"op\":\"ack\"," + receipt, "stale")), "");
}

TEST(Passes, NoTwoLeasesAreLive) {
  std::string first = clock() + grant("A 1000 1100", "1.a", 1001050, 50000);
  std::string second = grant("B 2000 20000", "2.b", 1019000, 5000);
  EXPECT_EQ(passed(first + second), "A2");
  EXPECT_EQ(passed(first + plain("A 1500 1600", op("release", R"("fence":"1.a")")) + second), "");
  EXPECT_EQ(passed(first + grant("B 60000 61000", "2.b", 1060500, 5000)), "");
}

TEST(Passes, GrantsAreTimedInTheirOrder) {
  std::string first = clock() + grant("A 1000 9000", "1.a", 1005000, 500);
  EXPECT_EQ(passed(first + grant("B 2000 9100", "2.b", 1006000, 5000)), "");
  EXPECT_EQ(passed(first + plain("A 2000 9100", op("discard"), R"("removed":0)") +
                   grant("B 2000 9200", "2.b", 1003000, 5000)),
            "A3");
}

TEST(Passes, NoTwoDeliveriesAreLive) {
  std::string first =
      clock() + enqueued("A 1000 1100", "ready", 1001050) + delivered("A 2000 2100", "r1", 1002050, 50000);
  EXPECT_EQ(passed(first + delivered("B 3000 9000", "r2", 1008000, 1000, 2)), "D1 D4");
  EXPECT_EQ(passed(first + delivered("B 60000 61000", "r2", 1060500, 1000, 2)), "");
}

TEST(Passes, OnlyTheNewestReceiptWorksAndOnce) {
  std::string two = clock() + enqueued("A 1000 1100", "ready", 1001050) +
                    delivered("A 2000 2100", "r1", 1002050, 1000) + delivered("B 5000 5100", "r2", 1005050, 1000, 2);
  EXPECT_EQ(passed(two + acked("B 6000 6100", "r2")), "");
  EXPECT_EQ(passed(two + acked("A 6000 6100", "r1")), "D2");
  EXPECT_EQ(passed(two + acked("B 6000 6100", "r2", R"(,"op_id":"x")") + acked("B 7000 7100", "r2", R"(,"op_id":"x")")),
            "");
  EXPECT_EQ(passed(two + acked("B 6000 6100", "r2", R"(,"op_id":"x")") + acked("B 7000 7100", "r2", R"(,"op_id":"y")")),
            "D6");
  EXPECT_EQ(passed(two + acked("B 6000 6100", "nobody's")), "D2");
  EXPECT_EQ(passed(two + cancelled("C 6000 6100") + acked("B 7000 7100", "r2")), "C2");
  EXPECT_EQ(passed(two + delivered("C 9000 9100", "r1", 1009050, 1000, 3)), "D2");
}

TEST(Passes, NothingIsDeliveredAfterCancel) {
  std::string gone = clock() + enqueued("A 1000 1100", "ready", 1001050) + cancelled("A 2000 2100");
  std::string delivery = delivered("B 3000 3100", "r", 1003050, 1000);
  EXPECT_EQ(passed(gone + enqueued("A 2500 2600", "ready", 1002550) + delivery), "");
  EXPECT_EQ(passed(gone + delivery), "C1");
}

TEST(Passes, NoMoreDeliveriesThanCauses) {
  std::string once = clock() + enqueued("A 1000 1100", "ready", 1001050) +
                     delivered("A 2000 2100", "r1", 1002050, 50000) + acked("A 3000 3100", "r1");
  std::string more = delivered("B 5000 5100", "r2", 1005050, 1000);
  EXPECT_EQ(passed(once + enqueued("A 4000 4100", "ready", 1004050) + more), "");
  EXPECT_EQ(passed(once + more), "W2");
}

TEST(Passes, NoWakeupIsLost) {
  std::string wakeup = clock() + enqueued("A 1000 1100", "ready", 1001050);
  auto empty = [](const std::string& when) {
    return plain(when, R"("op":"receive","lease":1000,"wait":7000000)",
                 R"("deliveries":[],"more":false,"store_time":)" + std::string("8010000"));
  };
  EXPECT_EQ(passed(enqueued("A 1000 1100", "ready", 1001050) + empty("B 10000 7010000")), "W1");
  EXPECT_EQ(passed(wakeup + delivered("A 1500 1600", "r", 1001550, 60000000) + empty("B 10000 7010000")), "");
}

TEST(Passes, WhatAPositionHoldsNeverChanges) {
  std::string write = clock() + say("A 1000 1100", supplying("k", "v"), recorded("v", 1, 1001050));
  EXPECT_EQ(passed(write + loaded("B 2000 2100", row("k", "v", 1, 1001050))), "");
  EXPECT_EQ(passed(write + loaded("B 2000 2100", row("k", "v", 1, 1001051))), "B1 B4");
  EXPECT_EQ(passed(write + say("B 2000 2100", supplying("l", "v"), recorded("v", 1, 1001050))), "B1 B4, B4");
}

TEST(Passes, PagesAreInOrderAndWhole) {
  std::string writes = clock() + say("A 1000 1100", supplying("k", "v"), recorded("v", 1, 1001050)) +
                       say("A 2000 2100", supplying("l", "v"), recorded("v", 2, 1002050)) +
                       say("A 3000 3100", supplying("m", "v"), recorded("v", 3, 1003050));
  std::string k = row("k", "v", 1, 1001050), l = row("l", "v", 2, 1002050), m = row("m", "v", 3, 1003050);
  EXPECT_EQ(passed(writes + loaded("B 4000 4100", k + "," + l + "," + m)), "");
  EXPECT_EQ(passed(writes + loaded("B 4000 4100", k + "," + m + "," + l)), "B3 B12, B12 B6");
  EXPECT_EQ(passed(writes + loaded("B 4000 4100", k + "," + m)), "B3 B12");
  EXPECT_EQ(passed(writes + loaded("B 4000 4100", k + "," + l)), "B12 B6");
  EXPECT_EQ(passed(writes + loaded("B 2500 4100", k + "," + l)), "") << "the third may have come after";
}

TEST(Passes, NobodyIsLate) {
  std::string seen = clock() + say("A 1000 1100", supplying("k", "v"), recorded("v", 2, 1001050));
  EXPECT_EQ(passed(seen + say("B 1050 2100", supplying("l", "v"), recorded("v", 1, 1001040))), "");
  EXPECT_EQ(passed(seen + say("B 2000 2100", supplying("l", "v"), recorded("v", 1, 1002050))), "B4");
  EXPECT_EQ(passed(seen + appended("B 2000 2100", "v", 1)), "B4 I2");
}

TEST(Passes, WhatIsThereWasWritten) {
  std::string page = loaded("B 2000 2100", row("k", "v", 1, 1001050));
  EXPECT_EQ(passed(clock() + lost("A", "1000", supplying("k", "v")) + page), "");
  EXPECT_EQ(passed(clock() + page), "B5");
  EXPECT_EQ(passed(clock() + refused("A 1000 1100", supplying("k", "v"), "unavailable") + page), "R2");
  std::string standing = clock() + say("A 1000 1100", supplying("k", "v"), recorded("v", 1, 1001050));
  EXPECT_EQ(passed(standing + say("B 2000 2100", supplying("k", "x"), recorded("v", 1, 1001050, "false"))), "");
  EXPECT_EQ(passed(standing + say("B 2000 2100", supplying("k", "x"), recorded("v", 1, 1001050, "true"))), "B2");
}

TEST(Passes, AnEffectRunsOnce) {
  auto effect = [](const std::string& when, const std::string& value, const std::string& ran) {
    return plain(when, op("transact", R"("fence":"1.a","key":"k","effect":{"language":"l","text":"t"})"),
                 R"("value":)" + quoted(value) + R"(,"ran":)" + ran + R"(,"position":1,"written_at":1002050)");
  };
  std::string lease = clock() + grant("A 1000 1100", "1.a", 1001050, 500000) + effect("A 2000 2100", "v", "true");
  EXPECT_EQ(passed(lease + effect("A 3000 3100", "v", "false")), "");
  EXPECT_EQ(passed(lease + effect("A 3000 3100", "v", "true")), "E2");
}

TEST(Passes, MessagesAreKeptOnce) {
  std::string first = clock() + appended("A 1000 1100", "v", 1, R"(,"message_id":"m","op_id":"a")");
  EXPECT_EQ(passed(first + appended("B 2000 2100", "v", 1, R"(,"message_id":"m","op_id":"b")", "true")), "");
  EXPECT_EQ(passed(first + appended("B 2000 2100", "v", 2, R"(,"message_id":"m","op_id":"b")", "false")), "I3");
  EXPECT_EQ(passed(clock() + plain("A 1000 1100", op("append", R"("value":"v")"),
                                   R"("key":"inbox:00000000000000000002","position":1,"duplicate":false)")),
            "I1");
}

TEST(Passes, SentAgainItAnswersTheSame) {
  std::string first = clock() + say("A 1000 1100", supplying("k", "v", R"(,"op_id":"x")"), recorded("v", 1, 1001050));
  EXPECT_EQ(passed(first + say("A 2000 2100", supplying("k", "v", R"(,"op_id":"x")"), recorded("v", 1, 1001050))), "");
  EXPECT_EQ(passed(first + say("A 2000 2100", supplying("k", "v", R"(,"op_id":"x")"), recorded("v", 2, 1002050))),
            "R1");
}

TEST(Passes, ABatchHoldsWhatWasAskedFor) {
  auto two = [](const std::string& max, const std::string& second) {
    return plain(
        "A 2000 2100", R"("op":"receive","lease":1000,"max":)" + max,
        R"("deliveries":[{"workflow":"w","queue":"","receipt":"r1","delivery_count":1,"visible_at":1003050,)"
        R"("cancel_requested":false},{"workflow":)" +
            quoted(second) +
            R"(,"queue":"","receipt":"r2",)"
            R"("delivery_count":1,"visible_at":1003050,"cancel_requested":false}],"more":false,"store_time":1002050)");
  };
  std::string causes =
      clock() + enqueued("A 1000 1100", "ready", 1001050) +
      plain("B 1000 1100", R"("op":"enqueue","workflow":"x")", R"("state":"ready","visible_at":1001050)") +
      enqueued("C 1000 1100", "coalesced", 1001050);
  EXPECT_EQ(passed(causes + two("2", "x")), "");
  EXPECT_EQ(passed(causes + two("1", "x")), "D10");
  EXPECT_EQ(passed(causes + two("2", "w")), "D10 D1");
}

TEST(Passes, NoMoreIsTrimmedThanWasFinished) {
  std::string run = clock() + enqueued("A 1000 1100", "ready", 1001050) + delivered("A 2000 2100", "r", 1002050, 50000);
  auto trimmed = [](const std::string& removed) {
    return plain("B 4000 4100", R"("op":"trim","older_than":0)", R"("more":false,"removed":)" + removed);
  };
  EXPECT_EQ(passed(run + acked("A 3000 3100", "r", R"(,"finished":true)") + trimmed("1")), "");
  EXPECT_EQ(passed(run + acked("A 3000 3100", "r") + trimmed("1")), "T1 T3");
}

TEST(Passes, OneWinnerPerDocument) {
  std::string first = clock() + put("A 1000 1100", "1", "v", R"(,"if":"absent")");
  EXPECT_EQ(passed(first + put("B 2000 2100", "2", "x", R"(,"if":"1")")), "");
  EXPECT_EQ(passed(first + put("B 2000 2100", "2", "x", R"(,"if":"absent")")), "K1");
  EXPECT_EQ(passed(first + put("B 2000 2100", "2", "x", R"(,"if":"1")") + put("C 2000 2100", "3", "x", R"(,"if":"1")")),
            "K2");
  EXPECT_EQ(passed(first + put("B 2000 2100", "1", "x")), "K2");
}

TEST(Passes, ExpiredDocumentsAreGone) {
  std::string first = clock() + put("A 1000 1100", "1", "v", R"(,"ttl":50000)");
  EXPECT_EQ(passed(first + got("B 20000 20100", "1", "v", R"(,"expires_at":1051050)")), "");
  EXPECT_EQ(passed(first + got("B 90000 90100", "1", "v", R"(,"expires_at":1051050)")), "K4");
}

TEST(Passes, ScansAreInByteOrder) {
  auto page = [](const std::string& a, const std::string& b) {
    return clock() + plain("A 1000 1100", R"("op":"scan","prefix":"d")",
                           R"("documents":[{"key":)" + quoted(a) + R"(,"version":"1"},{"key":)" + quoted(b) +
                               R"(,"version":"2"}])");
  };
  EXPECT_EQ(passed(page("d1", "d2")), "");
  EXPECT_EQ(passed(page("d2", "d1")), "K7");
  EXPECT_EQ(passed(page("d1", "e")), "K7");
}

}  // namespace
}  // namespace stile::conformance::judge

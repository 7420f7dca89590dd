// Every rule of the search: an order that explains the answers is found, or there is none and the id says why.
//
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "saying.hpp"
#include "script.hpp"

namespace stile::conformance::judge {
namespace {

TEST(Rules, OneOfManyIsGranted) {
  std::string first = clock() + grant("A 1000 3000", "1.a", 1001050, 50000);
  auto held = [](const std::string& when, int until) {
    return say(when, op("acquire", R"("ttl":1000,"budget":1000)"),
               R"("status":"held","error":"no","live_until":)" + std::to_string(until));
  };
  EXPECT_EQ(searched(first + held("B 1000 3000", 1051050)), "");
  EXPECT_EQ(searched(first + held("B 1000 3000", 1091050)), "A2");
  EXPECT_EQ(searched(clock() + held("B 1000 3000", 1051050)), "A2 A3");
  EXPECT_EQ(searched(first + grant("B 1000 3000", "2.b", 1002050, 50000)), "A2");
  EXPECT_EQ(searched(first + grant("B 80000 81000", "2.b", 1080500, 50000)), "");
  EXPECT_EQ(searched(first + held("B 80000 81000", 1051050)), "A2 A3");
  std::string uneven =
      R"("status":"ok","fence":"2.b","live_until":1131000,"budget_until":1130500,"cancel_requested":false)";
  EXPECT_EQ(searched(first + say("B 80000 81000", op("acquire", R"("ttl":90000,"budget":50000)"), uneven)), "");
  EXPECT_EQ(searched(first + say("B 80000 81000", op("acquire", R"("ttl":40000,"budget":50000)"), uneven)), "A3");
}

TEST(Rules, AGrantIsAnsweredAgainWhileItIsLive) {
  std::string id = R"(,"op_id":"a")";
  std::string first = clock() + grant("A 1000 3000", "1.a", 1001050, 50000, id);
  EXPECT_EQ(searched(first + grant("A 4000 5000", "1.a", 1001050, 50000, id)), "");
  EXPECT_EQ(searched(first + grant("A 90000 91000", "1.a", 1001050, 50000, id)), "A9");
  EXPECT_EQ(searched(first + grant("A 90000 91000", "2.a", 1090500, 50000, id)), "");
  EXPECT_EQ(searched(clock() + grant("A 1000 3000", "1.x", 1001050, 50000, id)), "A1");
}

TEST(Rules, AForcedGrantGoesOverALiveOne) {
  std::string first = clock() + grant("A 1000 1100", "1.a", 1001050, 90000) +
                      enqueued("A 1200 1300", "ready", 1001250) + delivered("A 2000 2100", "r1", 1002050, 90000);
  std::string forced = grant("B 3000 3100", "2.b", 1003050, 90000, R"(,"force":true)");
  EXPECT_EQ(searched(first + forced + delivered("B 4000 4100", "r2", 1004050, 1000, 2)), "");
  EXPECT_EQ(searched(first + forced + acked("A 4000 4100", "r1")), "D2 D6 C2");
  EXPECT_EQ(searched(first + forced + refused("A 4000 4100", acking("r1"), "stale")), "");
}

TEST(Rules, RenewNeverShortensAndRevivesWithABudget) {
  std::string first = clock() + grant("A 1000 1100", "1.a", 1001050, 50000);
  auto renewed = [](const std::string& when, const std::string& budget, int live, int until) {
    return plain(when, op("renew", R"("fence":"1.a","ttl":20000)" + budget),
                 R"("live_until":)" + std::to_string(live) + R"(,"budget_until":)" + std::to_string(until) +
                     R"(,"cancel_requested":false)");
  };
  EXPECT_EQ(searched(first + renewed("A 2000 2100", "", 1051050, 1051050)), "");
  EXPECT_EQ(searched(first + renewed("A 2000 2100", "", 1022050, 1051050)), "A7");
  EXPECT_EQ(searched(first + renewed("A 90000 90100", "", 1110050, 1130050)), "A7");
  EXPECT_EQ(searched(first + renewed("A 90000 90100", R"(,"budget":40000)", 1110050, 1130050)), "");
  std::string request = op("renew", R"("fence":"1.a","ttl":20000)");
  EXPECT_EQ(searched(first + refused("A 90000 90100", request, "lapsed")), "");
  EXPECT_EQ(searched(first + refused("A 2000 2100", request, "lapsed")), "A7");
  EXPECT_EQ(searched(first + refused("A 2000 2100", request, "fenced")), "A7");
}

TEST(Rules, ASupersededPassIsFenced) {
  std::string two = clock() + grant("A 1000 1100", "1.a", 1001050, 5000) + grant("B 9000 9100", "2.b", 1009050, 90000);
  EXPECT_EQ(searched(two + say("A 9200 9300", recording("1.a", "k", "v"), recorded("v", 1, 1009250))), "A4");
  EXPECT_EQ(searched(two + refused("A 9200 9300", recording("1.a", "k", "v"), "fenced")), "");
  EXPECT_EQ(searched(two + refused("B 9200 9300", recording("2.b", "k", "v"), "fenced")), "A4 A5");
  EXPECT_EQ(searched(two + plain("A 9200 9300", op("release", R"("fence":"1.a")"))), "A4 A8");
  std::string lapsed = clock() + grant("A 1000 1100", "1.a", 1001050, 5000);
  EXPECT_EQ(searched(lapsed + say("A 90000 91000", recording("1.a", "k", "v"), recorded("v", 1, 1090500))), "") << "A5";
}

TEST(Rules, AWriteIsASignOfLife) {
  std::string lease = clock() +
                      plain("A 1000 1100", op("acquire", R"("ttl":10000,"budget":90000)"),
                            R"("fence":"1.a","live_until":1011050,"budget_until":1091050,"cancel_requested":false)") +
                      say("A 8000 8100", recording("1.a", "k", "v"), recorded("v", 1, 1008050));
  EXPECT_EQ(searched(lease + grant("B 14000 14100", "2.b", 1014050, 5000)), "A2");
  EXPECT_EQ(searched(lease + grant("B 24000 24100", "2.b", 1024050, 5000)), "");
}

TEST(Rules, TheFirstWriteOfAKeyWins) {
  std::string first = clock() + say("A 1000 3000", supplying("k", "v"), recorded("v", 1, 1001050));
  EXPECT_EQ(searched(first + say("B 1000 3000", supplying("k", "x"), recorded("v", 1, 1001050, "false"))), "");
  EXPECT_EQ(searched(first + say("B 1000 3000", supplying("k", "x"), recorded("x", 2, 1001060))), "B1 B2");
  EXPECT_EQ(searched(first + say("B 1000 3000", supplying("l", "x"), recorded("x", 3, 1001060))), "B3");
  EXPECT_EQ(searched(first + say("B 4000 5000", supplying("l", "x"), recorded("x", 2, 1001000))), "B3 A12");
}

TEST(Rules, ALoadShowsOneMoment) {
  std::string k = row("k", "v", 1, 1001050), l = row("l", "v", 2, 1002050);
  std::string writes = clock() + say("A 1000 1100", supplying("k", "v"), recorded("v", 1, 1001050)) +
                       say("A 2000 9000", supplying("l", "v"), recorded("v", 2, 1002050));
  EXPECT_EQ(searched(writes + loaded("B 3000 9000", k)), "");
  EXPECT_EQ(searched(writes + loaded("B 3000 9000", k + "," + l)), "");
  EXPECT_EQ(searched(writes + loaded("B 3000 9000", k + "," + l, 0, "true")), "B6");
  EXPECT_EQ(searched(writes + loaded("B 9100 9200", k)), "B6 B12");
  EXPECT_EQ(searched(writes + loaded("B 3000 3100", k + "," + l) + loaded("B 3200 3300", k)), "B6 B12");
  EXPECT_EQ(searched(writes + loaded("B 9100 9200", k + "," + row("l", "x", 2, 1002050))), "B1 B5");
  EXPECT_EQ(searched(writes + loaded("B 9100 9200", k + "," + l, 7)), "A10 B12");
}

// A store takes a write's time before others see the write, and may stand still in between.
TEST(Rules, UntilItsCommitAWriteIsSeenByNobody) {
  std::string k = row("k", "v", 1, 1002050);
  std::string write = clock() + say("A 2000 90000", supplying("k", "v"), recorded("v", 1, 1002050));
  EXPECT_EQ(searched(write + loaded("B 50000 60000", "") + loaded("B 70000 80000", k)), "");
  EXPECT_EQ(searched(write + loaded("B 50000 60000", k) + loaded("B 70000 80000", "")), "B6 B12");
  EXPECT_EQ(searched(write + loaded("B 91000 92000", "")), "B6 B12");
  std::string leased = clock() + grant("A 2000 90000", "1.a", 1002050, 500000);
  EXPECT_EQ(searched(leased + loaded("B 50000 60000", "")), "");
  EXPECT_EQ(searched(leased + loaded("B 91000 92000", "")), "A10 B12");
}

// So does a refusal, a trim that takes nothing and a get: none of them makes what comes after it later than it was.
TEST(Rules, UntilItsCommitAWriteIsNotSeenByWhatChangesNothing) {
  std::string life = clock() + enqueued("A 1000 1100", "ready", 1001050) +
                     delivered("A 2000 2100", "r", 1002050, 50000) +
                     say("A 2200 2300", supplying("k", "v"), recorded("v", 1, 1002250)) +
                     acked("A 3000 3100", "r", R"(,"finished":true)");
  auto trimmed = [](const std::string& when, int removed) {
    return plain(when, R"("op":"trim","older_than":0)", R"("more":false,"removed":)" + std::to_string(removed));
  };
  std::string write = life + trimmed("B 4000 4100", 1) +
                      say("A 100000 200000", supplying("k", "v"), recorded("v", 2, 1102050)) +
                      trimmed("B 130000 131000", 0) + loaded("B 140000 141000", "");
  EXPECT_EQ(searched(write + loaded("B 210000 211000", row("k", "v", 2, 1102050))), "");
  EXPECT_EQ(searched(write + loaded("B 210000 211000", "")), "B6 B12");

  std::string renewal = R"("live_until":1602050,"budget_until":1602050,"cancel_requested":false)";
  auto holding = [](int until) {
    return say("B 130000 131000", op("acquire", R"("ttl":1,"budget":1)"),
               R"("status":"held","error":"no","live_until":)" + std::to_string(until));
  };
  std::string renewed = clock() + grant("A 1000 1100", "1.a", 1001050, 300000) +
                        plain("A 100000 200000", op("renew", R"("fence":"1.a","ttl":500000,"budget":500000)"), renewal);
  EXPECT_EQ(searched(renewed + holding(1301050)), "");
  EXPECT_EQ(searched(renewed + holding(1602050)), "");
  EXPECT_EQ(searched(renewed + holding(1402050)), "A2");

  std::string first = clock() + put("A 1000 1100", "1", "v", R"(,"ttl":120000)");
  std::string second = put("A 100000 200000", "2", "x", R"(,"if":"1")");
  std::string missing = R"("op":"get","key":"d")";
  EXPECT_EQ(searched(first + second + got("B 110000 111000", "1", "v", R"(,"expires_at":1121050)")), "");
  EXPECT_EQ(searched(first + second + refused("B 130000 131000", missing, "not_found")), "K2")
      << "nothing that was seen to be gone comes back (K4)";
}

TEST(Rules, WhatWasLostMayLandLaterOnce) {
  std::string write = clock() + lost("A", "1000", supplying("k", "v"));
  std::string late = loaded("B 2000 2100", "") + loaded("B 90000 90100", row("k", "v", 1, 1050000));
  EXPECT_EQ(searched(write + loaded("B 2000 2100", "")), "");
  EXPECT_EQ(searched(write + late), "");
  EXPECT_EQ(searched(write + late + loaded("B 95000 95100", "")), "B6 B12");
  EXPECT_EQ(
      searched(clock() + lost("A", "3000", supplying("k", "v")) + loaded("B 2000 2100", row("k", "v", 1, 1001500))),
      "B4 R2");
  std::string twice = clock() + lost("A", "1000", op("append", R"("value":"v")"));
  EXPECT_EQ(searched(twice + loaded("B 2000 2100", row("inbox:00000000000000000001", "v", 1, 1001500) + "," +
                                                       row("inbox:00000000000000000002", "v", 2, 1001600))),
            "B4 R2");
}

TEST(Rules, ALostGrantIsKnownByItsStamp) {
  std::string lease = clock() + lost("A", "1000", op("acquire", R"("ttl":90000,"budget":90000,"op_id":"a")"));
  EXPECT_EQ(searched(lease + say("A 3000 3100", recording("1.a", "k", "v"), recorded("v", 1, 1003050))), "");
  EXPECT_EQ(searched(lease + say("A 3000 3100", recording("1.b", "k", "v"), recorded("v", 1, 1003050))), "A4");
  EXPECT_EQ(searched(lease + loaded("B 3000 3100", "", 5) + loaded("B 4000 4100", "", 6)), "A10 B12");
}

TEST(Rules, ALostReceiveHoldsOneDelivery) {
  std::string wakeup = clock() + enqueued("A 1000 1100", "ready", 1001050);
  std::string held = enqueued("A 3000 3100", "deferred", 1003050);
  EXPECT_EQ(searched(wakeup + held), "W2") << "nobody received it";
  EXPECT_EQ(searched(wakeup + lost("B", "1500", R"("op":"receive","lease":90000)") + held), "");
  std::string receive = R"("op":"receive","lease":50000,"op_id":"b")";
  EXPECT_EQ(searched(wakeup + lost("B", "1500", receive) +
                     delivered("C 3000 3100", "r", 1002050, 50000, 1, R"(,"op_id":"b","again":true)") +
                     acked("C 4000 4100", "r")),
            "");
}

TEST(Rules, RecordsAreRememberedByTheirOpId) {
  std::string id = R"(,"op_id":"x")";
  std::string first = clock() + grant("A 1000 1100", "1.a", 1001050, 5000) +
                      say("A 2000 2100", recording("1.a", "k", "v", id), recorded("v", 1, 1002050)) +
                      grant("B 9000 9100", "2.b", 1009050, 90000);
  EXPECT_EQ(searched(first + say("A 9200 9300", recording("1.a", "k", "v", id), recorded("v", 1, 1002050))), "");
  EXPECT_EQ(searched(first + refused("A 9200 9300", recording("1.a", "k", "v", id), "fenced")), "R1");
  EXPECT_EQ(searched(first + say("A 9200 9300", recording("1.a", "k", "v", id), recorded("v", 2, 1009250))), "R1");
}

TEST(Rules, DiscardBeginsAnEmptyLife) {
  std::string life = clock() + grant("A 1000 1100", "1.a", 1001050, 90000) +
                     say("A 2000 2100", recording("1.a", "k", "v"), recorded("v", 1, 1002050));
  std::string gone = plain("B 3000 3100", op("discard"), R"("removed":1)");
  EXPECT_EQ(searched(life + gone + loaded("B 4000 4100", "")), "");
  EXPECT_EQ(searched(life + gone + loaded("B 4000 4100", row("k", "v", 1, 1002050), 1)), "B4 R2");
  EXPECT_EQ(searched(life + gone + say("A 4000 4100", recording("1.a", "l", "v"), recorded("v", 2, 1004050))), "A4");
  EXPECT_EQ(searched(life + gone + say("A 4000 4100", supplying("l", "v"), recorded("v", 1, 1004050))), "B4 B3");
  EXPECT_EQ(searched(life + plain("B 3000 3100", op("discard"), R"("removed":2)")), "A10 B6");
  EXPECT_EQ(searched(life + gone + grant("B 4000 4100", "1.b", 1004050, 5000)), "A1");
}

TEST(Rules, RebaseKeepsTheInboxAboveAPosition) {
  std::string life = clock() + grant("A 1000 1100", "1.a", 1001050, 90000) + appended("B 2000 2100", "x", 1) +
                     appended("B 3000 3100", "y", 2) +
                     say("A 4000 4100", recording("1.a", "k", "v"), recorded("v", 3, 1004050));
  auto rebased = [](const std::string& removed) {
    return plain("A 5000 5100",
                 op("rebase", R"("fence":"1.a","inbox_after":"inbox:00000000000000000001","key":"s","value":"t")"),
                 R"("position":4,"written_at":1005050,"removed":)" + removed);
  };
  std::string kept = row("inbox:00000000000000000002", "y", 2, 1003050) + "," + row("s", "t", 4, 1005050);
  EXPECT_EQ(searched(life + rebased("2") + loaded("B 6000 6100", kept, 1)), "");
  EXPECT_EQ(searched(life + rebased("3")), "B11");
}

TEST(Rules, AMessageIsAppendedOnce) {
  std::string first = clock() + appended("A 1000 1100", "v", 1, R"(,"message_id":"m")");
  EXPECT_EQ(searched(first + appended("B 2000 2100", "x", 1, R"(,"message_id":"m")", "true")), "");
  EXPECT_EQ(searched(first + appended("B 2000 2100", "x", 2, R"(,"message_id":"m")", "false")), "I3");
  EXPECT_EQ(searched(clock() + appended("B 2000 2100", "x", 1, R"(,"message_id":"m")", "true")), "I3");
}

TEST(Rules, WakeupsAreOneEach) {
  std::string one = clock() + enqueued("A 1000 1100", "delayed", 1051050, R"("delay":50000)");
  EXPECT_EQ(searched(one + enqueued("B 2000 2100", "coalesced", 1002050)), "");
  EXPECT_EQ(searched(one + enqueued("B 2000 2100", "ready", 1002050)), "W2");
  EXPECT_EQ(searched(one + enqueued("B 2000 2100", "coalesced", 1092050, R"("delay":90000)")), "W2");
  EXPECT_EQ(searched(one + delivered("B 20000 20100", "r", 1020050, 1000)), "W4");
  EXPECT_EQ(searched(one + delivered("B 60000 60100", "r", 1060050, 1000)), "");
  EXPECT_EQ(searched(clock() + delivered("B 60000 60100", "r", 1060050, 1000)), "C1 W1");
}

TEST(Rules, DeliveriesFollowEachOther) {
  std::string first =
      clock() + enqueued("A 1000 1100", "ready", 1001050) + delivered("A 2000 2100", "r1", 1002050, 50000);
  EXPECT_EQ(searched(first + delivered("B 3000 3100", "r2", 1003050, 1000, 2)), "D1 D4");
  EXPECT_EQ(searched(first + delivered("B 60000 60100", "r2", 1060050, 1000, 2)), "");
  EXPECT_EQ(searched(first + delivered("B 60000 60100", "r2", 1060050, 1000, 1)), "D5");
  EXPECT_EQ(searched(first + delivered("B 60000 60100", "r2", 1060050, 1000, 2) + acked("A 61000 61100", "r1")),
            "D2 D6 C2");
  EXPECT_EQ(searched(first + refused("A 3000 3100", acking("r1"), "stale")), "D2 D4");
  EXPECT_EQ(searched(first + enqueued("B 3000 3100", "deferred", 1003050) + acked("A 4000 4100", "r1", "", "true")),
            "");
  EXPECT_EQ(searched(first + enqueued("B 3000 3100", "deferred", 1003050) + acked("A 4000 4100", "r1", "", "false")),
            "W3");
}

TEST(Rules, AnswersAreRememberedAndFenced) {
  std::string first = clock() + enqueued("A 1000 1100", "ready", 1001050) +
                      delivered("A 2000 2100", "r1", 1002050, 50000) + acked("A 3000 3100", "r1", R"(,"op_id":"x")");
  EXPECT_EQ(searched(first + acked("A 4000 4100", "r1", R"(,"op_id":"x")")), "");
  EXPECT_EQ(searched(first + refused("A 4000 4100", acking("r1", R"(,"op_id":"x")"), "stale")), "R1 D6");
  EXPECT_EQ(searched(first + acked("A 4000 4100", "r1", R"(,"op_id":"y")")), "D2 D6 C2");
  std::string fenced = clock() + grant("A 500 600", "1.a", 1000550, 90000) + enqueued("A 1000 1100", "ready", 1001050) +
                       delivered("A 2000 2100", "r1", 1002050, 50000);
  EXPECT_EQ(searched(fenced + acked("A 3000 3100", "r1", R"(,"fence":"1.a","finished":true)")), "");
  EXPECT_EQ(searched(fenced + acked("A 3000 3100", "r1", R"(,"finished":true)")), "D8");
  EXPECT_EQ(searched(fenced + refused("A 3000 3100", acking("r1", R"(,"fence":"1.a")"), "fenced")), "D8");
  EXPECT_EQ(searched(fenced + acked("A 3000 3100", "r1", R"(,"fence":"1.b")")), "D8 A4");
}

TEST(Rules, CancelTakesOneSide) {
  std::string first =
      clock() + enqueued("A 1000 1100", "ready", 1001050) + delivered("A 2000 2100", "r1", 1002050, 50000);
  EXPECT_EQ(searched(first + cancelled("B 3000 9000") + refused("A 3000 9000", acking("r1"), "cancelled")), "");
  EXPECT_EQ(searched(first + cancelled("B 3000 9000", "false") + acked("A 3000 9000", "r1")), "");
  EXPECT_EQ(searched(first + cancelled("B 3000 9000", "true") + acked("A 3000 9000", "r1")), "D2 D6 C2");
  EXPECT_EQ(searched(first + cancelled("B 3000 3100") + refused("A 4000 4100", acking("r1"), "stale")), "C2");
  EXPECT_EQ(searched(first + refused("A 4000 4100", acking("r1"), "cancelled")), "C2");
  EXPECT_EQ(searched(first + cancelled("B 3000 3100", "false")), "C1");
  EXPECT_EQ(searched(first + cancelled("B 3000 3100") + delivered("A 60000 60100", "r2", 1060050, 1000, 2)), "C1 W1");
}

TEST(Rules, DeliveryWithLeaseWaitsForTheLease) {
  auto coupled = [](const std::string& when, int at) {
    std::string until = std::to_string(at + 1000);
    return plain(
        when, R"("op":"receive","lease":1000,"acquire":{"ttl":1000,"budget":1000})",
        R"("deliveries":[{"workflow":"w","queue":"","receipt":"r","delivery_count":1,"cancel_requested":false,)"
        R"("fence":"2.b","visible_at":)" +
            until + R"(,"live_until":)" + until + R"(,"budget_until":)" + until + R"(}],"more":false,"store_time":)" +
            std::to_string(at));
  };
  std::string lease = clock() + enqueued("A 500 600", "ready", 1000550) + grant("A 1000 1100", "1.a", 1001050, 50000);
  EXPECT_EQ(searched(lease + coupled("B 2000 2100", 1002050)), "D9 A2");
  EXPECT_EQ(searched(lease + plain("A 1500 1600", op("release", R"("fence":"1.a")")) + coupled("B 2000 2100", 1002050)),
            "");
}

TEST(Rules, DeadIsDeadUntilRevived) {
  std::string dead = clock() + enqueued("A 1000 1100", "ready", 1001050) +
                     delivered("A 2000 2100", "r1", 1002050, 50000) +
                     plain("A 3000 3100", R"("op":"reject","receipt":"r1","error":"e")", R"("state":"dead")");
  EXPECT_EQ(searched(dead + delivered("B 4000 4100", "r2", 1004050, 1000)), "D7");
  EXPECT_EQ(searched(dead + enqueued("B 4000 4100", "ready", 1004050)), "D7");
  std::string revived = enqueued("B 4000 4100", "ready", 1004050, R"("revive":true)");
  EXPECT_EQ(searched(dead + revived + delivered("B 5000 5100", "r2", 1005050, 1000)), "D11");
}

TEST(Rules, ABatchKeepsItsOrder) {
  std::string both = clock() + say("A 1000 9000", supplying("k", "v"), recorded("v", 1, 1002050));
  EXPECT_EQ(searched(both + say("A/1 1000 9000", supplying("l", "v"), recorded("v", 2, 1002050))), "");
  std::string turned = clock() + say("A 1000 9000", supplying("k", "v"), recorded("v", 2, 1002050));
  EXPECT_NE(searched(turned + say("A/1 1000 9000", supplying("l", "v"), recorded("v", 1, 1002050))), "");
}

TEST(Rules, TrimTakesWhatWasFinished) {
  std::string run = clock() + enqueued("A 1000 1100", "ready", 1001050) +
                    delivered("A 2000 2100", "r", 1002050, 50000) +
                    say("A 2200 2300", supplying("k", "v"), recorded("v", 1, 1002250));
  std::string trimmed = plain("B 4000 4100", R"("op":"trim","older_than":0)", R"("more":false,"removed":1)");
  std::string empty = loaded("B 5000 5100", "");
  EXPECT_EQ(searched(run + acked("A 3000 3100", "r", R"(,"finished":true)") + trimmed + empty), "");
  EXPECT_EQ(searched(run + acked("A 3000 3100", "r") + trimmed + empty), "B6 B12");
}

TEST(Rules, OneVersionOneWinner) {
  std::string first = clock() + put("A 1000 1100", "1", "v", R"(,"if":"absent")");
  auto conflict = [](const std::string& when, const std::string& version, const std::string& value) {
    return say(when, R"("op":"put","key":"d","value":"x","if":"absent")",
               R"("status":"conflict","error":"no","version":)" + quoted(version) + R"(,"value":)" + quoted(value));
  };
  EXPECT_EQ(searched(first + conflict("B 1000 1100", "1", "v")), "");
  EXPECT_EQ(searched(first + conflict("B 1000 1100", "1", "x")), "K1 K2");
  EXPECT_EQ(searched(clock() + conflict("B 1000 1100", "1", "v")), "K1 K2");
  EXPECT_EQ(
      searched(first + put("B 2000 9000", "2", "x", R"(,"if":"1")") + put("C 2000 9000", "3", "y", R"(,"if":"1")")),
      "K2");
  EXPECT_EQ(searched(first + put("B 2000 9000", "2", "x", R"(,"if":"1")") + got("C 2000 9000", "1", "v")), "");
  EXPECT_EQ(searched(first + put("B 2000 2100", "2", "x", R"(,"if":"1")") + got("C 3000 9000", "1", "v")), "K2 B12");
  EXPECT_EQ(searched(first + refused("C 3000 9000", R"("op":"get","key":"d")", "not_found")), "K8 K4");
}

TEST(Rules, DocumentsExpireByTheStoresClock) {
  std::string first = clock() + put("A 1000 1100", "1", "v", R"(,"ttl":50000)");
  std::string missing = R"("op":"get","key":"d")";
  EXPECT_EQ(searched(first + got("B 20000 20100", "1", "v", R"(,"expires_at":1051050)")), "");
  EXPECT_EQ(searched(first + got("B 20000 20100", "1", "v", R"(,"expires_at":1091050)")), "K4 K5");
  EXPECT_EQ(searched(first + got("B 90000 90100", "1", "v", R"(,"expires_at":1051050)")), "K4 K6");
  EXPECT_EQ(searched(first + refused("B 90000 90100", missing, "not_found")), "");
  EXPECT_EQ(searched(first + refused("B 20000 20100", missing, "not_found")), "K8 K4");
}

TEST(Rules, APutIsRememberedAndAScanSeesWhatIsThere) {
  std::string id = R"(,"op_id":"x")";
  std::string first = clock() + put("A 1000 1100", "1", "v", id);
  EXPECT_EQ(searched(first + put("A 2000 2100", "1", "v", id) + got("B 3000 3100", "1", "v")), "");
  EXPECT_EQ(searched(first + put("A 2000 2100", "2", "v", id)), "K3 R1");
  auto page = [](const std::string& rows) {
    return plain("B 3000 3100", R"("op":"scan","prefix":"d")", R"("documents":[)" + rows + "]");
  };
  EXPECT_EQ(searched(first + page(R"({"key":"d","version":"1"})")), "");
  EXPECT_EQ(searched(first + page(R"({"key":"d","version":"9"})")), "K7 K2");
  EXPECT_EQ(searched(first + page("")), "K7");
  EXPECT_EQ(searched(clock() + page(R"({"key":"d","version":"1"})")), "K7 K4");
}

TEST(Rules, AnEnqueueOfTheDeadMayBeRemembered) {
  std::string id = R"("op_id":"x")";
  std::string script =
      clock() + enqueued("A 1000 1100", "ready", 1001050) + delivered("A 2000 2100", "r1", 1002050, 50000) +
      plain("A 3000 3100", R"("op":"reject","receipt":"r1")", R"("state":"dead")") +
      lost("C", "4000", op("enqueue", id)) + plain("A 5000 5100", op("discard", R"("cancel":true)"), R"("removed":0)");
  auto again = [](const std::string& op_id) {
    return plain("B 6000 6100", op("enqueue", R"("op_id":)" + op_id), R"("state":"dead")");
  };
  EXPECT_EQ(searched(script + again(R"("x")")), "");
  EXPECT_EQ(searched(script + again(R"("y")")), "W2");
}

TEST(Search, WhatCannotBeDecidedIsAFailure) {
  Options options;
  options.step_cap = 3;
  options.passes = false;
  std::string many = clock();
  for (int i = 1; i <= 5; ++i)
    many +=
        say("A" + std::to_string(i) + " 1000 9000", supplying("k" + std::to_string(i), "v"), recorded("v", i, 1005000));
  EXPECT_EQ(judged(many, options), "undecided");
  EXPECT_EQ(searched(many), "");
}

TEST(Search, AFailureIsShrunkToWhatContradicts) {
  std::string script = clock() + grant("A 1000 1100", "1.a", 1001050, 5000);
  for (int i = 1; i <= 40; ++i)
    script += appended("C " + std::to_string(1200 + i * 100) + " " + std::to_string(1250 + i * 100),
                       "v" + std::to_string(i), i);
  script += grant("B 9000 9100", "2.b", 1009050, 90000) +
            say("A 9200 9300", recording("1.a", "k", "v"), recorded("v", 41, 1009250)) +
            loaded("C 9400 9500", "", 2, "true");
  History history = history_from(lines_of(script));
  Options options;
  options.passes = false;
  Verdict verdict = judge(history, options);
  ASSERT_EQ(verdict.findings.size(), 1u);
  EXPECT_EQ(verdict.findings[0].ids, "A4");
  EXPECT_LE(verdict.findings[0].events.size(), 3u) << verdict_text(verdict, history);
}

}  // namespace
}  // namespace stile::conformance::judge

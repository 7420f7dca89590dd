// What is counted in a history, and what is not.
//
// SPDX-License-Identifier: Apache-2.0
#include "workloads/tally.hpp"

#include <gtest/gtest.h>

#include "saying.hpp"
#include "script.hpp"

namespace stile::conformance::workloads {
namespace {

using namespace judge;

Tally counted(const std::string& script) { return tally(history_from(lines_of(script))); }

TEST(Tally, CountsStatuses) {
  Tally seen = counted(grant("A 1000 1100", "1.a", 1001050, 5000) +
                       refused("B 1200 1300", recording("9.x", "k", "v"), "fenced") + lost("C", "1400", op("cancel")));
  EXPECT_EQ(seen["ok"], 1u);
  EXPECT_EQ(seen["fenced"], 1u);
}

TEST(Tally, CountsLeasesTakenOver) {
  std::string first = grant("A 1000 1100", "1.a", 1001050, 5000);
  std::string second = grant("B 9000 9100", "2.b", 1009050, 5000);
  EXPECT_EQ(counted(first + second)["taken over after a lapse"], 1u);
  std::string released = plain("A 2000 2100", op("release", R"("fence":"1.a")"));
  EXPECT_EQ(counted(first + released + second)["taken over after a lapse"], 0u);
}

TEST(Tally, CountsDeliveriesThatLapsed) {
  std::string first = enqueued("A 100 200", "ready", 1000150) + delivered("A 1000 1100", "r1", 1001050, 1000);
  std::string second = delivered("B 9000 9100", "r2", 1009050, 1000, 2);
  Tally seen = counted(first + second);
  EXPECT_EQ(seen["first deliveries"], 1u);
  EXPECT_EQ(seen["delivered again after a lapse"], 1u);
  std::string nacked =
      plain("A 1200 1300", R"("op":"nack","receipt":"r1")", R"("visible_at":1001250,"delivery_count":1)");
  EXPECT_EQ(counted(first + nacked + second)["delivered again after a lapse"], 0u);
}

TEST(Tally, CountsOverlapsOfOneWorkflow) {
  std::string one = say("A 1000 2000", supplying("k", "v"), recorded("v", 1, 1001050));
  std::string other = say("B 1500 2500", supplying("l", "v"), recorded("v", 2, 1001550));
  std::string later = say("B 3500 4500", supplying("l", "v"), recorded("v", 2, 1003550));
  EXPECT_EQ(counted(one + other)["overlapping"], 1u);
  EXPECT_EQ(counted(one + later)["overlapping"], 0u);
}

TEST(Tally, CountsSecondSends) {
  std::string id = R"(,"op_id":"00112233445566778899aabbccddeeff")";
  std::string one = appended("A 1000 2000", "v", 1, id), same = appended("B 1500 2500", "v", 1, id);
  EXPECT_EQ(counted(one + same)["answered again"], 2u);
  EXPECT_EQ(counted(one)["answered again"], 0u);
}

TEST(Tally, CountsExpiredDocuments) {
  std::string with_ttl = put("A 1000 1100", "1", "v", R"(,"ttl":1000)"), without = put("A 1000 1100", "1", "v");
  std::string gone = refused("B 9000 9100", R"("op":"get","key":"d")", "not_found");
  EXPECT_EQ(counted(with_ttl + gone)["expired documents"], 1u);
  EXPECT_EQ(counted(without + gone)["expired documents"], 0u);
}

}  // namespace
}  // namespace stile::conformance::workloads

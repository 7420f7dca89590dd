// What is wrong with operations that were composed, found beside what the store was asked for them.
//
// SPDX-License-Identifier: Apache-2.0
#include "workloads/composed.hpp"

#include <gtest/gtest.h>

#include "script.hpp"

namespace stile::conformance::workloads {
namespace {

using namespace judge;

const std::string id = R"("op_id":"00112233445566778899aabbccddeeff")";
const std::string cover_id = R"("op_id":"10112233445566778899aabbccddeeff")";
const std::string enqueue_id = R"("op_id":"20112233445566778899aabbccddeeff")";
const std::string fence = R"("1.00112233445566778899aabbccddeeff")",
                  other_fence = R"("2.00112233445566778899aabbccddeeff")";

std::string found(const std::string& whole, const std::string& parts) {
  const History one = history_from(lines_of(whole)), other = history_from(lines_of(parts));
  std::string ids;
  for (const Finding& finding : judge_composed(one, other)) ids += (ids.empty() ? "" : ", ") + finding.ids;
  return ids;
}

std::string delivery(const std::string& receipt, int count, const std::string& rest = "") {
  return R"({"workflow":"w","queue":"","receipt":")" + receipt + R"(","delivery_count":)" + std::to_string(count) +
         R"(,"visible_at":1001000,"cancel_requested":false)" + rest + "}";
}
std::string received(const std::string& deliveries) {
  return R"({"status":"ok","more":false,"store_time":1000000,"deliveries":[)" + deliveries + "]}\n";
}

// --- receive, with a lease and records

const std::string records =
    R"("records":[{"key":"k","value":"v","position":1,"written_at":900000}],"more":false,"finished":false)";

std::string asked(const std::string& deliveries) {
  return R"(A 1000 2000 {"op":"receive","lease":1000,"acquire":{"ttl":1000,"budget":9000},"load":{"limit":9},)" + id +
         "} -> " + received(deliveries);
}
std::string with_lease(const std::string& receipt, const std::string& granted = fence,
                       const std::string& read = records) {
  return delivery(receipt, 1, R"(,"fence":)" + granted + R"(,"live_until":1001000,"budget_until":1009000,)" + read);
}
std::string took(const std::string& deliveries) {
  return R"(B 1100 1200 {"op":"receive","lease":1000,)" + id + "} -> " + received(deliveries);
}
const std::string acquired = R"(C 1300 1400 {"op":"acquire","workflow":"w","ttl":1000,"budget":9000,)" + id +
                             R"(} -> {"status":"ok","fence":)" + fence +
                             R"(,"live_until":1001000,"budget_until":1009000,"cancel_requested":false})" + "\n";
const std::string held = R"(C 1300 1400 {"op":"acquire","workflow":"w","ttl":1000,"budget":9000,)" + id +
                         R"(} -> {"status":"held","live_until":1009000})" + "\n";
std::string loaded(const char* at = "C/1") {
  return at + std::string(R"( 1300 1400 {"op":"load","workflow":"w","limit":9} -> {"status":"ok","fence_number":1,)") +
         R"("cancel_requested":false,)" + records + "}\n";
}
const std::string snoozed = R"(D 1500 1600 {"op":"snooze","receipt":"r1","at":1009000} -> )"
                            R"({"status":"ok","visible_at":1009000})"
                            "\n";
const std::string nacked = R"(D 1500 1600 {"op":"nack","receipt":"r1","delay":8000} -> )"
                           R"({"status":"ok","visible_at":1009000,"delivery_count":2})"
                           "\n";

TEST(JudgeComposed, GoodReceivesAreNone) {
  EXPECT_EQ(found(asked(with_lease("r1")), took(delivery("r1", 1)) + acquired + loaded()), "");
  EXPECT_EQ(found(asked(""), took("")), "");
  EXPECT_EQ(found(asked(""), took(delivery("r1", 1)) + held + snoozed), "");
  EXPECT_EQ(found(asked(""), took(delivery("r1", 2)) + held + nacked), "");
}

TEST(JudgeComposed, WhatIsHandedOut) {
  EXPECT_EQ(found(asked(with_lease("r2")), took(delivery("r1", 1)) + acquired + loaded() + snoozed), "D2");
  EXPECT_EQ(found(asked(with_lease("r1", other_fence)), took(delivery("r1", 1)) + acquired + loaded()), "A1 D9");
  EXPECT_EQ(found(asked(with_lease("r1")), took(delivery("r1", 1)) + held + loaded()), "A1 D9");
  const std::string none = R"("records":[],"more":false,"finished":false)";
  EXPECT_EQ(found(asked(with_lease("r1", fence, none)), took(delivery("r1", 1)) + acquired + loaded()), "D9");
  EXPECT_EQ(found(asked(with_lease("r1") + "," + with_lease("r1")), took(delivery("r1", 1)) + acquired + loaded()),
            "D10");
}

TEST(JudgeComposed, RecordsAreReadUnderTheLease) {
  const std::string too_early = loaded("B/1");
  EXPECT_EQ(found(asked(with_lease("r1")), took(delivery("r1", 1)) + too_early + acquired), "D9");
}

TEST(JudgeComposed, WhatIsNotHandedOut) {
  EXPECT_EQ(found(asked(""), took(delivery("r1", 1)) + held), "D9 W1");
  EXPECT_EQ(found(asked(""), took(delivery("r1", 2)) + held + snoozed), "D5");
}

// --- receive, passed on to a store that couples it and does not couple something else

std::string coupled(const std::string& deliveries) {
  return R"(B 1100 1200 {"op":"receive","lease":1000,"acquire":{"ttl":1000,"budget":9000},"load":{"limit":9},)" + id +
         "} -> " + received(deliveries);
}

TEST(JudgeComposed, WhatIsCoupledIsHandedOutAsTheStoreGaveIt) {
  EXPECT_EQ(found(asked(with_lease("r1")), coupled(with_lease("r1"))), "");
  EXPECT_EQ(found(asked(with_lease("r2")), coupled(with_lease("r1"))), "D2, D9 W1");
  EXPECT_EQ(found(asked(with_lease("r1", other_fence)), coupled(with_lease("r1"))), "A1 D9");
  const std::string none = R"("records":[],"more":false,"finished":false)";
  EXPECT_EQ(found(asked(with_lease("r1", fence, none)), coupled(with_lease("r1"))), "D9");
  EXPECT_EQ(found(asked(""), coupled(with_lease("r1"))), "D9 W1");
}

// --- supply with enqueue

const std::string supplied = R"("key":"k","value":"v")";
std::string written(const std::string& state, const std::string& visible_at) {
  return R"({"status":"ok","value":"v","first":true,"position":1,"written_at":1000000)" +
         (state.empty() ? "" : R"(,"state":")" + state + R"(","visible_at":)" + visible_at) + "}\n";
}
const std::string wanted = R"(A 1000 2000 {"op":"supply","workflow":"w",)" + supplied + R"(,"enqueue":{"delay":10},)" +
                           id + "} -> " + written("delayed", "1000010");
const std::string wrote =
    R"( 1100 1200 {"op":"supply","workflow":"w",)" + supplied + "," + id + "} -> " + written("", "");
std::string enqueue_part(const std::string& delay, const std::string& state, const std::string& op_id) {
  const std::string visible_at = std::to_string(1000000 + std::stol(delay));
  return R"( 1100 1200 {"op":"enqueue","workflow":"w","delay":)" + delay + "," + op_id +
         R"(} -> {"status":"ok","state":")" + state + R"(","visible_at":)" + visible_at + "}\n";
}
const std::string covering = enqueue_part("5000000", "delayed", cover_id),
                  as_asked = enqueue_part("10", "coalesced", enqueue_id);

TEST(JudgeComposed, WritesAreCovered) {
  EXPECT_EQ(found(wanted, "B" + covering + "B/1" + wrote + "B/2" + as_asked), "");
  EXPECT_EQ(found(wanted, "B" + wrote + "B/1" + as_asked), "W9");
  EXPECT_EQ(found(wanted, "B" + covering + "B/1" + wrote), "W9");
  EXPECT_EQ(found(wanted, "B" + covering), "W9");
  EXPECT_EQ(found(wanted, "B" + enqueue_part("10", "delayed", cover_id) + "B/1" + wrote + "B/2" + as_asked), "W9");
  EXPECT_EQ(found(wanted, "B" + covering + "B/1" + wrote + "B/2" + enqueue_part("20", "coalesced", enqueue_id)), "W9");
  EXPECT_EQ(found(wanted, "B" + covering + "B/1" + wrote + "B/2" + enqueue_part("10", "coalesced", cover_id)), "R1 W9");
}

TEST(JudgeComposed, WhatIsOneCommitIsToldAsTheStoreToldIt) {
  auto one_commit = [](const std::string& state, const std::string& visible_at) {
    return R"(B 1100 1200 {"op":"supply","workflow":"w",)" + supplied + R"(,"enqueue":{"delay":10},)" + id + "} -> " +
           written(state, visible_at);
  };
  EXPECT_EQ(found(wanted, one_commit("delayed", "1000010")), "");
  EXPECT_EQ(found(wanted, one_commit("coalesced", "1000010")), "W9");
  EXPECT_EQ(found(wanted, one_commit("delayed", "1000011")), "W9");
}

}  // namespace
}  // namespace stile::conformance::workloads

// Lawful histories are never refused, and each of them with one wrong answer always is.
//
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <set>

#include "judge/judge.hpp"
#include "lawful.hpp"

namespace stile::conformance::judge {
namespace {

Shape drawn_shape(Random& random) {
  Shape shape;
  shape.operations = 20 + static_cast<int>(random() % 180);
  shape.workflows = 1 + static_cast<int>(random() % 4);
  shape.clients = 2 + static_cast<int>(random() % 8);
  shape.lost_in_a_hundred = random() % 2 == 0 ? 0 : static_cast<int>(random() % 5);
  return shape;
}

RC_GTEST_PROP(RandomHistories, LawfulOnesAreAccepted, (std::uint64_t seed)) {
  Random random(seed);
  History history = history_from(lines_of(lawful(seed, drawn_shape(random))));
  Verdict verdict = judge(history);
  RC_LOG() << verdict_text(verdict, history);
  RC_ASSERT(verdict.accepted());
  RC_ASSERT(verdict.clock.known());
}

TEST(RandomHistories, SpoiltOnesAreRefused) {
  std::map<std::string, int> spoilt;
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    Random random(seed);
    Shape shape = drawn_shape(random);
    std::vector<Call> calls = lawful(seed, shape);
    std::optional<std::string> way = spoil(calls, random);
    if (!way) continue;
    ++spoilt[*way];
    History history = history_from(lines_of(calls));
    Verdict verdict = judge(history);
    EXPECT_FALSE(verdict.accepted()) << "seed " << seed << ", spoilt by " << *way;
    for (const Finding& finding : verdict.findings) EXPECT_NE(finding.ids, "undecided") << "seed " << seed;
  }
  EXPECT_EQ(spoilt.size(), 11u) << "a way that spoilt nothing has shown nothing";
}

/// What is drawn must reach what the judge is for.
TEST(RandomHistories, ReachEveryRefusal) {
  std::map<std::string, std::size_t> statuses, operations;
  std::size_t in_doubt = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    History history = history_from(lines_of(lawful(seed)));
    Verdict verdict = judge(history);
    for (const auto& [name, count] : verdict.counts.status) statuses[name] += count;
    for (const auto& [name, count] : verdict.counts.operation) operations[name] += count;
    in_doubt += verdict.counts.in_doubt;
  }
  EXPECT_GT(in_doubt, 0u);
  for (const char* status :
       {"ok", "fenced", "stale", "cancelled", "lapsed", "held", "conflict", "not_found", "unknown"})
    EXPECT_GT(statuses[status], 0u) << status;
  for (const char* operation :
       {"acquire",        "renew",  "release", "record",  "supply", "append", "rebase", "discard",
        "request_cancel", "load",   "enqueue", "receive", "extend", "ack",    "snooze", "nack",
        "reject",         "cancel", "get",     "put",     "erase",  "scan",   "trim"})
    EXPECT_GT(operations[operation], 0u) << operation;
}

}  // namespace
}  // namespace stile::conformance::judge

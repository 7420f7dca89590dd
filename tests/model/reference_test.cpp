// The reference store under the cell table and some random sequences, in this process: what the suite does in children.
//
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdlib>

#include "model/cell_table.hpp"
#include "model/random.hpp"
#include "runner/probe.hpp"

namespace stile::conformance::model {
namespace {

const Target& reference() {
  static const Target target = [] {
    Target out;
    const char* config = std::getenv("STILE_TEST_CONFIG");
    out.config = config ? config : "memory:?clock=manual&shards=1";
    out.run = "reference";
    Look look = look_at(out);
    if (!look.facts) throw Error(Status::internal, look.error);
    out.facts = *look.facts;
    return out;
  }();
  return target;
}

std::string first_ids(const Outcome& outcome) {
  std::string out;
  for (const std::string& id : outcome.ids) out += id + " ";
  return out;
}

TEST(ModelReference, EveryCellOfEveryState) {
  std::uint64_t played = 0;
  for (const State& state : states()) {
    Outcome outcome = play_state(state, reference());
    EXPECT_EQ(outcome.verdict, Verdict::passed) << first_ids(outcome) << "\n" << outcome.text;
    played += outcome.counted;
  }
  RecordProperty("cells", static_cast<int>(played));
  EXPECT_GT(played, 10'000u);
}

TEST(ModelReference, RandomSequences) {
  Outcome outcome = play_many(reference(), 0, 200, std::chrono::seconds{60});
  EXPECT_EQ(outcome.verdict, Verdict::passed) << first_ids(outcome) << "\n" << outcome.text;
  EXPECT_GT(outcome.counted, 10u);
}

TEST(ModelReference, ASequenceIsThatOfItsSeed) {
  EXPECT_EQ(draw(7, 60), draw(7, 60));
  EXPECT_NE(draw(7, 60), draw(8, 60));
  EXPECT_EQ(draw(7, 60).size(), 60u);
}

}  // namespace
}  // namespace stile::conformance::model

// The reference store under the cell table and some random sequences, in this process: what the suite does in children.
//
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "model/cell_table.hpp"
#include "model/random.hpp"
#include "runner/probe.hpp"
#include "runner/results.hpp"

namespace stile::conformance::model {
namespace {

Target look_at_store(std::string config) {
  Target out;
  out.config = std::move(config);
  out.run = "reference";
  Look look = look_at(out);
  if (!look.facts) throw Error(Status::internal, look.error);
  out.facts = *look.facts;
  return out;
}

const Target& reference() {
  static const Target target = [] {
    const char* config = std::getenv("STILE_TEST_CONFIG");
    return look_at_store(config ? config : "memory:?clock=manual&shards=1");
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
    if (!reachable(state, reference())) continue;
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

/// Most stores have no other clock: the model must be sure of what it says by that one as well.
TEST(ModelReference, ByARealClock) {
  const Target target = look_at_store("memory:");
  ASSERT_FALSE(target.facts.can("manual_clock"));
  const std::set<std::string> some{"lapsed",      "lapsed_delivery_put_off", "put_off_released",
                                   "delayed_due", "deferred_redelivered",    "document_expired"};
  for (const State& state : states()) {
    if (some.count(state.name) == 0) continue;
    Outcome outcome = play_state(state, target);
    EXPECT_EQ(outcome.verdict, Verdict::passed) << state.name << ": " << first_ids(outcome) << "\n" << outcome.text;
  }
  Outcome outcome = play_many(target, 0, 5, std::chrono::seconds{20});
  EXPECT_EQ(outcome.verdict, Verdict::passed) << first_ids(outcome) << "\n" << outcome.text;
}

/// No vacuous pass: the sequences meet every operation done and, where it can be, refused in every way.
TEST(ModelReference, RandomSequencesMeetEveryStatus) {
  std::map<std::string, std::uint64_t> met;
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    for (const auto& [what, count] : play(draw(seed, 60), reference()).met) met[what] += count;
  }
  for (const char* what : {"acquire ok",    "acquire held",     "renew ok",      "renew lapsed",   "renew fenced",
                           "release ok",    "release fenced",   "record ok",     "record fenced",  "supply ok",
                           "append ok",     "rebase ok",        "rebase fenced", "discard ok",     "request_cancel ok",
                           "watch ok",      "enqueue ok",       "receive ok",    "extend ok",      "extend stale",
                           "extend fenced", "extend cancelled", "ack ok",        "ack stale",      "ack cancelled",
                           "ack fenced",    "ack invalid",      "ack skipped",   "snooze ok",      "snooze stale",
                           "snooze fenced", "nack ok",          "nack stale",    "nack fenced",    "reject ok",
                           "reject stale",  "reject fenced",    "cancel ok",     "get ok",         "get not_found",
                           "put ok",        "put conflict",     "erase ok",      "erase conflict", "scan ok",
                           "list ok",       "stats ok",         "trim ok",       "supply invalid", "nack invalid",
                           "erase invalid"}) {
    EXPECT_GT(met[what], 0u) << what;
  }
  for (const auto& [what, count] : met) RecordProperty(what, static_cast<int>(count));
}

TEST(ModelReference, ASequenceIsThatOfItsSeed) {
  EXPECT_EQ(draw(7, 60), draw(7, 60));
  EXPECT_NE(draw(7, 60), draw(8, 60));
  EXPECT_EQ(draw(7, 60).size(), 60u);
}

TEST(ModelReference, OneSequenceAlone) {
  Target target = reference();
  target.sequence = 310'000'042;
  Outcome outcome = play_many(target, 5, 200, std::chrono::seconds{60});
  EXPECT_EQ(outcome.verdict, Verdict::passed) << outcome.text;
  EXPECT_EQ(outcome.counted, 1u);
}

/// What fails is printed with the command that plays just this sequence again; it comes from the child as text.
TEST(ModelReference, AFailedSequenceIsRepeatedByOneCommand) {
  Outcome failed{Verdict::failed, "differs", {"D9"}, 3, 310'000'042};
  std::optional<Outcome> arrived = outcome_from_text(to_text(failed));
  ASSERT_TRUE(arrived.has_value());
  EXPECT_EQ(arrived->sequence, 310'000'042u);
  Check check;
  check.suite = "Random";
  check.name = "1";
  Target target;
  target.config = "memory:?clock=manual";
  target.seed = 3;
  conformance::Run run;
  run.command = "stile-conformance";
  run.target = &target;
  EXPECT_EQ(repeat_command(run, {&check, *arrived, Duration{0}}),
            "stile-conformance 'memory:?clock=manual' --only Random.1 --seed 3 --sequence 310000042");
}

}  // namespace
}  // namespace stile::conformance::model

// The order of what comes before the store is looked at: arguments, prepared or not, chains, unknown kinds and bits.
//
// SPDX-License-Identifier: Apache-2.0
#include "dispatch_test.h"

#include "speak.hpp"

namespace stile::test {
namespace {

stile_limits limits() {
  stile_limits out{};
  out.struct_size = sizeof out;
  out.id_bytes = 512;
  out.value_bytes = 1000;
  out.queues = 3;
  return out;
}

class Dispatch : public ::testing::Test {
 protected:
  std::uint32_t run(std::vector<stile_op*> ops) { return run_in_c(&script, &bounds, ops.data(), ops.size()); }

  scripted script{INT64_C(1700000000000000), 1, 0, 0};
  stile_limits bounds = limits();
};

TEST_F(Dispatch, does_one_after_the_other_and_leaves_what_is_not_done_unsupported) {
  auto a = enqueue("w"), b = enqueue("w");
  auto c = load("w");
  auto d = get("k");
  EXPECT_EQ(run({&a.op(), &b.op(), &c.op(), &d.op()}), STILE_SESSION_KEEP);
  EXPECT_EQ(a.status(), STILE_OK);
  EXPECT_EQ(string(c.r().records->key), "key");
  EXPECT_EQ(c.r().records->struct_size, sizeof(stile_record));
  EXPECT_EQ(d.status(), STILE_UNSUPPORTED);
  EXPECT_FALSE(d.error().empty());
  EXPECT_EQ(script.done, 4);
}

TEST_F(Dispatch, chains_end_at_the_first_that_is_not_ok) {
  auto a = cancel("w");
  auto b = enqueue("w"), c = enqueue("w"), d = enqueue("w");
  b.op().must = c.op().must = STILE_MUST_AFTER_OK;
  run({&a.op(), &b.op(), &c.op(), &d.op()});
  EXPECT_EQ(a.status(), STILE_NOT_FOUND);
  EXPECT_EQ(b.status(), STILE_SKIPPED);
  EXPECT_EQ(c.status(), STILE_SKIPPED);
  EXPECT_EQ(d.status(), STILE_OK);
}

TEST_F(Dispatch, invalid_comes_before_skipped_and_unprepared_before_skipped) {
  auto a = cancel("w");
  auto b = enqueue("");
  b.op().must = STILE_MUST_AFTER_OK;
  run({&a.op(), &b.op()});
  EXPECT_EQ(b.status(), STILE_INVALID);
  script.prepared = 0;
  auto first = enqueue("w"), chained = enqueue("w"), alone = enqueue("w"), empty = enqueue("");
  chained.op().must = alone.op().must = STILE_MUST_AFTER_OK;
  run({&first.op(), &chained.op()});
  EXPECT_EQ(first.status(), STILE_UNPREPARED);
  EXPECT_EQ(chained.status(), STILE_UNPREPARED);
  run({&alone.op()});
  EXPECT_EQ(alone.status(), STILE_INVALID);
  run({&empty.op()});
  EXPECT_EQ(empty.status(), STILE_INVALID);
  EXPECT_EQ(script.done, 1);
}

TEST_F(Dispatch, prepare_is_done_while_unprepared) {
  script.prepared = 0;
  Prepare prepare(STILE_OP_PREPARE);
  run({&prepare.op()});
  EXPECT_EQ(script.done, 1);
}

TEST_F(Dispatch, unknown_kinds_and_bits_are_unsupported_and_not_done) {
  auto bit = enqueue("w"), chained = enqueue("w");
  bit.op().must = 1u << 31;
  chained.op().must = STILE_MUST_AFTER_OK;
  stile_op kind{}, zero{};
  kind.kind = STILE_OP_COUNT + 1;
  run({&bit.op(), &chained.op(), &kind, &zero});
  EXPECT_EQ(bit.status(), STILE_UNSUPPORTED);
  EXPECT_EQ(chained.status(), STILE_SKIPPED);
  EXPECT_EQ(kind.status, STILE_UNSUPPORTED);
  EXPECT_EQ(zero.status, STILE_UNSUPPORTED);
  EXPECT_EQ(script.done, 0);
}

TEST_F(Dispatch, after_a_broken_connection_nothing_more_is_sent) {
  script.break_at = 2;
  auto a = enqueue("w"), b = enqueue("w"), c = enqueue("w"), d = enqueue("");
  EXPECT_EQ(run({&a.op(), &b.op(), &c.op(), &d.op()}), STILE_SESSION_DROP);
  EXPECT_EQ(a.status(), STILE_OK);
  EXPECT_EQ(b.status(), STILE_UNKNOWN);
  EXPECT_EQ(c.status(), STILE_UNAVAILABLE);
  EXPECT_EQ(d.status(), STILE_INVALID);
  EXPECT_EQ(script.done, 2);
}

TEST_F(Dispatch, what_waits_is_alone_and_so_is_a_callback) {
  auto a = enqueue("w");
  auto b = receive();
  b.q().wait = 1;
  Watch c(STILE_OP_WATCH);
  c.q().wait = 1;
  stile_effect effect{};
  effect.form = STILE_EFFECT_CALLBACK;
  effect.run = [](void*, const stile_tx*, stile_bytes*, stile_text*) { return std::int32_t{STILE_OK}; };
  Transact d(STILE_OP_TRANSACT);
  d.q().workflow = bytes("w");
  d.q().key = bytes("k");
  d.q().effect = &effect;
  run({&a.op(), &b.op(), &c.op(), &d.op()});
  EXPECT_EQ(b.status(), STILE_INVALID);
  EXPECT_EQ(c.status(), STILE_INVALID);
  EXPECT_EQ(d.status(), STILE_INVALID);
  b.reset();
  run({&b.op()});
  EXPECT_EQ(b.status(), STILE_UNSUPPORTED);
}

TEST_F(Dispatch, out_of_arena_is_unknown) {
  auto a = load("w"), b = load("w");
  a.arena().fail_after = 0;
  b.arena().fail_after = 1;
  run({&a.op(), &b.op()});
  EXPECT_EQ(a.status(), STILE_UNKNOWN);
  EXPECT_EQ(b.status(), STILE_UNKNOWN);
}

TEST(Author, remaining_is_what_is_left_of_the_deadline) {
  EXPECT_EQ(remaining_in_c(STILE_NEVER), STILE_NEVER);
  EXPECT_EQ(remaining_in_c(-5), 0);
  EXPECT_GT(remaining_in_c(60000000), 50000000);
  EXPECT_LE(remaining_in_c(60000000), 60000000);
}

TEST(Author, refuse_cuts_between_characters_and_says_the_full_length) {
  char buffer[8] = "#######";
  EXPECT_EQ(refuse_in_c(buffer, 3, "ab\xc3\xa4z"), 5u);
  EXPECT_EQ(std::string(buffer, 4), "ab##");
  EXPECT_EQ(refuse_in_c(buffer, 4, "ab\xc3\xa4z"), 5u);
  EXPECT_EQ(std::string(buffer, 5), "ab\xc3\xa4#");
  EXPECT_EQ(refuse_in_c(nullptr, 0, "text"), 4u);
}

}  // namespace
}  // namespace stile::test

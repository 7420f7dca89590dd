// Records, the inbox, rebase, discard, watch through the memory plugin (contract B, I, R1).
//
// SPDX-License-Identifier: Apache-2.0
#include "speak.hpp"

namespace stile::test {
namespace {

class Records : public OnMemory {
 protected:
  stile_fence fence = run(acquire("w", 1h)).r().fence;
};

TEST_F(Records, B1_B2_the_first_write_wins_and_the_loser_gets_its_bytes) {
  const auto first = run(record("w", fence, "k", "one"));
  EXPECT_EQ(first.r().first, 1u);
  EXPECT_EQ(first.r().position, 1);
  pass(1s);
  const auto second = run(record("w", fence, "k", "two"));
  EXPECT_EQ(second.r().first, 0u);
  EXPECT_EQ(string(second.r().value), "one");
  EXPECT_EQ(second.r().position, 1);
  EXPECT_EQ(second.r().written_at, first.r().written_at);
  EXPECT_EQ(run(record("w", fence, "k", "one")).r().first, 1u);
}

TEST_F(Records, B3_positions_rise_by_one_over_all_writers) {
  run(record("w", fence, "a", "1"));
  run(supply("w", "b", "2"));
  run(record("w", fence, "a", "loses"));
  run(append("w", "3"));
  run(record("w", stile_fence{}, "c", "refused"));
  run(record("w", fence, "c", "4"));
  const auto loaded = run(load("w"));
  const auto all = records(loaded.r().records);
  ASSERT_EQ(all.size(), 4u);
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i].position, static_cast<std::int64_t>(i + 1));
  EXPECT_EQ(all[2].key, "inbox:00000000000000000003");
  EXPECT_EQ(loaded.r().fence_number, fence.number);
}

TEST_F(Records, B5_bytes_out_are_bytes_in) {
  std::string every;
  for (int i = 0; i < 256; ++i) every += static_cast<char>(i);
  run(record("w", fence, every, every));
  run(record("w", fence, "empty", ""));
  const auto all = records(run(load("w")).r().records);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].key, every);
  EXPECT_EQ(all[0].value, every);
  EXPECT_EQ(all[1].value, "");
}

TEST_F(Records, B6_pages_without_gap_and_more_is_exact) {
  for (int i = 0; i < 7; ++i) run(record("w", fence, "k" + std::to_string(i), "v"));
  std::int64_t after = 0;
  std::vector<std::string> seen;
  for (int page = 0; page < 4; ++page) {
    const auto loaded = run(load("w", after, 2));
    for (const auto& got : records(loaded.r().records)) {
      seen.push_back(got.key);
      after = got.position;
    }
    EXPECT_EQ(loaded.r().more, page < 3 ? 1u : 0u);
  }
  EXPECT_EQ(seen, (std::vector<std::string>{"k0", "k1", "k2", "k3", "k4", "k5", "k6"}));
  auto tiny = load("w");
  tiny.q().max_bytes = 1;
  EXPECT_EQ(records(run(std::move(tiny)).r().records).size(), 1u);  // at least one
  auto one = load("w");
  one.q().has_key = 1;
  one.q().key = one.keep("k5");
  EXPECT_EQ(records(run(std::move(one)).r().records)[0].position, 6);
  EXPECT_EQ(run(load("nobody")).status(), STILE_OK);
  EXPECT_FALSE(row("nobody"));
}

TEST_F(Records, B11_rebase_keeps_the_inbox_above_and_positions_rise) {
  run(record("w", fence, "a", "1"));
  const auto m1 = run(append("w", "m1", "id1"));
  const auto m2 = run(append("w", "m2", "id2"));
  run(record("w", fence, "b", "2"));
  const stile_id op = fresh_id();
  const auto done = run(rebase("w", fence, string(m1.r().key), "base", "packed"), op);
  EXPECT_EQ(done.r().removed, 3u);
  EXPECT_EQ(done.r().position, 5);
  const auto again = run(rebase("w", fence, string(m1.r().key), "base", "packed"), op);
  EXPECT_EQ(again.status(), STILE_OK);
  EXPECT_EQ(again.r().position, 5);
  const auto all = records(run(load("w")).r().records);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].key, string(m2.r().key));
  EXPECT_EQ(all[1].key, "base");
  const auto duplicate = run(append("w", "m1", "id1"));
  EXPECT_EQ(duplicate.r().duplicate, 1u);
  EXPECT_EQ(string(duplicate.r().key), string(m1.r().key));
}

TEST_F(Records, B14_watch_names_what_has_more) {
  run(record("w", fence, "a", "1"));
  const stile_watched two[] = {{bytes("w"), 1}, {bytes("w"), 0}};
  Watch look(STILE_OP_WATCH);
  look.q().watched = two;
  look.q().n_watched = 2;
  const auto seen = run(std::move(look));
  ASSERT_EQ(seen.r().n_changed, 1u);
  EXPECT_EQ(seen.r().changed[0], 1u);
}

TEST_F(Records, I3_message_ids_and_op_ids) {
  const stile_id op = fresh_id();
  const auto first = run(append("w", "x"), op);
  const auto again = run(append("w", "x"), op);
  EXPECT_EQ(again.r().duplicate, 0u);
  EXPECT_EQ(string(again.r().key), string(first.r().key));
  const stile_id named = fresh_id();
  const auto one = run(append("w", "y", "m"), named);
  EXPECT_EQ(run(append("w", "z", "m")).r().duplicate, 1u);
  EXPECT_EQ(run(append("w", "y", "m"), named).r().duplicate, 0u);
  // A message_id of the very bytes of an op_id is another name.
  const std::string_view op_bytes(reinterpret_cast<const char*>(op.bytes), 16);
  EXPECT_EQ(run(append("w", "q", op_bytes)).r().duplicate, 0u);
  EXPECT_EQ(records(run(load("w")).r().records).size(), 3u);
}

TEST_F(Records, R1_a_record_sent_again_answers_as_the_first_also_when_fenced_since) {
  const stile_id op = fresh_id();
  run(record("w", fence, "k", "v"), op);
  run(release("w", fence));
  run(acquire("w"));
  const auto again = run(record("w", fence, "k", "v"), op);
  EXPECT_EQ(again.status(), STILE_OK);
  EXPECT_EQ(again.r().first, 1u);
  EXPECT_EQ(run(record("w", fence, "k", "v")).status(), STILE_FENCED);
  EXPECT_EQ(run(supply("w", "k", "v"), op).status(), STILE_INVALID);  // the same name for another operation
}

TEST_F(Records, W9_supply_with_enqueue_is_one_commit_and_is_not_done_twice) {
  const stile_id op = fresh_id();
  const auto first = run(with_enqueue(supply("s", "k", "v")), op);
  EXPECT_EQ(first.r().state, STILE_STATE_READY);
  const auto got = take();
  run(ack(got.receipt));
  const auto again = run(with_enqueue(supply("s", "k", "v")), op);
  EXPECT_EQ(again.r().state, STILE_STATE_READY);
  EXPECT_EQ(row("s")->state, STILE_STATE_IDLE);
  // Also when the write lost.
  const stile_id losing = fresh_id();
  EXPECT_EQ(run(with_enqueue(supply("s", "k", "other")), losing).r().state, STILE_STATE_READY);
  run(ack(take().receipt));
  run(with_enqueue(supply("s", "k", "other")), losing);
  EXPECT_EQ(row("s")->state, STILE_STATE_IDLE);
}

TEST_F(Records, C8_request_cancel_is_reported_and_only_discard_clears_it) {
  run(request_cancel("c"));
  EXPECT_EQ(run(acquire("c")).r().cancel_requested, 1u);
  EXPECT_EQ(run(load("c")).r().cancel_requested, 1u);
  run(discard("c"));
  EXPECT_EQ(run(load("c")).r().cancel_requested, 0u);
}

TEST_F(Records, discard_sent_again_undoes_nothing_newer) {
  run(record("w", fence, "k", "v"));
  const stile_id op = fresh_id();
  EXPECT_EQ(run(discard("w"), op).r().removed, 1u);
  run(supply("w", "new", "v"));
  EXPECT_EQ(run(discard("w"), op).r().removed, 1u);
  EXPECT_EQ(records(run(load("w")).r().records).size(), 1u);
  EXPECT_EQ(run(discard("nobody")).status(), STILE_OK);
  EXPECT_FALSE(row("nobody"));
}

TEST_F(Records, many_records_are_found_by_key_and_go_in_one_step) {
  for (int i = 0; i < 500; ++i) run(record("w", fence, "k" + std::to_string(i), std::to_string(i)));
  EXPECT_EQ(string(run(record("w", fence, "k499", "?")).r().value), "499");
  EXPECT_EQ(run(stats()).r().records, 500u);
  EXPECT_EQ(run(discard("w")).r().removed, 500u);
  EXPECT_EQ(run(stats()).r().records, 0u);
  EXPECT_EQ(records(run(load("w")).r().records).size(), 0u);
  const auto before = run(stats()).r().stored_bytes;
  while (run(trim()).r().more) {
  }
  EXPECT_LT(run(stats()).r().stored_bytes, before);
}

}  // namespace
}  // namespace stile::test

// Leases and fences through the memory plugin (contract A).
//
// SPDX-License-Identifier: Apache-2.0
#include "speak.hpp"

namespace stile::test {
namespace {

class Lease : public OnMemory {};

TEST_F(Lease, A1_numbers_rise_and_the_stamp_is_the_op_id) {
  const stile_id op = fresh_id();
  const auto first = run(acquire("w"), op);
  EXPECT_EQ(first.r().fence.number, 1u);
  EXPECT_TRUE(same(first.r().fence.stamp, op));
  run(release("w", first.r().fence));
  EXPECT_GT(run(acquire("w")).r().fence.number, first.r().fence.number);
}

TEST_F(Lease, A1_without_op_id_the_plugin_makes_a_stamp) {
  const auto made = run(acquire("w"), std::nullopt);
  EXPECT_FALSE(same(made.r().fence.stamp, stile_id{}));
  EXPECT_EQ(run(record("w", made.r().fence, "k", "v")).status(), STILE_OK);
}

TEST_F(Lease, A1_numbers_and_positions_go_on_above_the_floor_after_discard_and_trim) {
  auto fence = run(acquire("w")).r().fence;
  for (int i = 0; i < 5; ++i) run(record("w", fence, "k" + std::to_string(i), "v"));
  run(discard("w"));
  pass(11min);
  run(trim());
  const auto again = run(acquire("w"));
  EXPECT_GT(again.r().fence.number, 5u);
  EXPECT_GT(run(record("w", again.r().fence, "k", "v")).r().position, 5);
}

TEST_F(Lease, A2_held_until_it_lapses) {
  const auto first = run(acquire("w", 10s));
  const auto second = run(acquire("w"));
  EXPECT_EQ(second.status(), STILE_HELD);
  EXPECT_EQ(second.r().live_until, first.r().live_until);
  pass(10s - 1us);
  EXPECT_EQ(run(acquire("w")).status(), STILE_HELD);
  pass(1us);
  EXPECT_EQ(run(acquire("w")).status(), STILE_OK);
}

TEST_F(Lease, A3_ends_at_the_earlier_of_ttl_and_budget) {
  const auto start = now();
  EXPECT_EQ(run(acquire("w", 10s, 3s)).r().live_until, start + 3000000);
}

TEST_F(Lease, A4_any_other_pair_is_fenced_and_changes_nothing) {
  const auto fence = run(acquire("w")).r().fence;
  auto lower = fence, higher = fence, stamped = fence;
  --lower.number;
  higher.number += 5;
  stamped.stamp = fresh_id();
  for (const auto& wrong : {lower, higher, stamped, stile_fence{}}) {
    EXPECT_EQ(run(record("w", wrong, "k", "v")).status(), STILE_FENCED);
    EXPECT_EQ(run(rebase("w", wrong, "", "k", "v")).status(), STILE_FENCED);
    EXPECT_EQ(run(renew("w", wrong)).status(), STILE_FENCED);
    EXPECT_EQ(run(release("w", wrong)).status(), STILE_FENCED);
  }
  EXPECT_EQ(run(record("unknown", fence, "k", "v")).status(), STILE_FENCED);
  EXPECT_FALSE(row("unknown"));
  EXPECT_EQ(records(run(load("w")).r().records).size(), 0u);
}

TEST_F(Lease, A5_writes_land_after_the_lapse_and_do_not_take_it_back) {
  const auto fence = run(acquire("w", 1s)).r().fence;
  pass(2s);
  EXPECT_EQ(run(record("w", fence, "k", "v")).status(), STILE_OK);
  EXPECT_EQ(run(acquire("w")).status(), STILE_OK);
  EXPECT_EQ(run(record("w", fence, "k2", "v")).status(), STILE_FENCED);
}

TEST_F(Lease, A6_an_accepted_write_is_a_sign_of_life_within_the_budget) {
  const auto start = now();
  const auto fence = run(acquire("w", 10s, 15s)).r().fence;
  pass(4s);
  const stile_id op = fresh_id();
  run(record("w", fence, "k", "v"), op);
  EXPECT_EQ(row("w")->live_until, start + 14000000);
  pass(2s);
  run(record("w", fence, "k", "v"), op);  // a replay is none
  EXPECT_EQ(row("w")->live_until, start + 14000000);
  run(record("w", fence, "k", "other"));  // a loser is accepted
  EXPECT_EQ(row("w")->live_until, start + 15000000);
}

TEST_F(Lease, A7_renew_never_shortens_revives_and_buys_budget) {
  const auto start = now();
  const auto fence = run(acquire("w", 10s, 20s)).r().fence;
  EXPECT_EQ(run(renew("w", fence, 1s)).r().live_until, start + 10000000);
  pass(12s);
  EXPECT_EQ(run(renew("w", fence, 5s)).r().live_until, start + 17000000);
  pass(8s);
  EXPECT_EQ(run(renew("w", fence, 5s)).status(), STILE_LAPSED);
  const auto bought = run(renew("w", fence, 5s, 1min));
  EXPECT_EQ(bought.r().live_until, start + 25000000);
  EXPECT_EQ(bought.r().budget_until, start + 80000000);
  EXPECT_EQ(run(acquire("w")).status(), STILE_HELD);
}

TEST_F(Lease, A8_release_frees_and_keeps_the_fence) {
  const auto fence = run(acquire("w")).r().fence;
  EXPECT_EQ(run(release("w", fence)).status(), STILE_OK);
  EXPECT_EQ(run(release("w", fence)).status(), STILE_OK);
  EXPECT_EQ(run(record("w", fence, "k", "v")).status(), STILE_OK);
  EXPECT_EQ(run(renew("w", fence)).status(), STILE_LAPSED);
  const auto next = run(acquire("w"));
  ASSERT_EQ(next.status(), STILE_OK);
  EXPECT_EQ(run(release("w", fence)).status(), STILE_FENCED);
  EXPECT_EQ(run(acquire("w")).status(), STILE_HELD);
}

TEST_F(Lease, A9_acquire_sent_again_answers_the_grant) {
  const stile_id op = fresh_id();
  const auto first = run(acquire("w", 10s), op);
  const auto second = run(acquire("w", 10s), op);
  EXPECT_EQ(second.status(), STILE_OK);
  EXPECT_TRUE(same(first.r().fence, second.r().fence));
  pass(11s);
  EXPECT_GT(run(acquire("w", 10s), op).r().fence.number, first.r().fence.number);
}

TEST_F(Lease, A10_discard_fences_the_holder_and_keeps_the_wakeup) {
  run(enqueue("w"));
  const auto pass1 = begin();
  run(record("w", pass1.fence, "k", "v"));
  EXPECT_EQ(run(discard("w")).r().removed, 1u);
  EXPECT_EQ(run(record("w", pass1.fence, "k2", "v")).status(), STILE_FENCED);
  EXPECT_EQ(run(load("w")).r().fence_number, 0u);
  EXPECT_EQ(run(acquire("w")).status(), STILE_OK);
  EXPECT_EQ(row("w")->state, STILE_STATE_IN_FLIGHT);
  EXPECT_EQ(run(extend(pass1.receipt, 1min)).status(), STILE_OK);
}

TEST_F(Lease, A13_force_takes_the_lease_and_the_delivery) {
  run(enqueue("w"));
  const auto held = begin();
  auto force = acquire("w", 5s);
  force.q().force = 1;
  const auto taken = run(std::move(force));
  ASSERT_EQ(taken.status(), STILE_OK);
  EXPECT_EQ(run(record("w", held.fence, "k", "v")).status(), STILE_FENCED);
  EXPECT_EQ(run(ack(held.receipt)).status(), STILE_STALE);
  EXPECT_EQ(row("w")->state, STILE_STATE_READY);
  EXPECT_EQ(row("w")->count, 1u);
  EXPECT_EQ(take().count, 2u);
}

TEST_F(Lease, A14_the_clock_stands_still) {
  const auto before = now();
  EXPECT_EQ(now(), before);
  pass(72h);
  EXPECT_EQ(now(), before + microseconds(72h).count());
  EXPECT_EQ(run(advance(-1us)).status(), STILE_INVALID);
}

}  // namespace
}  // namespace stile::test

// Deliveries, receipts, wakeups, cancel through the memory plugin (contract C, D, W).
//
// SPDX-License-Identifier: Apache-2.0
#include "speak.hpp"

namespace stile::test {
namespace {

class Deliveries : public OnMemory {};

TEST_F(Deliveries, D1_D5_delivered_once_then_again_after_the_lapse) {
  run(enqueue("w"));
  const auto first = take(10s);
  EXPECT_EQ(first.count, 1u);
  EXPECT_EQ(first.visible_at, now() + 10000000);
  EXPECT_TRUE(deliveries(run(receive())).empty());
  pass(10s);
  const auto second = take();
  EXPECT_EQ(second.count, 2u);
  EXPECT_NE(second.receipt, first.receipt);
  EXPECT_EQ(run(ack(first.receipt)).status(), STILE_STALE);
  EXPECT_EQ(run(ack(second.receipt)).status(), STILE_OK);
  EXPECT_EQ(run(ack(second.receipt)).status(), STILE_STALE);
}

TEST_F(Deliveries, D2_no_other_text_is_a_receipt) {
  run(enqueue("w"));
  const auto got = take();
  std::vector<std::string> wrong = {"", "x", "=", std::string(1024, 'A'), std::string(5000, 'A'), got.receipt + "A"};
  for (std::size_t i = 0; i < got.receipt.size(); ++i) {
    auto changed = got.receipt;
    changed[i] = changed[i] == 'A' ? 'B' : 'A';
    wrong.push_back(changed);
    wrong.push_back(got.receipt.substr(0, i));
  }
  for (const auto& receipt : wrong) {
    EXPECT_EQ(run(ack(receipt)).status(), STILE_STALE) << receipt;
    EXPECT_EQ(run(extend(receipt, 1s)).status(), STILE_STALE) << receipt;
  }
  EXPECT_EQ(run(nack(got.receipt)).status(), STILE_OK);
}

TEST_F(Deliveries, D2_receipts_of_the_longest_id_fit) {
  const std::string id(512, '\xff');
  run(enqueue(id));
  const auto got = take();
  EXPECT_LE(got.receipt.size(), 1024u);
  EXPECT_EQ(run(ack(got.receipt)).status(), STILE_OK);
}

TEST_F(Deliveries, D3_extend_never_shortens_and_renews_both_or_neither) {
  run(enqueue("w"));
  const auto got = begin(10s, 10s);
  const auto until = run(extend(got.receipt, 1s)).r().visible_at;
  EXPECT_EQ(until, got.visible_at);
  auto both = extend(got.receipt, 20s);
  both.q().has_fence = 1;
  both.q().fence = got.fence;
  both.q().ttl = microseconds(15s).count();
  const auto renewed = run(std::move(both));
  EXPECT_EQ(renewed.r().visible_at, now() + 20000000);
  EXPECT_EQ(renewed.r().live_until, now() + 15000000);
  auto other = extend(got.receipt, 1h);
  other.q().has_fence = 1;
  other.q().fence = {got.fence.number, fresh_id()};
  other.q().ttl = 1;
  EXPECT_EQ(run(std::move(other)).status(), STILE_FENCED);
  EXPECT_EQ(row("w")->due_at, now() + 20000000);
}

TEST_F(Deliveries, D6_an_answer_sent_again_answers_as_the_first) {
  run(enqueue("w"));
  const auto got = take();
  const stile_id op = fresh_id();
  const auto first = run(nack(got.receipt, 5s, "why"), op);
  EXPECT_EQ(first.r().delivery_count, 1u);
  pass(5s);
  const auto second = take();
  EXPECT_EQ(second.count, 2u);
  EXPECT_EQ(second.last_error, "why");
  const auto again = run(nack(got.receipt, 5s, "why"), op);
  EXPECT_EQ(again.status(), STILE_OK);
  EXPECT_EQ(again.r().visible_at, first.r().visible_at);
  EXPECT_EQ(row("w")->state, STILE_STATE_IN_FLIGHT);
  EXPECT_EQ(run(ack(got.receipt), op).status(), STILE_INVALID);
}

TEST_F(Deliveries, D7_reject_is_dead_until_revived) {
  run(enqueue("w"));
  EXPECT_EQ(run(reject(take().receipt, "poison")).r().state, STILE_STATE_DEAD);
  EXPECT_EQ(row("w")->state, STILE_STATE_DEAD);
  EXPECT_EQ(row("w")->error, "poison");
  EXPECT_EQ(run(enqueue("w")).r().state, STILE_STATE_DEAD);
  const auto supplied = run(with_enqueue(supply("w", "k", "v")));
  EXPECT_EQ(supplied.r().state, STILE_STATE_DEAD);
  EXPECT_EQ(supplied.r().visible_at, 0);
  EXPECT_EQ(run(enqueue("w", 0s, {}, true)).r().state, STILE_STATE_READY);
  const auto got = take();
  EXPECT_EQ(got.count, 1u);
  EXPECT_EQ(got.last_error, "poison");
}

TEST_F(Deliveries, D8_an_answer_with_another_fence_changes_nothing) {
  run(enqueue("w"));
  const auto got = begin();
  const stile_fence other{got.fence.number, fresh_id()};
  EXPECT_EQ(run(ack(got.receipt, true, &other)).status(), STILE_FENCED);
  EXPECT_EQ(run(ack(got.receipt, true)).status(), STILE_INVALID);  // granted before: finished needs the fence
  EXPECT_EQ(run(ack("nonsense", true)).status(), STILE_STALE);
  EXPECT_EQ(run(ack(got.receipt, false, nullptr, true)).status(), STILE_INVALID);
  EXPECT_EQ(row("w")->state, STILE_STATE_IN_FLIGHT);
  EXPECT_EQ(run(ack(got.receipt, true, &got.fence, true)).status(), STILE_OK);
  EXPECT_EQ(row("w")->state, STILE_STATE_FINISHED);
  EXPECT_EQ(row("w")->live_until, 0);
}

TEST_F(Deliveries, D9_a_held_wakeup_is_put_off_until_release_and_keeps_its_place) {
  run(enqueue("first"));
  pass(1s);
  run(enqueue("second"));
  const auto held = run(acquire("first", 1min));
  const auto got = deliveries(run(receive_pass(1)));
  ASSERT_EQ(got.size(), 1u);
  EXPECT_EQ(got[0].workflow, "second");
  EXPECT_EQ(row("first")->state, STILE_STATE_DELAYED);
  EXPECT_EQ(row("first")->due_at, held.r().live_until);
  EXPECT_EQ(run(enqueue("first")).r().state, STILE_STATE_COALESCED);
  EXPECT_EQ(row("first")->state, STILE_STATE_DELAYED);
  run(renew("first", held.r().fence, 2min));
  EXPECT_EQ(row("first")->due_at, now() + 120000000);
  run(release("first", held.r().fence));
  const auto released = begin();
  EXPECT_EQ(released.workflow, "first");
  EXPECT_EQ(released.count, 1u);
}

TEST_F(Deliveries, D9_a_lapsed_delivery_of_a_held_workflow_stays_in_flight) {
  run(enqueue("w"));
  const auto got = begin(5s, 1min);
  pass(5s);
  EXPECT_TRUE(deliveries(run(receive_pass())).empty());
  EXPECT_EQ(row("w")->state, STILE_STATE_IN_FLIGHT);
  EXPECT_EQ(row("w")->due_at, now() + 55000000);
  EXPECT_EQ(run(extend(got.receipt, 1s)).status(), STILE_OK);
  pass(55s);
  EXPECT_EQ(begin().count, 2u);
}

TEST_F(Deliveries, D9_at_most_a_hundred_are_put_off_in_one_call) {
  for (int i = 0; i < 250; ++i) {
    run(acquire("held" + std::to_string(i), 1h));
    run(enqueue("held" + std::to_string(i)));
  }
  int calls = 0;
  for (;;) {
    const auto got = run(receive_pass());
    EXPECT_TRUE(deliveries(got).empty());
    ++calls;
    if (!got.r().more) break;
  }
  EXPECT_GE(calls, 3);
  EXPECT_EQ(run(stats()).r().delayed, 250u);
}

TEST_F(Deliveries, D10_receive_gives_at_most_max_and_says_more) {
  for (int i = 0; i < 5; ++i) run(enqueue("w" + std::to_string(i)));
  const auto first = run(receive(3));
  EXPECT_EQ(deliveries(first).size(), 3u);
  EXPECT_EQ(first.r().more, 1u);
  const auto second = run(receive(2));
  EXPECT_EQ(deliveries(second).size(), 2u);
  EXPECT_EQ(second.r().more, 0u);
}

TEST_F(Deliveries, R1_receive_again_answers_what_is_still_current) {
  for (int i = 0; i < 4; ++i) run(enqueue("w" + std::to_string(i)));
  const stile_id op = fresh_id();
  const auto first = deliveries(run(receive_pass(3), op));
  ASSERT_EQ(first.size(), 3u);
  run(ack(first[0].receipt));
  auto again = receive_pass(1);
  again.op().must = STILE_MUST_AGAIN;
  const auto second = deliveries(run(std::move(again), op));
  ASSERT_EQ(second.size(), 2u);
  for (const auto& got : second) {
    EXPECT_NE(got.workflow, first[0].workflow);
    EXPECT_NE(got.fence.number, 0u);
    EXPECT_EQ(run(ack(got.receipt)).status(), STILE_OK);
  }
  auto none_left = receive_pass(5);
  none_left.op().must = STILE_MUST_AGAIN;
  EXPECT_EQ(deliveries(run(std::move(none_left), op)).size(), 1u);
}

TEST_F(Deliveries, W2_times_merge_to_the_earliest) {
  EXPECT_EQ(run(enqueue("w", 10s)).r().state, STILE_STATE_DELAYED);
  const auto second = run(enqueue("w", 20s));
  EXPECT_EQ(second.r().state, STILE_STATE_COALESCED);
  EXPECT_EQ(second.r().visible_at, now() + 10000000);
  EXPECT_EQ(run(enqueue("w", 5s)).r().visible_at, now() + 5000000);
  pass(5s - 1us);
  EXPECT_TRUE(deliveries(run(receive())).empty());
  pass(1us);
  take();
}

TEST_F(Deliveries, W3_an_enqueue_in_flight_is_kept_for_whichever_answer) {
  run(enqueue("w"));
  auto got = take();
  EXPECT_EQ(run(enqueue("w", 7s)).r().state, STILE_STATE_DEFERRED);
  EXPECT_EQ(run(ack(got.receipt)).r().requeued, 1u);
  EXPECT_EQ(row("w")->due_at, now() + 7000000);
  pass(7s);
  got = take();
  run(enqueue("w", 1s));
  EXPECT_EQ(run(snooze(got.receipt, 1h)).r().visible_at, now() + 1000000);
  pass(1s);
  got = take();
  run(enqueue("w"));
  EXPECT_EQ(run(reject(got.receipt, "e")).r().state, STILE_STATE_REQUEUED);
  got = take();
  EXPECT_EQ(got.count, 1u);
  EXPECT_EQ(got.last_error, "e");
  run(enqueue("w"));
  pass(1min);  // it lapses instead: one redelivery answers for both
  got = take();
  EXPECT_EQ(run(ack(got.receipt)).r().requeued, 0u);
}

TEST_F(Deliveries, W7_earliest_due_first) {
  OnMemory::session.run(std::vector<stile_op*>{});
  Store one(Plugin::named("memory"), {}, {}, {{"clock", "manual"}, {"shards", "1"}});
  Session on(one);
  for (const auto* id : {"c", "a", "b"}) {
    auto op = enqueue(id, id[0] == 'c' ? 3s : id[0] == 'a' ? 1s : 2s);
    on.run(op);
  }
  auto later = advance(5s);
  on.run(later);
  auto got = receive(3);
  on.run(got);
  const auto order = deliveries(got);
  ASSERT_EQ(order.size(), 3u);
  EXPECT_EQ(order[0].workflow + order[1].workflow + order[2].workflow, "abc");
}

TEST_F(Deliveries, W8_times_up_to_the_year_9999) {
  auto far = enqueue("w");
  const_cast<stile_enqueue*>(far.q().enqueue)->is_instant = 1;
  const_cast<stile_enqueue*>(far.q().enqueue)->when = INT64_C(253402300799999999);
  EXPECT_EQ(run(std::move(far)).r().visible_at, INT64_C(253402300799999999));
  EXPECT_EQ(run(enqueue("x", 24h * 25)).status(), STILE_OK);
  EXPECT_EQ(run(enqueue("y", microseconds(INT64_MAX))).status(), STILE_INVALID);
  EXPECT_EQ(run(enqueue("y", microseconds(INT64_C(253402300799999999) - now()))).status(), STILE_OK);
  EXPECT_EQ(run(enqueue("z", microseconds(INT64_C(253402300799999999) - now() + 1))).status(), STILE_INVALID);
  auto past = enqueue("p");
  const_cast<stile_enqueue*>(past.q().enqueue)->is_instant = 1;
  const_cast<stile_enqueue*>(past.q().enqueue)->when = 1;
  EXPECT_EQ(run(std::move(past)).r().visible_at, now());
}

TEST_F(Deliveries, W10_queues) {
  run(enqueue("low", 0s, "low"));
  pass(1s);
  run(enqueue("high", 0s, "high"));
  EXPECT_TRUE(deliveries(run(receive())).empty());
  auto got = deliveries(run(receive(1, 30s, {"high", "low"})));
  ASSERT_EQ(got.size(), 1u);
  EXPECT_EQ(got[0].workflow, "high");
  EXPECT_EQ(got[0].queue, "high");
  // Named in flight it takes effect with the answer; it stays over ack; it is forgotten by discard with cancel.
  run(enqueue("high", 0s, "low"));
  EXPECT_EQ(row("high")->queue, "high");
  run(ack(got[0].receipt));
  EXPECT_EQ(row("high")->queue, "low");
  run(cancel("high"));
  EXPECT_EQ(run(enqueue("high")).r().state, STILE_STATE_READY);
  EXPECT_EQ(row("high")->queue, "low");
  run(discard("high", true));
  run(enqueue("high"));
  EXPECT_EQ(row("high")->queue, "");
}

TEST_F(Deliveries, C1_C2_cancel_removes_the_wakeup_and_its_receipt_says_so) {
  run(enqueue("w"));
  const auto got = take();
  const auto cancelled = run(cancel("w"));
  EXPECT_EQ(cancelled.r().removed, 1u);
  EXPECT_EQ(run(ack(got.receipt)).status(), STILE_CANCELLED);
  EXPECT_EQ(run(extend(got.receipt, 1s)).status(), STILE_CANCELLED);
  EXPECT_EQ(run(cancel("w")).r().removed, 0u);
  EXPECT_FALSE(row("w"));
  pass(10min);
  EXPECT_EQ(run(ack(got.receipt)).status(), STILE_STALE);
}

TEST_F(Deliveries, C2_until_the_next_delivery) {
  run(enqueue("w"));
  const auto got = take();
  run(cancel("w"));
  run(enqueue("w"));
  EXPECT_EQ(run(ack(got.receipt)).status(), STILE_CANCELLED);
  EXPECT_EQ(row("w")->state, STILE_STATE_READY);
  take();
  EXPECT_EQ(run(ack(got.receipt)).status(), STILE_STALE);
}

TEST_F(Deliveries, cancel_sent_again_removes_no_newer_wakeup) {
  run(enqueue("w"));
  const stile_id op = fresh_id();
  EXPECT_EQ(run(cancel("w"), op).r().removed, 1u);
  run(enqueue("w"));
  EXPECT_EQ(run(cancel("w"), op).r().removed, 1u);
  EXPECT_EQ(row("w")->state, STILE_STATE_READY);
}

}  // namespace
}  // namespace stile::test

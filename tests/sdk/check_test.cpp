// The argument checks, from C and C++ alike: each breaks one argument of a good request and must be named for it.
//
// SPDX-License-Identifier: Apache-2.0
#include "stile/sdk/check.h"

#include <functional>

#include "dispatch_test.h"
#include "speak.hpp"

namespace stile::test {
namespace {

constexpr std::int64_t last = INT64_C(253402300799999999);

class Check : public ::testing::Test {
 protected:
  /// Both languages must agree; the text must name the argument.
  template <class O>
  void refused(O op, std::int32_t status, const std::string& named) {
    EXPECT_EQ(check_in_c(&now, &bounds, &op.op()), 0) << named;
    EXPECT_EQ(op.status(), status) << named;
    EXPECT_NE(op.error().find(named), std::string::npos) << op.error();
    const stile_clock clock{[](void* at) { return *static_cast<std::int64_t*>(at); }, &now};
    op.reset();
    EXPECT_EQ(stile_check(&op.op(), &bounds, &clock), 0);
    EXPECT_EQ(op.status(), status) << named;
  }
  template <class O>
  void fine(O op) {
    EXPECT_EQ(check_in_c(&now, &bounds, &op.op()), 1) << op.error();
    EXPECT_EQ(op.status(), STILE_UNSET);
  }
  template <class O, class Break>
  O broken(O op, Break&& with) {
    with(op.q());
    return op;
  }

  Check() {
    bounds.struct_size = sizeof bounds;
    bounds.id_bytes = 512;
    bounds.value_bytes = 100;
    bounds.queues = 2;
  }

  std::int64_t now = INT64_C(1700000000000000);
  stile_limits bounds{};
  std::string longest = std::string(512, 'x'), too_long = std::string(513, 'x');
};

TEST_F(Check, B9_ids_keys_and_values) {
  fine(acquire(longest));
  refused(acquire(""), STILE_INVALID, "workflow");
  refused(acquire(too_long), STILE_TOO_LARGE, "workflow");
  refused(discard(""), STILE_INVALID, "workflow");
  refused(cancel(too_long), STILE_TOO_LARGE, "workflow");
  refused(request_cancel(""), STILE_INVALID, "workflow");
  refused(enqueue(""), STILE_INVALID, "workflow");
  refused(release("", {}), STILE_INVALID, "workflow");
  refused(renew(too_long, {}), STILE_TOO_LARGE, "workflow");
  refused(load(""), STILE_INVALID, "workflow");
  fine(record("w", {}, longest, std::string(100, 'v')));
  refused(record("w", {}, "", "v"), STILE_INVALID, "key");
  refused(record("w", {}, too_long, "v"), STILE_TOO_LARGE, "key");
  refused(record("w", {}, "k", std::string(101, 'v')), STILE_TOO_LARGE, "value");
  refused(supply("w", "k", std::string(101, 'v')), STILE_TOO_LARGE, "value");
  refused(append("w", std::string(101, 'v')), STILE_TOO_LARGE, "value");
  refused(append("w", "v", too_long), STILE_TOO_LARGE, "message_id");
  refused(broken(append("w", "v"), [](auto& q) { q.has_message_id = 1; }), STILE_INVALID, "message_id");
  refused(put("", "v"), STILE_INVALID, "key");
  refused(put("k", std::string(101, 'v')), STILE_TOO_LARGE, "value");
  refused(get(too_long), STILE_TOO_LARGE, "key");
  refused(erase(""), STILE_INVALID, "key");
  refused(scan(too_long), STILE_TOO_LARGE, "prefix");
}

TEST_F(Check, I1_keys_of_the_inbox_are_append_s) {
  refused(record("w", {}, "inbox:", "v"), STILE_INVALID, "key");
  refused(supply("w", "inbox:1", "v"), STILE_INVALID, "key");
  refused(rebase("w", {}, "", "inbox:x", "v"), STILE_INVALID, "key");
  fine(record("w", {}, "inbox", "v"));
  fine(record("w", {}, "Inbox:1", "v"));
  fine(rebase("w", {}, "inbox:00000000000000000007", "k", "v"));
  refused(rebase("w", {}, "inbox:7", "k", "v"), STILE_INVALID, "inbox_after");
  refused(rebase("w", {}, "inbox:0000000000000000000x", "k", "v"), STILE_INVALID, "inbox_after");
}

TEST_F(Check, W8_times) {
  refused(acquire("w", 0s), STILE_INVALID, "ttl");
  refused(acquire("w", 1s, -1s), STILE_INVALID, "budget");
  fine(acquire("w", microseconds(last - now)));
  refused(acquire("w", microseconds(last - now + 1)), STILE_INVALID, "ttl");
  refused(acquire("w", 1s, microseconds(INT64_MAX)), STILE_INVALID, "budget");
  refused(renew("w", {}, 0s), STILE_INVALID, "ttl");
  refused(renew("w", {}, 1s, 0s), STILE_INVALID, "budget");
  refused(enqueue("w", -1us), STILE_INVALID, "delay");
  refused(enqueue("w", microseconds(INT64_MAX)), STILE_INVALID, "delay");
  const auto at = [&](std::int64_t when) {
    auto op = enqueue("w");
    const_cast<stile_enqueue*>(op.q().enqueue)->is_instant = 1;
    const_cast<stile_enqueue*>(op.q().enqueue)->when = when;
    return op;
  };
  fine(at(0));
  fine(at(last));
  refused(at(-1), STILE_INVALID, "at");
  refused(at(last + 1), STILE_INVALID, "at");
  refused(snooze("r", -1us), STILE_INVALID, "delay");
  refused(nack("r", -1us), STILE_INVALID, "delay");
  refused(extend("r", 0s), STILE_INVALID, "lease");
  refused(receive(1, 0s), STILE_INVALID, "lease");
  refused(broken(receive(), [](auto& q) { q.wait = -1; }), STILE_INVALID, "wait");
  refused(advance(-1us), STILE_INVALID, "by");
  refused(broken(stile::test::list(), [](auto& q) { q.has_idle_for = 1, q.idle_for = -1; }), STILE_INVALID, "idle_for");
  refused(trim(-1s), STILE_INVALID, "older_than");
}

TEST_F(Check, pages_and_lists) {
  refused(load("w", -1), STILE_INVALID, "after");
  refused(load("w", 0, 0), STILE_INVALID, "limit");
  refused(broken(load("w"), [](auto& q) { q.max_bytes = 0; }), STILE_INVALID, "max_bytes");
  refused(broken(load("w"), [](auto& q) { q.has_key = 1; }), STILE_INVALID, "key");
  fine(load("w", INT64_MAX));
  refused(receive(0), STILE_INVALID, "max");
  refused(broken(receive(), [](auto& q) { q.n_queues = 0; }), STILE_INVALID, "queues");
  fine(receive(1, 1s, {"a", "b"}));
  refused(receive(1, 1s, {"a", "b", "c"}), STILE_INVALID, "queues");
  refused(receive(1, 1s, {std::string(65, 'q')}), STILE_TOO_LARGE, "queue");
  fine(receive(1, 1s, {std::string(64, 'q')}));
  refused(broken(receive_pass(), [](auto& q) { q.acquire_ttl = 0; }), STILE_INVALID, "acquire.ttl");
  refused(broken(receive_pass(), [](auto& q) { q.acquire_budget = 0; }), STILE_INVALID, "acquire.budget");
  refused(broken(receive_pass(), [](auto& q) { q.load_limit = 0; }), STILE_INVALID, "load.limit");
  refused(broken(receive_pass(), [](auto& q) { q.load_max_bytes = 0; }), STILE_INVALID, "load.max_bytes");
  refused(scan("", "", 0), STILE_INVALID, "limit");
  refused(stile::test::list("", "", 0), STILE_INVALID, "limit");
  refused(broken(stile::test::list(), [](auto& q) { q.state = STILE_STATE_COALESCED; }), STILE_INVALID, "state");
  refused(trim(0s, 0), STILE_INVALID, "limit");
  refused(enqueue("w", 0s, std::string(65, 'q')), STILE_TOO_LARGE, "queue");
  std::vector<stile_watched> many(1001, stile_watched{bytes("w"), 0});
  Watch watch(STILE_OP_WATCH);
  watch.q().watched = many.data();
  watch.q().n_watched = 1001;
  refused(std::move(watch), STILE_INVALID, "workflows");
}

TEST_F(Check, D3_D8_what_needs_a_fence) {
  refused(broken(extend("r", 1s), [](auto& q) { q.ttl = 5; }), STILE_INVALID, "ttl");
  refused(broken(extend("r", 1s), [](auto& q) { q.has_budget = 1, q.budget = 5; }), STILE_INVALID, "fence");
  refused(broken(extend("r", 1s), [](auto& q) { q.has_fence = 1; }), STILE_INVALID, "ttl");
  refused(ack("r", false, nullptr, true), STILE_INVALID, "release");
  refused(broken(nack("r"), [](auto& q) { q.answer.release = 1; }), STILE_INVALID, "release");
  fine(ack("r", true));
  fine(ack("any text at all"));
}

TEST_F(Check, K5_K6_documents) {
  refused(put("k", "v", 3), STILE_INVALID, "if");
  refused(erase("k", STILE_IF_ABSENT), STILE_INVALID, "if");
  refused(put("k", "v", STILE_IF_ANY, {}, -2), STILE_INVALID, "ttl");
  refused(put("k", "v", STILE_IF_ANY, {}, INT64_MAX), STILE_INVALID, "ttl");
  fine(put("k", "v", STILE_IF_ANY, {}, STILE_TTL_KEEP));
  fine(put("k", "v", STILE_IF_ANY, {}, 1));
}

TEST_F(Check, R1_again_is_receive_s_and_needs_the_op_id) {
  auto again = receive();
  again.op().must = STILE_MUST_AGAIN;
  refused(std::move(again), STILE_INVALID, "again");
  auto named = receive();
  named.op().must = STILE_MUST_AGAIN;
  named.op().op_id = fresh_id();
  fine(std::move(named));
  auto other = enqueue("w");
  other.op().must = STILE_MUST_AGAIN;
  refused(std::move(other), STILE_INVALID, "again");
}

TEST(InboxPosition, reads_only_inbox_keys) {
  EXPECT_EQ(stile_inbox_position(bytes("inbox:00000000000000000012")), 12);
  EXPECT_EQ(stile_inbox_position(bytes("inbox:99999999999999999999")), INT64_MAX);
  EXPECT_EQ(stile_inbox_position(bytes("inbox:0000000000000000001")), -1);
  EXPECT_EQ(stile_inbox_position(bytes("outbox00000000000000000012")), -1);
}

}  // namespace
}  // namespace stile::test

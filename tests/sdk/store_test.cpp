// Documents, trim, stats and list, batches, prepare through the memory plugin (contract K, T, R, S).
//
// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "speak.hpp"

namespace stile::test {
namespace {

class Whole : public OnMemory {};

TEST_F(Whole, K1_K2_conditions) {
  const auto first = run(put("k", "one", STILE_IF_ABSENT));
  ASSERT_EQ(first.status(), STILE_OK);
  const auto lost = run(put("k", "two", STILE_IF_ABSENT));
  EXPECT_EQ(lost.status(), STILE_CONFLICT);
  EXPECT_EQ(string(lost.r().value), "one");
  EXPECT_EQ(string(lost.r().version), string(first.r().version));
  const auto second = run(put("k", "two", STILE_IF_VERSION, string(first.r().version)));
  EXPECT_EQ(second.status(), STILE_OK);
  EXPECT_EQ(run(put("k", "three", STILE_IF_VERSION, string(first.r().version))).status(), STILE_CONFLICT);
  const auto nothing = run(put("none", "x", STILE_IF_VERSION, "1"));
  EXPECT_EQ(nothing.status(), STILE_CONFLICT);
  EXPECT_EQ(nothing.r().version.len, 0u);
}

TEST_F(Whole, K2_versions_never_repeat) {
  std::set<std::string> seen;
  for (int life = 0; life < 4; ++life) {
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(seen.insert(string(run(put("k", "v")).r().version)).second);
    run(erase("k"));
    if (life == 1) {
      pass(11min);
      run(trim());
    }
  }
}

TEST_F(Whole, K3_the_last_eight_are_remembered) {
  const stile_id op = fresh_id();
  const auto first = run(put("k", "v0"), op);
  for (int i = 1; i < 8; ++i) run(put("k", "v" + std::to_string(i)), std::nullopt);
  const auto again = run(put("k", "v0"), op);
  EXPECT_EQ(again.status(), STILE_OK);
  EXPECT_EQ(string(again.r().version), string(first.r().version));
  EXPECT_EQ(string(run(get("k")).r().value), "v7");
  EXPECT_EQ(run(erase("k"), op).status(), STILE_INVALID);
  run(put("k", "v8"), std::nullopt);
  run(put("k", "v0"), op);  // forgotten
  EXPECT_EQ(string(run(get("k")).r().value), "v0");
  const stile_id gone = fresh_id();
  EXPECT_EQ(run(erase("k"), gone).r().removed, 1u);
  run(put("k", "new"));
  EXPECT_EQ(run(erase("k"), gone).r().removed, 1u);
  EXPECT_EQ(string(run(get("k")).r().value), "new");
}

TEST_F(Whole, K4_K5_expiry) {
  run(put("k", "v", STILE_IF_ANY, {}, microseconds(10s).count()));
  EXPECT_EQ(run(get("k")).r().expires_at, now() + 10000000);
  pass(4s);
  run(put("k", "v2", STILE_IF_ANY, {}, STILE_TTL_KEEP));
  EXPECT_EQ(run(get("k")).r().expires_at, now() + 6000000);
  EXPECT_EQ(run(stats()).r().documents, 1u);
  pass(6s);
  EXPECT_EQ(run(get("k")).status(), STILE_NOT_FOUND);
  EXPECT_EQ(run(stats()).r().documents, 0u);
  EXPECT_EQ(run(scan("")).r().documents, nullptr);
  EXPECT_EQ(run(erase("k")).r().removed, 0u);
  EXPECT_EQ(run(put("k", "v3", STILE_IF_ABSENT, {}, STILE_TTL_KEEP)).status(), STILE_OK);
  EXPECT_EQ(run(get("k")).r().expires_at, 0);
  EXPECT_EQ(run(put("k", "v", STILE_IF_ANY, {}, -2)).status(), STILE_INVALID);
}

TEST_F(Whole, K6_erase) {
  const auto version = string(run(put("k", "v")).r().version);
  EXPECT_EQ(run(erase("k", STILE_IF_VERSION, "77")).status(), STILE_CONFLICT);
  EXPECT_EQ(run(erase("k", STILE_IF_ABSENT)).status(), STILE_INVALID);
  EXPECT_EQ(run(erase("k", STILE_IF_VERSION, version)).r().removed, 1u);
  EXPECT_EQ(run(erase("k")).r().removed, 0u);
  EXPECT_EQ(run(erase("k", STILE_IF_VERSION, version)).status(), STILE_CONFLICT);
}

TEST_F(Whole, K7_scan_pages_in_byte_order) {
  for (const std::string key : {"p/b", "p/a", "p/c\xff", "q", "p", "p/c"}) run(put(key, "v"));
  std::vector<std::string> seen;
  std::string after;
  for (;;) {
    const auto page = run(scan("p/", after, 2));
    for (const auto* at = page.r().documents; at != nullptr; at = at->next) seen.push_back(string(at->key));
    if (!page.r().has_next) break;
    after = string(page.r().next);
  }
  EXPECT_EQ(seen, (std::vector<std::string>{"p/a", "p/b", "p/c", "p/c\xff"}));
}

TEST_F(Whole, T1_T2_trim_removes_what_is_finished_and_quiet_and_nothing_else) {
  const auto finish = [&](const std::string& id) {
    run(enqueue(id));
    const auto got = begin();
    run(record(id, got.fence, "k", "v"));
    run(ack(got.receipt, true, &got.fence, true));
    return got.fence;
  };
  finish("done");
  finish("woken");
  finish("leased");
  const auto late = finish("late");
  run(enqueue("woken"));
  run(acquire("leased", 1h));
  run(supply("open", "k", "v"));
  pass(10min);
  run(supply("late", "more", "v"));
  pass(10min);
  EXPECT_EQ(run(trim(15min)).r().removed, 1u);
  EXPECT_FALSE(row("done"));
  for (const auto* id : {"woken", "leased", "late", "open"}) EXPECT_TRUE(row(id)) << id;
  pass(1h);
  EXPECT_EQ(run(trim(15min)).r().removed, 2u);  // late, and leased since its lease ended
  EXPECT_EQ(run(trim(15min)).r().removed, 0u);
  EXPECT_EQ(run(record("late", late, "k9", "v")).status(), STILE_FENCED);
  EXPECT_TRUE(row("woken"));
  EXPECT_TRUE(row("open"));
}

TEST_F(Whole, T5_trim_is_bounded_and_says_more) {
  for (int i = 0; i < 30; ++i) {
    run(enqueue("w" + std::to_string(i)));
    const auto got = take();
    run(ack(got.receipt, true));
  }
  int calls = 0;
  std::uint64_t removed = 0;
  for (;;) {
    const auto done = run(trim(0s, 4));
    EXPECT_LE(done.r().removed, 4u);
    removed += done.r().removed;
    ++calls;
    if (!done.r().more) break;
  }
  EXPECT_EQ(removed, 30u);
  EXPECT_GE(calls, 8);
  EXPECT_EQ(run(stats()).r().workflows, 0u);
}

TEST_F(Whole, T6_husks_and_expired_documents_go_after_ten_minutes) {
  run(enqueue("w"));
  run(cancel("w"));
  run(acquire("fence only", 5min));
  run(put("d", "v", STILE_IF_ANY, {}, microseconds(1s).count()));
  EXPECT_TRUE(row("fence only"));
  const auto before = run(stats()).r().stored_bytes;
  pass(11min);
  run(trim());
  EXPECT_LT(run(stats()).r().stored_bytes, before);
  EXPECT_TRUE(row("fence only"));  // ten minutes after the end of its lease
  pass(5min);
  run(trim());
  EXPECT_FALSE(row("fence only"));
  EXPECT_EQ(run(stats()).r().stored_bytes, 0u);
}

TEST_F(Whole, S4_stats_and_list_agree) {
  run(enqueue("ready"));
  run(enqueue("delayed", 1h));
  run(enqueue("flight"));
  run(supply("idle", "k", "v"));
  pass(3s);
  run(acquire("leased"));
  auto counted = run(stats());
  EXPECT_EQ(counted.r().ready, 2u);
  EXPECT_EQ(counted.r().delayed, 1u);
  EXPECT_EQ(counted.r().oldest_ready_age, 3000000);
  EXPECT_EQ(counted.r().workflows, 5u);
  run(nack(take().receipt));
  take(10s);
  counted = run(stats());
  EXPECT_EQ(counted.r().ready, 1u);
  EXPECT_EQ(counted.r().in_flight, 1u);
  EXPECT_EQ(counted.r().next_due_at, now() + 10000000);
  std::vector<std::string> ids;
  for (const auto& found : listed(run(list()))) ids.push_back(found.workflow);
  EXPECT_EQ(ids, (std::vector<std::string>{"delayed", "flight", "idle", "leased", "ready"}));
  auto idle = list();
  idle.q().has_idle_for = 1;
  idle.q().idle_for = microseconds(2s).count();
  const auto found = listed(run(std::move(idle)));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].workflow, "idle");
}

TEST_F(Whole, R3_a_batch_and_its_chains) {
  auto a = acquire("w"), b = acquire("w"), d = acquire("x");
  auto c = enqueue("chained");
  c.op().must = d.op().must = STILE_MUST_AFTER_OK;
  b.op().op_id = fresh_id();
  session.run({&a.op(), &b.op(), &c.op(), &d.op()});
  EXPECT_EQ(a.status(), STILE_OK);
  EXPECT_EQ(b.status(), STILE_HELD);
  EXPECT_EQ(c.status(), STILE_SKIPPED);
  EXPECT_EQ(d.status(), STILE_SKIPPED);
  auto near = enqueue("n"), far = enqueue("n", 24h * 365 * 7000);  // the check of far asks the clock in mid-batch
  session.run({&near.op(), &far.op()});
  EXPECT_EQ(far.status(), STILE_OK);
  auto first = enqueue("w");
  first.op().must = STILE_MUST_AFTER_OK;
  EXPECT_EQ(run(std::move(first)).status(), STILE_INVALID);
  auto waiting = receive();
  waiting.q().wait = 1000;
  auto beside = enqueue("w");
  session.run({&beside.op(), &waiting.op()});
  EXPECT_EQ(waiting.status(), STILE_INVALID);
  EXPECT_EQ(beside.status(), STILE_OK);
}

TEST_F(Whole, R6_namespaces_and_names_are_apart) {
  auto& plugin = Plugin::named("memory");
  Store one(plugin, "shared", "a", {}), same(plugin, "shared", "a", {}), other(plugin, "shared", "b", {});
  ASSERT_EQ(one.status(), STILE_OK);
  Session in_one(one), in_same(same), in_other(other);
  auto made = supply("w", "k", "v");
  in_one.run(made);
  auto seen = load("w"), hidden = load("w");
  in_same.run(seen);
  in_other.run(hidden);
  EXPECT_NE(seen.r().records, nullptr);
  EXPECT_EQ(hidden.r().records, nullptr);
  Store different(plugin, "shared", "a", {{"shards", "7"}});
  EXPECT_EQ(different.status(), STILE_INVALID);
}

TEST_F(Whole, S1_unprepared_until_prepared) {
  Store unprepared(Plugin::named("memory"), {}, {}, {{"prepare", "check"}});
  Session on(unprepared);
  auto empty = enqueue(""), good = enqueue("w");
  on.run(empty);
  on.run(good);
  EXPECT_EQ(empty.status(), STILE_INVALID);
  EXPECT_EQ(good.status(), STILE_UNPREPARED);
  Prepare check(STILE_OP_PREPARE), prepare(STILE_OP_PREPARE), again(STILE_OP_PREPARE);
  check.q().check_only = 1;
  EXPECT_EQ(on.run(check).status(), STILE_UNPREPARED);
  EXPECT_EQ(on.run(prepare).r().migrated, 1u);
  EXPECT_EQ(on.run(again).r().migrated, 0u);
  good.reset();
  EXPECT_EQ(on.run(good).status(), STILE_OK);
}

TEST_F(Whole, S3_what_is_not_declared_is_unsupported) {
  Store plain(Plugin::named("memory"), {}, {}, {});
  Session on(plain);
  Info info(STILE_OP_INFO);
  on.run(info);
  for (std::uint64_t i = 0; i < info.r().n_capabilities; ++i)
    EXPECT_NE(string(info.r().capabilities[i]), "manual_clock");
  auto moved = advance(1s);
  EXPECT_EQ(on.run(moved).status(), STILE_UNSUPPORTED);
  stile_effect effect{};
  effect.struct_size = sizeof effect;
  effect.form = STILE_EFFECT_STATEMENT;
  effect.language = STILE_LIT("sql");
  Transact transact(STILE_OP_TRANSACT);
  transact.q().workflow = bytes("w");
  transact.q().key = bytes("k");
  transact.q().effect = &effect;
  EXPECT_EQ(on.run(transact).status(), STILE_UNSUPPORTED);
  stile_op unknown{};
  unknown.struct_size = sizeof unknown;
  unknown.kind = 9999;
  unknown.status = STILE_UNSET;
  on.run(std::vector<stile_op*>{&unknown});
  EXPECT_EQ(unknown.status, STILE_UNSUPPORTED);
  auto bit = enqueue("w");
  bit.op().must = 1u << 20;
  EXPECT_EQ(on.run(bit).status(), STILE_UNSUPPORTED);
  EXPECT_FALSE(row("w"));
}

TEST_F(Whole, law_7_out_of_arena_is_unknown_and_receive_again_finds_what_was_handed_out) {
  run(enqueue("w"));
  auto starved = receive_pass();
  starved.arena().fail_after = 0;
  const stile_id op = fresh_id();
  EXPECT_EQ(run(std::move(starved), op).status(), STILE_UNKNOWN);
  auto again = receive_pass();
  again.op().must = STILE_MUST_AGAIN;
  const auto got = deliveries(run(std::move(again), op));
  ASSERT_EQ(got.size(), 1u);
  EXPECT_EQ(run(ack(got[0].receipt)).status(), STILE_OK);
  EXPECT_EQ(run(stats()).r().ready + run(stats()).r().in_flight, 0u);
}

}  // namespace
}  // namespace stile::test

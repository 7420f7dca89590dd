// The typed face on a real store: every operation once, chains, batches, waiting, many threads.
//
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <set>
#include <thread>

#include "stile/store.hpp"

namespace stile {
namespace {

class Memory : public testing::Test {
 protected:
  Store store = open("memory:?clock=manual");
  Store real = open("memory:");
};

TEST_F(Memory, SaysWhoItIs) {
  StoreInfo info = store.info();
  EXPECT_EQ(info.plugin.substr(0, 6), "memory");
  EXPECT_TRUE(store.has("manual_clock"));
  EXPECT_FALSE(store.has("no such thing"));
  EXPECT_GE(info.limits.value_bytes, 16u << 20);
  EXPECT_FALSE(info.durability.empty());
  EXPECT_EQ(store.config().substr(0, 7), "memory:");
  EXPECT_FALSE(store.prepare().migrated);
}

TEST_F(Memory, ALeaseFromGrantToRelease) {
  Acquired lease = store.call(Acquire{.workflow = "w", .ttl = 10s, .budget = 60s});
  auto held = store.try_call(Acquire{.workflow = "w", .ttl = 10s, .budget = 60s});
  ASSERT_EQ(held.status(), Status::held);
  EXPECT_EQ(held.failure().held_until, lease.live_until);
  Renewed renewed = store.call(Renew{.workflow = "w", .fence = lease.fence, .ttl = 20s, .budget = 90s});
  EXPECT_GT(renewed.live_until, lease.live_until);
  EXPECT_GT(renewed.budget_until, lease.budget_until);
  store.call(Release{.workflow = "w", .fence = lease.fence});
  Acquired next = store.call(Acquire{.workflow = "w", .ttl = 10s, .budget = 60s});
  EXPECT_GT(next.fence.number, lease.fence.number);
  EXPECT_EQ(store.try_call(Release{.workflow = "w", .fence = lease.fence}).status(), Status::fenced);
  Acquired forced = store.call(Acquire{.workflow = "w", .ttl = 10s, .budget = 60s, .force = true});
  EXPECT_GT(forced.fence.number, next.fence.number);
}

TEST_F(Memory, ACheckpoint) {
  Fence fence = store.call(Acquire{.workflow = "w", .ttl = 10s, .budget = 60s}).fence;
  Recorded first = store.call(Record{.workflow = "w", .fence = fence, .key = "a", .value = std::string("\0x", 2)});
  EXPECT_TRUE(first.first);
  EXPECT_EQ(first.value, std::string("\0x", 2)) << "the value that stands, here the caller's own";
  Recorded second = store.call(Record{.workflow = "w", .fence = fence, .key = "a", .value = "other"});
  EXPECT_FALSE(second.first);
  EXPECT_EQ(second.value, first.value);
  EXPECT_EQ(second.position, first.position);

  Supplied supplied = store.call(Supply{.workflow = "w", .key = "s", .value = "v", .enqueue = Wakeup{.delay = 5s}});
  EXPECT_EQ(supplied.state, State::delayed);
  EXPECT_TRUE(supplied.visible_at);
  EXPECT_FALSE(store.call(Supply{.workflow = "w", .key = "s", .value = "v"}).state);
  Appended message = store.call(Append{.workflow = "w", .value = "hello", .message_id = "m1"});
  Appended again = store.call(Append{.workflow = "w", .value = "other", .message_id = "m1"});
  EXPECT_FALSE(message.duplicate);
  EXPECT_TRUE(again.duplicate);
  EXPECT_EQ(again.key, message.key);

  Loaded page = store.call(Load{.workflow = "w", .limit = 2});
  ASSERT_EQ(page.records.size(), 2u);
  EXPECT_TRUE(page.more);
  EXPECT_EQ(page.fence_number, fence.number);
  Loaded rest = store.call(Load{.workflow = "w", .after = page.records.back().position});
  ASSERT_EQ(rest.records.size(), 1u);
  EXPECT_EQ(rest.records[0].value, "hello");
  EXPECT_EQ(store.call(Load{.workflow = "w", .key = "s"}).records.at(0).value, "v");

  Rebased rebased = store.call(Rebase{.workflow = "w", .fence = fence, .key = "base", .value = "all"});
  EXPECT_EQ(rebased.removed, 2u);
  store.call(RequestCancel{.workflow = "w"});
  EXPECT_TRUE(store.call(Load{.workflow = "w"}).cancel_requested);
  EXPECT_EQ(store.call(Discard{.workflow = "w", .cancel = true}).removed, 2u);
  EXPECT_TRUE(store.call(Load{.workflow = "w"}).records.empty());
}

TEST_F(Memory, ADeliveryWithItsLeaseAndRecords) {
  store.call(Supply{.workflow = "w", .key = "in", .value = "1", .enqueue = Wakeup{.queue = "orders"}});
  Received received = store.call(Receive{.queues = {"other", "orders"},
                                         .max = 5,
                                         .lease = 30s,
                                         .acquire = Receive::Lease{30s, 1h},
                                         .load = Receive::Records{}});
  ASSERT_EQ(received.deliveries.size(), 1u);
  Delivery& d = received.deliveries[0];
  EXPECT_EQ(d.workflow, "w");
  EXPECT_EQ(d.queue, "orders");
  EXPECT_EQ(d.delivery_count, 1u);
  ASSERT_EQ(d.records.size(), 1u);
  EXPECT_EQ(d.records[0].key, "in");
  EXPECT_GT(received.store_time.time_since_epoch().count(), 0);

  Extended extended =
      store.call(Extend{.receipt = d.receipt, .lease = 60s, .renew = Extend::Renewal{d.fence, 60s, 2h}});
  EXPECT_GT(extended.visible_at, d.visible_at);
  EXPECT_GT(extended.live_until, d.live_until);
  EXPECT_FALSE(store.call(Extend{.receipt = d.receipt, .lease = 60s}).live_until);

  auto [recorded, acked] = store.chain(Record{.workflow = "w", .fence = d.fence, .key = "out", .value = "2"},
                                       Ack{.receipt = d.receipt, .finished = true, .fence = d.fence, .release = true});
  EXPECT_TRUE(recorded.ok());
  ASSERT_TRUE(acked.ok());
  EXPECT_FALSE(acked->requeued);
  EXPECT_TRUE(store.call(Load{.workflow = "w"}).finished);
  EXPECT_EQ(store.try_call(Ack{.receipt = d.receipt}).status(), Status::stale);
}

TEST_F(Memory, AFailedStepKeepsItsChainFromRunning) {
  store.call(Enqueue{.workflow = "w"});
  Delivery d = store.call(Receive{.lease = 30s, .acquire = Receive::Lease{30s, 1h}}).deliveries.at(0);
  Fence wrong{d.fence.number + 1, d.fence.stamp};
  auto [recorded, acked] = store.chain(Record{.workflow = "w", .fence = wrong, .key = "out", .value = "2"},
                                       Ack{.receipt = d.receipt, .finished = true, .fence = d.fence});
  EXPECT_EQ(recorded.status(), Status::fenced);
  EXPECT_EQ(acked.status(), Status::skipped);
  EXPECT_TRUE(store.try_call(Ack{.receipt = d.receipt}).ok()) << "the delivery is still in flight";
}

TEST_F(Memory, TheOtherAnswers) {
  auto receive = [&] { return store.call(Receive{.lease = 30s}).deliveries.at(0); };
  store.call(Enqueue{.workflow = "w"});
  EXPECT_EQ(store.call(Enqueue{.workflow = "w"}).state, State::coalesced);
  EXPECT_GT(store.call(Snooze{.receipt = receive().receipt, .delay = 5s}).visible_at.time_since_epoch().count(), 0);
  store.call(Advance{5s});
  Nacked nacked = store.call(Nack{.receipt = receive().receipt, .error = "no luck"});
  EXPECT_EQ(nacked.delivery_count, 1u);
  Delivery again = receive();
  EXPECT_EQ(again.last_error, "no luck");
  EXPECT_EQ(again.delivery_count, 2u);
  EXPECT_EQ(store.call(Enqueue{.workflow = "w"}).state, State::deferred);
  EXPECT_EQ(store.call(Reject{.receipt = again.receipt, .error = "poison"}).state, State::requeued);
  EXPECT_EQ(store.call(Reject{.receipt = receive().receipt, .error = "poison"}).state, State::dead);
  Enqueued dead = store.call(Enqueue{.workflow = "w"});
  EXPECT_EQ(dead.state, State::dead);
  EXPECT_FALSE(dead.visible_at);
  EXPECT_EQ(store.call(Enqueue{.workflow = "w", .revive = true}).state, State::ready);
  EXPECT_TRUE(store.call(Cancel{.workflow = "w"}).removed);
  EXPECT_FALSE(store.call(Cancel{.workflow = "w"}).removed);
}

TEST_F(Memory, Documents) {
  EXPECT_FALSE(store.get("k"));
  Bytes version = store.call(Put{.key = "k", .value = "1", .condition = If::absent(), .ttl = 1h}).version;
  auto lost = store.try_call(Put{.key = "k", .value = "2", .condition = If::absent()});
  ASSERT_EQ(lost.status(), Status::conflict);
  ASSERT_TRUE(lost.failure().current);
  EXPECT_EQ(lost.failure().current->first, version);
  EXPECT_EQ(lost.failure().current->second, "1");
  store.call(Put{.key = "k", .value = "3", .condition = If::version(version), .ttl = keep_ttl});
  auto document = store.get("k");
  ASSERT_TRUE(document);
  EXPECT_EQ(document->value, "3");
  EXPECT_TRUE(document->expires_at);
  store.call(Put{.key = "k2", .value = ""});
  Scanned scanned = store.call(Scan{.prefix = "k", .limit = 1});
  ASSERT_EQ(scanned.documents.size(), 1u);
  ASSERT_TRUE(scanned.next);
  EXPECT_EQ(store.call(Scan{.prefix = "k", .after = *scanned.next}).documents.at(0).key, "k2");
  auto kept = store.try_call(Erase{.key = "k", .condition = If::version(version)});
  ASSERT_EQ(kept.status(), Status::conflict);
  EXPECT_EQ(kept.failure().current->second, "3");
  EXPECT_TRUE(store.call(Erase{.key = "k"}).removed);
}

TEST_F(Memory, StatsListTrim) {
  store.call(Enqueue{.workflow = "ready"});
  store.call(Enqueue{.workflow = "late", .delay = 1h});
  Fence fence = store.call(Acquire{.workflow = "idle", .ttl = 1s, .budget = 1s}).fence;
  store.call(Record{.workflow = "idle", .fence = fence, .key = "a", .value = "b"});
  StoreStats stats = store.stats();
  EXPECT_EQ(stats.ready, 1u);
  EXPECT_EQ(stats.delayed, 1u);
  EXPECT_TRUE(stats.oldest_ready_age);
  EXPECT_TRUE(stats.next_due_at);
  EXPECT_EQ(stats.records, 1u);
  EXPECT_FALSE(store.call(Stats{.queue = "other"}).oldest_ready_age);
  Listed all = store.call(List{});
  ASSERT_EQ(all.workflows.size(), 3u);
  EXPECT_EQ(all.workflows[0].workflow, "idle");
  EXPECT_EQ(all.workflows[0].state, State::idle);
  EXPECT_TRUE(all.workflows[0].last_written_at);
  EXPECT_FALSE(all.workflows[0].due_at);
  EXPECT_EQ(store.call(List{.state = State::delayed}).workflows.at(0).workflow, "late");
  EXPECT_EQ(store.call(List{.prefix = "r"}).workflows.size(), 1u);
  EXPECT_EQ(store.call(Trim{.older_than = 0s}).removed, 0u);
}

TEST_F(Memory, OneBatchManyWorkflows) {
  std::vector<std::string> ids;
  for (int i = 0; i < 300; ++i) ids.push_back("w" + std::to_string(i));
  std::vector<Enqueue> requests;
  for (auto& id : ids) requests.push_back({.workflow = id});
  for (auto& answer : store.batch(requests)) EXPECT_TRUE(answer.ok());
  std::set<std::string> seen;
  for (Received some; !(some = store.call(Receive{.max = 50, .lease = 1h})).deliveries.empty();)
    for (auto& d : some.deliveries) EXPECT_TRUE(seen.insert(d.workflow).second);
  EXPECT_EQ(seen.size(), 300u);
}

TEST_F(Memory, AWaitingReceiveWakesWithTheEnqueue) {
  std::thread other([&] { real.call(Enqueue{.workflow = "w"}); });
  Received received = real.call(Receive{.lease = 1s, .wait = 20s});
  other.join();
  ASSERT_EQ(received.deliveries.size(), 1u);
}

TEST_F(Memory, AWaitEndsByItselfByStopAndByClose) {
  EXPECT_TRUE(real.call(Receive{.lease = 1s, .wait = 20ms}).deliveries.empty());
  EXPECT_TRUE(real.call(Receive{.lease = 1s, .wait = 20s}, {.timeout = 20ms}).deliveries.empty()) << "W6";
  std::stop_source stop;
  std::thread stopper([&] { stop.request_stop(); });
  auto stopped = real.try_call(Watch{.workflows = {{"w", 0}}, .wait = 20s}, {.stop = stop.get_token()});
  stopper.join();
  EXPECT_EQ(stopped.status(), Status::interrupted);
  std::thread closer([&] { real.close(); });
  EXPECT_EQ(real.try_call(Receive{.lease = 1s, .wait = 20s}).status(), Status::interrupted);
  closer.join();
}

TEST_F(Memory, AWatchSeesWhatIsWritten) {
  std::thread other([&] { real.call(Supply{.workflow = "b", .key = "k", .value = "v"}); });
  Watched watched = real.call(Watch{.workflows = {{"a", 0}, {"b", 0}}, .wait = 20s});
  other.join();
  EXPECT_EQ(watched.changed, (std::vector<std::size_t>{1}));
}

TEST_F(Memory, ManyThreadsShareOneHandle) {
  constexpr int threads = 8, each = 300;
  std::atomic<int> wins{0};
  std::vector<std::thread> all;
  for (int t = 0; t < threads; ++t)
    all.emplace_back([&, mine = real] {
      for (int i = 0; i < each; ++i)
        wins += mine.try_call(Put{.key = "k" + std::to_string(i), .value = "v", .condition = If::absent()}).ok();
    });
  for (auto& thread : all) thread.join();
  EXPECT_EQ(wins, each) << "exactly one winner a key (K1)";
}

TEST_F(Memory, AChildOfAForkIsRefusedAndDoesNotHang) {
  EXPECT_EXIT(
      {
        auto answer = real.try_call(Get{"k"}, {.timeout = 5s});
        _exit(answer.status() == Status::invalid ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace stile

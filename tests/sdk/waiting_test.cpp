// Waiting receivers and watchers, threads, forks through the memory plugin (W4-W6, B14, A2, D1).
//
// SPDX-License-Identifier: Apache-2.0
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <future>
#include <set>
#include <thread>

#include "speak.hpp"

namespace stile::test {
namespace {

using Clock = std::chrono::steady_clock;

class Waiting : public OnMemory {
 protected:
  Waiting() : OnMemory({{"shards", "2"}}) {}

  Receive waiting(microseconds wait, std::uint32_t max = 1) {
    auto op = receive(max);
    op.q().wait = wait.count();
    return op;
  }
  /// Runs a waiting receive on a thread and a session of its own.
  std::future<Receive> wait_elsewhere(microseconds wait) {
    return std::async(std::launch::async, [this, wait] {
      Session own(store);
      auto op = waiting(wait);
      op.op().op_id = fresh_id();
      own.run(op);
      return op;
    });
  }
  static std::chrono::milliseconds since(Clock::time_point start) {
    return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start);
  }
};

TEST_F(Waiting, W4_an_enqueue_wakes_a_waiting_receiver) {
  auto got = wait_elsewhere(20s);
  // Whether it waits already or not, it must get it.
  run(enqueue("w"));
  EXPECT_EQ(deliveries(got.get()).size(), 1u);
}

TEST_F(Waiting, W4_a_delayed_wakeup_is_neither_early_nor_late) {
  const auto due = run(enqueue("w", 150ms)).r().visible_at;
  const auto got = run(waiting(20s));
  EXPECT_EQ(deliveries(got).size(), 1u);
  EXPECT_GE(got.r().store_time, due);
  EXPECT_LT(got.r().store_time, due + 5000000);
}

TEST_F(Waiting, W4_an_earlier_wakeup_moves_the_timer) {
  run(enqueue("late", 1h));
  auto got = wait_elsewhere(20s);
  run(enqueue("soon", 100ms));
  const auto all = deliveries(got.get());
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].workflow, "soon");
}

TEST_F(Waiting, D4_a_lapse_wakes_too) {
  run(enqueue("w"));
  take(100ms);
  EXPECT_EQ(deliveries(run(waiting(20s))).size(), 1u);
}

TEST_F(Waiting, W6_wait_and_deadline_are_bounds) {
  const auto start = Clock::now();
  EXPECT_EQ(run(waiting(100ms)).status(), STILE_OK);
  EXPECT_GE(since(start), 100ms);
  auto long_wait = waiting(1h);
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  session.run(long_wait, std::int64_t{t.tv_sec} * 1000000 + t.tv_nsec / 1000 + 100000);
  EXPECT_EQ(long_wait.status(), STILE_OK);
  EXPECT_LT(since(start), 10s);
}

TEST_F(Waiting, W6_interrupt_ends_a_wait_and_no_later_one) {
  std::promise<Session*> ready;
  auto result = std::async(std::launch::async, [&] {
    Session own(store);
    ready.set_value(&own);
    auto op = waiting(1h);
    own.run(op);
    const auto first = op.status();
    auto next = waiting(50ms);
    own.run(next);
    return std::pair{first, next.status()};
  });
  Session* other = ready.get_future().get();
  other->interrupt_up_to(1);  // running or yet to come
  const auto [first, next] = result.get();
  EXPECT_EQ(first, STILE_INTERRUPTED);
  EXPECT_EQ(next, STILE_OK);
}

TEST_F(Waiting, many_wakeups_go_to_many_waiters) {
  constexpr int n = 8;
  std::vector<std::future<Receive>> waiters;
  for (int i = 0; i < n; ++i) waiters.push_back(wait_elsewhere(30s));
  for (int i = 0; i < n; ++i) run(enqueue("w" + std::to_string(i), i % 2 ? 0s : 20ms));
  std::set<std::string> seen;
  for (auto& waiter : waiters)
    for (const auto& got : deliveries(waiter.get())) EXPECT_TRUE(seen.insert(got.workflow).second);
  EXPECT_EQ(seen.size(), static_cast<std::size_t>(n));
}

TEST_F(Waiting, a_release_wakes_who_waits_for_what_was_put_off) {
  const auto held = run(acquire("w", 1h));
  run(enqueue("w"));
  auto got = std::async(std::launch::async, [this] {
    Session own(store);
    auto op = receive_pass(1);
    op.q().wait = microseconds(30s).count();
    op.op().op_id = fresh_id();
    own.run(op);
    return deliveries(op).size();
  });
  while (row("w")->state != STILE_STATE_DELAYED) std::this_thread::yield();
  run(release("w", held.r().fence));
  EXPECT_EQ(got.get(), 1u);
}

TEST_F(Waiting, B14_watch_wakes_at_a_record_and_at_discard) {
  run(supply("w", "k", "v"));
  const auto watch_elsewhere = [this](std::int64_t after) {
    return std::async(std::launch::async, [this, after] {
      Session own(store);
      const stile_watched one{bytes("w"), after};
      Watch op(STILE_OP_WATCH);
      op.q().watched = &one;
      op.q().n_watched = 1;
      op.q().wait = microseconds(30s).count();
      own.run(op);
      return op.r().n_changed;
    });
  };
  auto seen = watch_elsewhere(1);
  run(supply("w", "k2", "v"));
  EXPECT_EQ(seen.get(), 1u);
  seen = watch_elsewhere(2);
  run(discard("w"));
  EXPECT_EQ(seen.get(), 1u);
}

TEST_F(Waiting, A14_a_manual_clock_ends_waits_and_makes_due) {
  Store manual(Plugin::named("memory"), "waits", "ns", {{"clock", "manual"}});
  Session on(manual);
  auto late = enqueue("w", 1h);
  on.run(late);
  std::atomic<bool> done{false};
  auto got = std::async(std::launch::async, [&] {
    Session own(manual);
    auto op = waiting(2h);
    op.op().op_id = fresh_id();
    own.run(op);
    auto empty = waiting(1h);
    own.run(empty);
    done = true;
    return std::pair{deliveries(op).size(), empty.status()};
  });
  while (!done) {
    auto step = advance(30min);
    on.run(step);
    std::this_thread::yield();
  }
  const auto [n, status] = got.get();
  EXPECT_EQ(n, 1u);
  EXPECT_EQ(status, STILE_OK);
}

TEST_F(Waiting, A2_D1_of_many_at_once_one_gets_it) {
  constexpr int threads = 8, rounds = 200;
  std::atomic<int> granted{0};
  std::atomic<int> delivered{0};
  for (int i = 0; i < rounds; ++i) run(enqueue("d" + std::to_string(i)));
  std::vector<std::future<void>> all;
  for (int t = 0; t < threads; ++t)
    all.push_back(std::async(std::launch::async, [&] {
      Session own(store);
      for (int i = 0; i < rounds; ++i) {
        auto op = acquire("w" + std::to_string(i), 1h);
        op.op().op_id = fresh_id();
        own.run(op);
        if (op.status() == STILE_OK) ++granted;
        auto got = receive(1);
        got.op().op_id = fresh_id();
        own.run(got);
        delivered += static_cast<int>(deliveries(got).size());
      }
    }));
  for (auto& one : all) one.get();
  EXPECT_EQ(granted, rounds);
  EXPECT_EQ(delivered, rounds);
}

TEST_F(Waiting, law_9_after_a_fork_a_handle_answers_and_does_not_hang) {
  const ::pid_t child = ::fork();
  if (child == 0) {
    auto op = enqueue("w");
    auto waits = waiting(1h);
    const bool dropped = session.run(std::vector<stile_op*>{&op.op()}) == STILE_SESSION_DROP;
    session.run(waits);
    session.interrupt();
    const bool refused = op.status() == STILE_UNAVAILABLE && waits.status() == STILE_UNAVAILABLE;
    ::_exit(dropped && refused ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(run(enqueue("w")).status(), STILE_OK);
}

}  // namespace
}  // namespace stile::test

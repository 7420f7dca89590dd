// Composition over a real store whose couplings are hidden: what comes out must be what the coupled store answers.
//
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <thread>
#include <typeinfo>

#include "codec/op.hpp"
#include "stile/store.hpp"
#include "store/compose.hpp"
#include "store/layers.hpp"
#include "store/open.hpp"
#include "store/operation.hpp"

namespace stile::store {
namespace {

/// A real backend that declares none of what composition composes, and refuses it (S3). Counts executes.
class Uncoupled final : public Relay {
 public:
  using Relay::Relay;
  std::unique_ptr<Link> connect(Deadline deadline) override {
    return std::make_unique<UncoupledLink>(inner().connect(deadline), *this);
  }
  std::atomic<int> executes{0}, loads{0};
  std::atomic<std::uint64_t> batch{64};
  std::atomic<int> lose_next_enqueue{-1};  // counts down; at 0 that enqueue's reply is lost
  std::function<void()> before_receive;

 private:
  class UncoupledLink final : public Link {
   public:
    UncoupledLink(std::unique_ptr<Link> inner, Uncoupled& backend) : inner_(std::move(inner)), backend_(backend) {}

    Fate execute(const stile_call& call, std::span<stile_op* const> ops) noexcept override {
      ++backend_.executes;
      EXPECT_LE(ops.size(), backend_.batch);
      for (const stile_op* op : ops) {
        EXPECT_FALSE(coupled(*op)) << stile::codec::op_name(op->kind) << " came through";
        backend_.loads += op->kind == STILE_OP_LOAD;
        if (op->kind == STILE_OP_RECEIVE && backend_.before_receive) backend_.before_receive();
      }
      Fate fate = inner_->execute(call, ops);
      for (stile_op* op : ops) {
        if (op->kind == STILE_OP_INFO) mask(*op);
        if (op->kind == STILE_OP_ENQUEUE && op->status == STILE_OK && backend_.lose_next_enqueue-- == 0)
          op->status = STILE_UNKNOWN;
      }
      return fate;
    }
    void interrupt(std::uint64_t serial) noexcept override { inner_->interrupt(serial); }

   private:
    static bool coupled(const stile_op& op) {
      const void* request = op.request;
      if (op.kind == STILE_OP_SUPPLY) return static_cast<const stile_supply_request*>(request)->enqueue;
      if (op.kind == STILE_OP_APPEND) return static_cast<const stile_append_request*>(request)->enqueue;
      if (op.kind == STILE_OP_RECEIVE) return static_cast<const stile_receive_request*>(request)->acquire;
      return op.kind == STILE_OP_WATCH;
    }
    void mask(stile_op& op) {
      auto* result = static_cast<stile_info_result*>(op.result);
      auto* kept =
          static_cast<stile_text*>(op.arena->alloc(op.arena->ctx, result->n_capabilities * sizeof(stile_text)));
      std::uint64_t n = 0;
      for (std::uint64_t i = 0; i < result->n_capabilities; ++i) {
        std::string_view name = view(result->capabilities[i]);
        if (name != "one_commit" && name != "coupled_receive" && name != "push_records")
          kept[n++] = result->capabilities[i];
      }
      auto* limits = static_cast<stile_limits*>(op.arena->alloc(op.arena->ctx, sizeof(stile_limits)));
      *limits = *result->limits;
      limits->batch = backend_.batch;
      result->limits = limits;
      result->capabilities = kept;
      result->n_capabilities = n;
    }
    std::unique_ptr<Link> inner_;
    Uncoupled& backend_;
  };
};

using namespace std::chrono_literals;

class Composed : public testing::TestWithParam<int> {
 protected:
  std::shared_ptr<Uncoupled> uncoupled(const char* config) {
    OpenOptions options;
    options.compose = false;
    auto backend = std::make_shared<Uncoupled>(open_backend(config, options));
    backend->batch = static_cast<std::uint64_t>(GetParam());
    return backend;
  }
  static constexpr Receive::Lease lease{60s, 1h};

  std::shared_ptr<Uncoupled> hidden = uncoupled("memory:?clock=manual");
  Store store = Store(with_composition(hidden));
  Store coupled = stile::open("memory:?clock=manual");
};
// The batch limit of the store below: a chain of three fits, does not fit, and is sent one by one.
INSTANTIATE_TEST_SUITE_P(Batch, Composed, testing::Values(64, 2, 1));

TEST_P(Composed, SupplyWithEnqueueAnswersAsTheCoupledStoreDoes) {
  for (Duration delay : {Duration{0}, Duration{1h}}) {
    Supply request{
        .workflow = delay == 0s ? "now" : "late", .key = "k", .value = "v", .enqueue = Wakeup{.delay = delay}};
    Supplied one = store.call(request), other = coupled.call(request);
    EXPECT_EQ(one.state, other.state);
    EXPECT_EQ(one.first, other.first);
    EXPECT_EQ(one.position, other.position);
    Supplied again = store.call(request), other_again = coupled.call(request);
    EXPECT_EQ(again.state, State::coalesced);
    EXPECT_EQ(again.state, other_again.state);
  }
  store.call(Receive{.lease = 60s}).deliveries.at(0);
  Supplied deferred = store.call(Supply{.workflow = "now", .key = "k", .value = "lost", .enqueue = Wakeup{}});
  EXPECT_EQ(deferred.state, State::deferred) << "also when the write lost (W9)";
  EXPECT_EQ(deferred.value, "v");
}

TEST_P(Composed, TheWakeupIsDueAsAskedAndOnlyOnce) {
  store.call(Append{.workflow = "w", .value = "m", .enqueue = Wakeup{.delay = 20s, .queue = "q"}});
  store.call(Advance{19s});
  EXPECT_TRUE(store.call(Receive{.queues = {"q"}, .lease = 60s}).deliveries.empty());
  store.call(Advance{1s});
  Delivery d = store.call(Receive{.queues = {"q"}, .lease = 60s}).deliveries.at(0);
  EXPECT_EQ(d.queue, "q");
  EXPECT_FALSE(store.call(Ack{.receipt = d.receipt}).requeued);
  store.call(Advance{1h});
  EXPECT_TRUE(store.call(Receive{.queues = {"q"}, .lease = 60s}).deliveries.empty());
}

TEST_P(Composed, ALostEnqueueLeavesTheCoveringWakeup) {
  hidden->lose_next_enqueue = 1;
  auto lost = store.try_call(Supply{.workflow = "w", .key = "k", .value = "v", .enqueue = Wakeup{}}, {.resend = false});
  EXPECT_EQ(lost.status(), Status::unknown);
  hidden->lose_next_enqueue = 1;
  EXPECT_TRUE(store.try_call(Supply{.workflow = "w", .key = "k", .value = "v", .enqueue = Wakeup{}}).ok());
  store.call(Advance{fallback_interval});
  EXPECT_EQ(store.call(Receive{.max = 5, .lease = 60s}).deliveries.size(), 1u);
}

TEST_P(Composed, ARefusedWriteChangesNothing) {
  auto bad = store.try_call(Supply{.workflow = "w", .key = "inbox:1", .value = "v", .enqueue = Wakeup{}});
  EXPECT_EQ(bad.status(), Status::invalid);
  auto large = store.try_call(Append{.workflow = std::string(600, 'w'), .value = "v", .enqueue = Wakeup{}});
  EXPECT_EQ(large.status(), Status::too_large);
  EXPECT_TRUE(store.call(List{}).workflows.empty());
}

TEST_P(Composed, ChainsHoldAcrossComposedOperations) {
  Fence fence = store.call(Acquire{.workflow = "w", .ttl = 60s, .budget = 1h}).fence;
  auto [a, b, c, d] = store.chain(Record{.workflow = "w", .fence = fence, .key = "a", .value = "1"},
                                  Supply{.workflow = "v", .key = "b", .value = "2", .enqueue = Wakeup{}},
                                  Record{.workflow = "w", .fence = fence, .key = "c", .value = "3"},
                                  Append{.workflow = "v", .value = "4", .enqueue = Wakeup{}});
  EXPECT_TRUE(a.ok() && b.ok() && c.ok() && d.ok());
  EXPECT_EQ(b->state, State::ready);
  EXPECT_EQ(d->state, State::coalesced);
  auto [e, f, g] = store.chain(Record{.workflow = "w", .fence = {}, .key = "e", .value = "1"},
                               Supply{.workflow = "u", .key = "b", .value = "2", .enqueue = Wakeup{}},
                               Record{.workflow = "w", .fence = fence, .key = "g", .value = "3"});
  EXPECT_EQ(e.status(), Status::fenced);
  EXPECT_EQ(f.status(), Status::skipped);
  EXPECT_EQ(g.status(), Status::skipped);
  auto [h, i] = store.chain(Supply{.workflow = "u", .key = "", .value = "2", .enqueue = Wakeup{}},
                            Record{.workflow = "w", .fence = fence, .key = "i", .value = "3"});
  EXPECT_EQ(h.status(), Status::invalid);
  EXPECT_EQ(i.status(), Status::skipped);
  EXPECT_EQ(store.call(Load{.workflow = "w"}).records.size(), 2u);
  EXPECT_TRUE(store.call(Load{.workflow = "u"}).records.empty());
}

TEST_P(Composed, AReceiveBringsLeaseAndRecords) {
  for (const char* id : {"a", "b", "c"})
    store.call(Supply{.workflow = id, .key = "in", .value = id, .enqueue = Wakeup{}});
  Received received = store.call(Receive{.max = 10, .lease = 60s, .acquire = lease, .load = Receive::Records{}});
  ASSERT_EQ(received.deliveries.size(), 3u);
  for (const Delivery& d : received.deliveries) {
    ASSERT_EQ(d.records.size(), 1u);
    EXPECT_EQ(d.records[0].value, d.workflow);
    EXPECT_FALSE(d.more);
    auto [recorded, acked] = store.chain(Record{.workflow = d.workflow, .fence = d.fence, .key = "k", .value = "v"},
                                         Ack{.receipt = d.receipt, .fence = d.fence, .release = true});
    EXPECT_TRUE(recorded.ok() && acked.ok());
  }
}

TEST_P(Composed, AHeldWorkflowIsPutOffAndOthersAreHandedOut) {
  Fence holder = store.call(Acquire{.workflow = "held", .ttl = 60s, .budget = 1h}).fence;
  store.call(Enqueue{.workflow = "held"});
  store.call(Enqueue{.workflow = "free", .at = store.info().store_time});
  Received received = store.call(Receive{.max = 1, .lease = 60s, .acquire = lease});
  ASSERT_EQ(received.deliveries.size(), 1u);
  EXPECT_EQ(received.deliveries[0].workflow, "free");
  EXPECT_TRUE(store.call(Receive{.lease = 60s, .acquire = lease}).deliveries.empty());
  EXPECT_EQ(store.call(List{.prefix = "held"}).workflows.at(0).state, State::delayed);
  store.call(Release{.workflow = "held", .fence = holder});
  store.call(Advance{fallback_interval});
  Received now = store.call(Receive{.lease = 60s, .acquire = lease});
  ASSERT_EQ(now.deliveries.size(), 1u);
  EXPECT_EQ(now.deliveries[0].delivery_count, 1u) << "a wakeup that was put off was not delivered (D5)";
}

TEST_P(Composed, TheStampIsTheOpIdOfTheReceive) {
  for (const char* id : {"a", "b"}) store.call(Enqueue{.workflow = id});
  Id op_id = Id::random();
  Received received = store.call(Receive{.max = 2, .lease = 60s, .acquire = lease, .op_id = op_id});
  ASSERT_EQ(received.deliveries.size(), 2u);
  for (const Delivery& d : received.deliveries) EXPECT_EQ(d.fence.stamp, op_id) << "A1";
}

TEST_P(Composed, ADeliveryThatLapsesMeanwhileIsHandedOutOnce) {
  store.call(Acquire{.workflow = "held", .ttl = 1h, .budget = 1h});
  for (const char* id : {"w", "held"}) store.call(Enqueue{.workflow = id});
  int receives = 0;
  Store beside(hidden);  // a lane of its own
  hidden->before_receive = [&] {
    if (++receives == 2) beside.call(Advance{2s});
  };
  Received received = store.call(Receive{.max = 2, .lease = 1s, .acquire = lease});
  hidden->before_receive = {};
  ASSERT_EQ(receives, 2);
  ASSERT_EQ(received.deliveries.size(), 1u) << "distinct workflows (D10)";
  const Delivery& d = received.deliveries[0];
  EXPECT_TRUE(store.try_call(Ack{.receipt = d.receipt, .fence = d.fence}).ok()) << "the newest of them (D2)";
}

TEST_P(Composed, ALostReceiveIsHandedOutAgain) {
  store.call(Enqueue{.workflow = "w"});
  Id op_id = Id::random();
  Received first = store.call(Receive{.lease = 60s, .acquire = lease, .op_id = op_id});
  Received again = store.call(Receive{.lease = 60s, .acquire = lease, .op_id = op_id, .again = true});
  ASSERT_EQ(again.deliveries.size(), 1u);
  EXPECT_EQ(again.deliveries[0].receipt, first.deliveries.at(0).receipt);
  EXPECT_EQ(again.deliveries[0].fence, first.deliveries.at(0).fence);
}

TEST_P(Composed, ArgumentsAreJudgedFirst) {
  EXPECT_EQ(store.try_call(Receive{.lease = 60s, .acquire = Receive::Lease{0s, 1s}}).status(), Status::invalid);
  EXPECT_EQ(store.try_call(Receive{.lease = 0s, .acquire = lease}).status(), Status::invalid);
  EXPECT_EQ(store.try_call(Watch{.workflows = {{"", 0}}}).status(), Status::invalid);
  std::vector<Watch::Item> many(1001, Watch::Item{"w", 0});
  EXPECT_EQ(store.try_call(Watch{.workflows = many}).status(), Status::invalid);
}

// The line that loses messages lies below what is composed: any part may be lost, on its way there or back.
TEST_P(Composed, PartsThatAreLostAreSentAgain) {
  auto raw = uncoupled("memory:");
  auto line =
      apply_layer("chaos", {{"seed", "7"}, {"lose_request", "0.1"}, {"lose_reply", "0.1"}, {"cut", "0.05"}}, raw);
  Store lossy = Store(with_composition(line)), behind = Store(raw);
  for (int i = 0; i < 60; ++i) {
    const std::string job = "job" + std::to_string(i);
    lossy.call(Append{.workflow = job, .value = "m", .enqueue = Wakeup{}});
    Received received = lossy.call(Receive{.lease = 1h, .wait = 20s, .acquire = lease, .load = Receive::Records{}});
    ASSERT_EQ(received.deliveries.size(), 1u) << job;
    const Delivery& d = received.deliveries[0];
    EXPECT_EQ(d.workflow, job);
    EXPECT_EQ(d.delivery_count, 1u) << job << ": put off or taken twice";
    EXPECT_EQ(d.records.size(), 1u) << job;
    lossy.call(Record{.workflow = job, .fence = d.fence, .key = "k", .value = "v"});
    EXPECT_FALSE(lossy.call(Ack{.receipt = d.receipt, .fence = d.fence, .release = true}).requeued) << job;
    EXPECT_EQ(behind.call(Load{.workflow = job}).records.size(), 2u) << job;
  }
  for (const auto& [name, times] : layer_counts(*line))
    if (name.starts_with("lost_")) {
      EXPECT_GT(times, 10u) << name;
    }
}

class Watching : public Composed {
 protected:
  std::shared_ptr<Uncoupled> hidden_real = uncoupled("memory:");
  Store real = Store(with_composition(hidden_real));
};
INSTANTIATE_TEST_SUITE_P(Batch, Watching, testing::Values(64));

TEST_P(Watching, AnswersAtOnceWhatIsThere) {
  real.call(Supply{.workflow = "b", .key = "k", .value = "v"});
  EXPECT_EQ(real.call(Watch{.workflows = {{"a", 0}, {"b", 0}}}).changed, (std::vector<std::size_t>{1}));
  EXPECT_TRUE(real.call(Watch{.workflows = {{"a", 0}, {"b", 1}}}).changed.empty());
  EXPECT_TRUE(real.call(Watch{.workflows = {}, .wait = 5ms}).changed.empty());
}

TEST_P(Watching, SeesRecordsAndDiscards) {
  Acquired held = real.call(Acquire{.workflow = "w", .ttl = 60s, .budget = 1h});
  real.call(Record{.workflow = "w", .fence = held.fence, .key = "k", .value = "v"});
  std::thread writer([&] { real.call(Record{.workflow = "w", .fence = held.fence, .key = "l", .value = "v"}); });
  EXPECT_EQ(real.call(Watch{.workflows = {{"w", 1}}, .wait = 20s}).changed.size(), 1u);
  writer.join();
  std::thread discarder([&] {
    int before = hidden_real->loads;
    while (hidden_real->loads == before) std::this_thread::yield();  // it has been looked at
    real.call(Discard{.workflow = "w"});
  });
  EXPECT_EQ(real.call(Watch{.workflows = {{"w", 2}}, .wait = 20s}).changed.size(), 1u);
  discarder.join();
}

TEST_P(Watching, OnePollServesAll) {
  constexpr int watchers = 24;
  std::vector<std::thread> threads;
  std::atomic<int> woken{0};
  for (int i = 0; i < watchers; ++i)
    threads.emplace_back([&] {
      woken += static_cast<int>(real.call(Watch{.workflows = {{"w", 0}}, .wait = 20s}).changed.size());
    });
  while (hidden_real->loads < 3 * watchers) std::this_thread::yield();  // everybody is looked for, several times
  EXPECT_LT(hidden_real->executes, hidden_real->loads) << "looks go together";
  real.call(Supply{.workflow = "w", .key = "k", .value = "v"});
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(woken, watchers);
}

/// One watch of one workflow.
struct OneWatch {
  explicit OneWatch(std::string_view name) : watched{bytes_of(name), 0} {
    auto* request = op.request<stile_watch_request>();
    request->watched = &watched;
    request->n_watched = 1;
  }
  void run(WatchPoll& poll, const WatchPoll::Look& look, const std::function<bool()>& interrupted) {
    const Deadline bound = std::chrono::steady_clock::now() + 20s;
    poll.watch(*op.get(), bound, bound, look, interrupted);
  }
  std::uint64_t told() { return op.result<stile_watch_result>()->n_changed; }

  stile_watched watched;
  codec::Op op{STILE_OP_WATCH};
};

// What is written between the last look of its pace and the end of the wait is there when the watch answers (B14).
TEST(WatchPoll, LooksOnceMoreWhenTheWaitIsOver) {
  WatchPoll poll;
  OneWatch watch("w");
  const Deadline until = std::chrono::steady_clock::now() + 60ms;
  stile_record record{};
  bool told = false;
  auto look = [&](std::span<stile_op* const> loads) {
    told = std::chrono::steady_clock::now() >= until;
    for (stile_op* load : loads) {
      load->status = STILE_OK;
      if (told) static_cast<stile_load_result*>(load->result)->records = &record;
    }
    return Status::ok;
  };
  poll.watch(*watch.op.get(), until, until + 20s, look, [] { return false; });
  EXPECT_TRUE(told);
  EXPECT_EQ(watch.told(), 1u);
}

// Who polls keeps the lock from one look to the next, so that whoever it told something cannot have left in between.
TEST(WatchPoll, WhoHasItsAnswerIsNotLookedForAgain) {
  WatchPoll poll;
  OneWatch told("told"), polling("polling");
  std::atomic<bool> came = false;
  std::vector<std::string> looked_for;
  stile_record record{};
  std::thread other;
  auto answer = [&](stile_op* load, bool changed) {
    load->status = STILE_OK;
    if (!changed) return;
    auto* result = static_cast<stile_load_result*>(load->result);
    result->records = &record;
  };
  auto never = [](std::span<stile_op* const>) { return ADD_FAILURE() << "it polls itself", Status::unavailable; };
  auto look = [&](std::span<stile_op* const> loads) {
    std::string names;
    for (const stile_op* load : loads)
      names += std::string(view(static_cast<const stile_load_request*>(load->request)->workflow)) + " ";
    looked_for.push_back(names);
    if (looked_for.size() == 1) other = std::thread([&] { told.run(poll, never, [&] { return came = true, false; }); });
    while (!came) std::this_thread::yield();
    // Until all are due again: the next look is for everybody who has no answer yet.
    for (auto due = std::chrono::steady_clock::now() + 50ms; std::chrono::steady_clock::now() < due;)
      std::this_thread::yield();
    for (stile_op* load : loads) answer(load, looked_for.size() >= 2 && (loads.size() == 1 || load == loads[1]));
    return Status::ok;
  };
  polling.run(poll, look, [] { return false; });
  other.join();
  EXPECT_EQ(looked_for, (std::vector<std::string>{"polling ", "polling told ", "polling "}));
  EXPECT_EQ(told.told(), 1u);
  EXPECT_EQ(polling.told(), 1u);
}

TEST_P(Watching, EndsByItsWaitByStopAndByClose) {
  EXPECT_TRUE(real.call(Watch{.workflows = {{"w", 0}}, .wait = 30ms}).changed.empty());
  std::stop_source stop;
  std::thread stopper([&] { stop.request_stop(); });
  EXPECT_EQ(real.try_call(Watch{.workflows = {{"w", 0}}, .wait = 20s}, {.stop = stop.get_token()}).status(),
            Status::interrupted);
  stopper.join();
  std::thread closer([&] { real.close(); });
  EXPECT_EQ(real.try_call(Watch{.workflows = {{"w", 0}}, .wait = 20s}).status(), Status::interrupted);
  closer.join();
}

TEST(Coupled, AStoreThatCouplesAllGetsNoLinkInBetween) {
  auto backend = open_backend("memory:", {});
  auto link = backend->connect(Deadline::max());
  const Link& made = *link;
  EXPECT_EQ(std::string(typeid(made).name()).find("Composed"), std::string::npos);
}

}  // namespace
}  // namespace stile::store

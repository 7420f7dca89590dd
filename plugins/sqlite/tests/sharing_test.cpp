// Many callers of one process: they share commits, wait at no cost, are woken one at a time, and share a clock.
//
// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <climits>
#include <ctime>
#include <deque>
#include <latch>
#include <thread>

#include "side_file.hpp"
#include "support.hpp"

namespace stile::sqlite::test {
namespace {

// How many commits all processes have begun, as they tell each other.
class CommitCounter {
 public:
  explicit CommitCounter(const std::string& path) {
    const int file = open((path + "-stile").c_str(), O_RDONLY | O_CLOEXEC);
    content_ = static_cast<const SideContent*>(mmap(nullptr, sizeof(SideContent), PROT_READ, MAP_SHARED, file, 0));
    close(file);
  }
  ~CommitCounter() { munmap(const_cast<SideContent*>(content_), sizeof(SideContent)); }
  std::uint64_t count() const { return content_->begun.load(); }

 private:
  const SideContent* content_;
};

TEST(Sharing, CallersShareCommits) {
  Folder folder;
  Plugin plugin;
  Store store(plugin, folder.file());
  constexpr int callers = 16, each = 40, tries = 20;
  constexpr std::uint64_t alone = callers * each;
  const CommitCounter commits(folder.file());
  std::atomic<int> failed{0};
  std::uint64_t begun = alone;
  int tried = 0;
  // In a folder in memory a commit may be over before another caller has had a processor: then they are asked again.
  for (; tried < tries && begun >= alone * 3 / 4; ++tried) {
    std::latch together(callers);
    std::atomic<std::uint64_t> before{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < callers; ++i)
      threads.emplace_back([&, i] {
        auto session = store.connect();
        const std::string workflow = "w" + std::to_string(i) + "." + std::to_string(tried);
        const stile_fence fence = session->acquire(workflow);
        if (i == 0) before = commits.count();
        together.arrive_and_wait();
        for (int n = 0; n < each; ++n)
          if (session->record(workflow, fence, std::to_string(n), "v") != STILE_OK) ++failed;
      });
    for (auto& thread : threads) thread.join();
    begun = commits.count() - before;
  }
  EXPECT_EQ(failed, 0);
  EXPECT_LT(begun, alone * 3 / 4) << "in each of " << tries << " tries";
  auto session = store.connect();
  Stats stats;
  ASSERT_EQ(session->run(stats), STILE_OK);
  EXPECT_EQ(stats.result.records, alone * static_cast<std::uint64_t>(tried));
}

// In one shared transaction each has its own answer: what one is refused costs the others nothing (R3).
TEST(Sharing, OneThatFailsDoesNotTouchTheOthers) {
  Folder folder;
  Plugin plugin;
  Store store(plugin, folder.file());
  auto session = store.connect();
  Foreign(folder.file()).exec("CREATE TABLE t(x PRIMARY KEY); INSERT INTO t VALUES ('a')");
  const stile_fence fence = session->acquire("w");
  const std::string sql = "INSERT OR ROLLBACK INTO t VALUES ('a') RETURNING 'x'";
  stile_effect effect = {};
  effect.struct_size = sizeof effect;
  effect.form = STILE_EFFECT_STATEMENT;
  effect.language = STILE_LIT("sql");
  effect.text = {sql.data(), sql.size()};
  Transact fails;
  fails.request.workflow = bytes("w");
  fails.request.fence = fence;
  fails.request.key = bytes("effect");
  fails.request.effect = &effect;
  Record before, after, chained;
  for (Record* record : {&before, &after, &chained}) {
    record->request.workflow = bytes("w");
    record->request.fence = fence;
  }
  before.request.key = bytes("before");
  after.request.key = bytes("after");
  chained.request.key = bytes("chained");
  chained->must = STILE_MUST_AFTER_OK;
  session->execute({before.get(), fails.get(), chained.get(), after.get()});
  EXPECT_EQ(before.status(), STILE_OK) << before.error();
  EXPECT_EQ(fails.status(), STILE_EFFECT_FAILED) << fails.error();
  EXPECT_EQ(chained.status(), STILE_SKIPPED);
  EXPECT_EQ(after.status(), STILE_OK) << after.error();
  EXPECT_EQ(after.result.position, before.result.position + 1);
  EXPECT_EQ(session->load("w", "before"), "");
  EXPECT_EQ(session->load("w", "effect"), "(none)");
}

// How often the other threads of this process went to sleep, and so how often they were woken.
long sleeps_of_others() {
  rusage all = {}, own = {};
  getrusage(RUSAGE_SELF, &all);
  getrusage(RUSAGE_THREAD, &own);
  return all.ru_nvcsw - own.ru_nvcsw;
}

class Waiting : public testing::Test {
 protected:
  Waiting() : store(plugin, folder.file()), session(store.connect()) {}
  ~Waiting() override {
    for (auto& thread : threads) thread.join();
  }

  // So many threads that receive one workflow each.
  void start(int receivers) {
    for (int i = 0; i < receivers; ++i)
      threads.emplace_back([this] {
        auto own = store.connect();
        const stile_bytes queue = {};
        Receive op;
        op.request.max = 1;
        op.request.lease = 60 * s;
        op.request.wait = 60 * s;
        op.request.queues = &queue;
        op.request.n_queues = 1;
        ++waiting;
        own->run(op, 120 * s);
        EXPECT_EQ(op.status(), STILE_OK) << op.error();
        if (op.result.deliveries) ++delivered;
        ++over;
      });
    ASSERT_TRUE(eventually([&] { return waiting == receivers; }));
  }

  Folder folder;
  Plugin plugin;
  Store store;
  std::unique_ptr<Session> session;
  std::atomic<int> waiting{0}, delivered{0}, over{0};
  std::vector<std::thread> threads;
};

TEST_F(Waiting, ManyWaitAndEachGetsOne) {
  start(40);
  for (int i = 0; i < 40; ++i) ASSERT_EQ(session->enqueue("w" + std::to_string(i)), STILE_OK);
  EXPECT_TRUE(eventually([&] { return over == 40; }));
  EXPECT_EQ(delivered, 40);
}

// No herd: of fifty who wait, an enqueue wakes a few, not all (W5).
TEST_F(Waiting, AnEnqueueWakesAFew) {
  start(50);
  const CommitCounter commits(folder.file());
  const std::uint64_t before = commits.count();
  for (int i = 0; i < 10; ++i) {
    ASSERT_EQ(session->enqueue("w" + std::to_string(i)), STILE_OK);
    ASSERT_TRUE(eventually([&] { return delivered == i + 1; }));
  }
  // Ten enqueues, ten deliveries, and here and there somebody who came too late.
  EXPECT_LE(commits.count() - before, 60u);
  for (int i = 10; i < 50; ++i) session->enqueue("w" + std::to_string(i));
  EXPECT_TRUE(eventually([&] { return over == 50; }));
}

TEST_F(Waiting, IdleWaitersCostNothingToSpeakOf) {
  start(200);
  // Counted, not timed: once all are asleep, one thread wakes once a second for all of them. A machine too slow for
  // that wakes it less often, never more.
  long fewest = LONG_MAX;
  const auto a_quiet_second = [&] {
    const long before = sleeps_of_others();
    eventually_without_spinning([&] { return over > 0; }, 1 * s);
    fewest = std::min(fewest, sleeps_of_others() - before);
    return fewest <= 20;
  };
  EXPECT_TRUE(eventually_without_spinning(a_quiet_second, 60 * s)) << "at best " << fewest << " in a second";
  EXPECT_EQ(over, 0);
  for (int i = 0; i < 200; ++i) ASSERT_EQ(session->enqueue("w" + std::to_string(i)), STILE_OK);
  EXPECT_TRUE(eventually([&] { return over == 200; }, 60 * s));
  EXPECT_EQ(delivered, 200);
}

TEST_F(Waiting, AnInterruptEndsIt) {
  auto own = store.connect();
  const stile_bytes queue = {};
  Receive op;
  op.request.max = 1;
  op.request.lease = 60 * s;
  op.request.wait = 60 * s;
  op.request.queues = &queue;
  op.request.n_queues = 1;
  std::atomic<bool> done{false};
  std::thread caller([&] {
    own->run(op, 120 * s);
    done = true;
  });
  // Whether it has begun already or not: every call up to that serial returns soon.
  own->interrupt(1);
  EXPECT_TRUE(eventually([&] { return done.load(); }, 10 * s));
  caller.join();
  EXPECT_EQ(op.status(), STILE_INTERRUPTED) << op.error();
  EXPECT_EQ(own->enqueue("w"), STILE_OK);  // and no later one
}

TEST_F(Waiting, TheWaitAndTheDeadlineAreBounds) {
  for (const auto& [wait, patience] : {std::pair(200 * ms, 60 * s), std::pair(60 * s, 200 * ms)}) {
    const stile_bytes queue = {};
    Receive op;
    op.request.max = 1;
    op.request.lease = 60 * s;
    op.request.wait = wait;
    op.request.queues = &queue;
    op.request.n_queues = 1;
    const std::int64_t start = monotonic();
    EXPECT_EQ(session->run(op, patience), STILE_OK) << op.error();
    EXPECT_FALSE(op.result.deliveries);
    EXPECT_GE(monotonic() - start, 200 * ms);
    EXPECT_LT(monotonic() - start, 10 * s);
  }
}

TEST_F(Waiting, ALapsedDeliveryComesAgain) {
  ASSERT_EQ(session->enqueue("w"), STILE_OK);
  EXPECT_EQ(session->receive(0, {}, 300 * ms).size(), 1u);
  const std::int64_t start = monotonic();
  EXPECT_EQ(session->receive(20 * s), std::vector<std::string>{"w"});
  EXPECT_LT(monotonic() - start, 5 * s);
}

// In two queues at once, and of both at the same moment it is told only once.
TEST_F(Waiting, InTwoQueuesAtOnce) {
  constexpr int receivers = 8, each = 25;
  std::atomic<int> got{0};
  std::vector<std::thread> own_threads;
  for (int i = 0; i < receivers; ++i)
    own_threads.emplace_back([&] {
      auto own = store.connect();
      const stile_bytes queues[] = {bytes("a"), bytes("b")};
      for (const std::int64_t until = monotonic() + 60 * s; got < receivers * each && monotonic() < until;) {
        Receive op;
        op.request.max = 1;
        op.request.lease = 60 * s;
        op.request.wait = 500 * ms;
        op.request.queues = queues;
        op.request.n_queues = 2;
        EXPECT_EQ(own->run(op), STILE_OK) << op.error();
        if (op.result.deliveries) ++got;
      }
    });
  for (int i = 0; i < receivers * each / 2; ++i)
    for (const char* queue : {"a", "b"}) ASSERT_EQ(session->enqueue(queue + std::to_string(i), 0, queue), STILE_OK);
  for (auto& thread : own_threads) thread.join();
  EXPECT_EQ(got, receivers * each);
}

// The thread that waits for all wakes for the first of two queues; the second is not late for that (W4).
TEST_F(Waiting, ALaterOneInAnotherQueueIsNotForgotten) {
  constexpr int rounds = 7;
  std::int64_t late = 0;
  for (int i = 0; i < rounds; ++i) {
    std::atomic<bool> first{false};
    std::atomic<std::int64_t> at{0};
    std::thread one([&] { first = store.connect()->receive(20 * s, "a").size() == 1; });
    std::thread other([&] {
      if (store.connect()->receive(20 * s, "b").size() == 1) at = monotonic();
    });
    const std::string workflow = std::to_string(i);
    EXPECT_EQ(session->enqueue("a" + workflow, 250 * ms, "a"), STILE_OK);
    const std::int64_t due = monotonic() + 300 * ms;
    EXPECT_EQ(session->enqueue("b" + workflow, 300 * ms, "b"), STILE_OK);
    one.join();
    other.join();
    EXPECT_TRUE(first);
    late += at - due;
  }
  EXPECT_LT(late / rounds, 200 * ms);
}

// A session that was there before the store was prepared waits like any other.
TEST(WaitingFirst, ConnectedBeforeThePrepare) {
  Folder folder;
  Plugin plugin;
  { ASSERT_EQ(Foreign(folder.file()).exec("CREATE TABLE theirs(x)"), SQLITE_OK); }
  Store early(plugin, folder.file(), {{"prepare", "never"}});
  auto waits = early.connect();
  Store store(plugin, folder.file());
  ASSERT_EQ(store.connect()->enqueue("w"), STILE_OK);
  EXPECT_EQ(waits->receive(10 * s), std::vector<std::string>{"w"});
}

double thread_seconds() {
  timespec now = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

// However much there is to trim, one call holds the file for 50 ms at most (T5); judged by the processor's time.
TEST(Trimming, NoCallHoldsTheFileForLong) {
  Folder folder;
  Plugin plugin;
  Store store(plugin, folder.file(), {{"clock", "manual"}, {"synchronous", "normal"}});
  auto session = store.connect();
  constexpr int workflows = 120, each = 500;
  const std::string value(100, 'x');
  for (int i = 0; i < workflows; ++i) {
    const std::string workflow = "w" + std::to_string(i);
    std::deque<Append> ops(each);
    std::vector<stile_op*> batch;
    for (Append& op : ops) {
      op.request.workflow = bytes(workflow);
      op.request.value = bytes(value);
      batch.push_back(op.get());
    }
    session->execute(batch);
    ASSERT_EQ(ops.back().status(), STILE_OK) << ops.back().error();
    Discard discard;
    discard.request.workflow = bytes(workflow);
    ASSERT_EQ(session->run(discard), STILE_OK);
  }
  std::vector<double> took;
  for (bool more = true; more && took.size() < 10'000;) {
    Trim trim;
    trim.request.limit = 100'000;
    const double start = thread_seconds();
    ASSERT_EQ(session->run(trim), STILE_OK) << trim.error();
    took.push_back(thread_seconds() - start);
    more = trim.result.more != 0;
  }
  EXPECT_EQ(Foreign(folder.file()).ask("SELECT count(*) FROM stile_record"), "0");
  EXPECT_GT(took.size(), 1u);
  std::sort(took.begin(), took.end());
  EXPECT_LT(took[took.size() * 9 / 10], 0.05) << testing::PrintToString(took);
}

// --- the clock ------------------------------------------------------------------------------------------------------

STILE_TEST_CHILD(advance_an_hour) {
  Plugin plugin;
  Store store(plugin, arguments.at(0));  // without clock=manual: the namespace knows
  auto session = store.connect();
  Advance op;
  op.request.by = 3600 * s;
  if (session->run(op) != STILE_OK) return 1;
  tell(std::to_string(op.result.store_time));
  return 0;
}

TEST(Clock, StandsStillForAllWhoShareIt) {
  Folder folder;
  Plugin plugin;
  Store store(plugin, folder.file(), {{"clock", "manual"}});
  auto session = store.connect();
  const std::int64_t start = session->store_time();
  EXPECT_EQ(session->enqueue("w", 1800 * s), STILE_OK);
  EXPECT_TRUE(session->receive().empty());
  std::vector<std::string> got;
  std::thread receiver([&] { got = store.connect()->receive(4000 * s); });
  Process other("advance_an_hour", {folder.file()});
  EXPECT_EQ(other.line(), std::to_string(start + 3600 * s));
  receiver.join();
  EXPECT_EQ(got, std::vector<std::string>{"w"});
  EXPECT_EQ(session->store_time(), start + 3600 * s);
}

TEST(Clock, AWaitEndsByTheManualClockToo) {
  Folder folder;
  Plugin plugin;
  Store store(plugin, folder.file(), {{"clock", "manual"}});
  auto session = store.connect();
  std::atomic<bool> over{false};
  std::thread receiver([&] {
    EXPECT_TRUE(store.connect()->receive(1000 * s).empty());
    over = true;
  });
  Advance op;
  op.request.by = 600 * s;
  for (int i = 0; i < 100 && !over; ++i) {
    op.reset();
    EXPECT_EQ(session->run(op), STILE_OK);
    eventually([&] { return over.load(); }, 200 * ms);
  }
  receiver.join();
}

TEST(Clock, IsTheNamespacesOwn) {
  Folder folder;
  Plugin plugin;
  Store manual(plugin, folder.file(), {{"clock", "manual"}}, "a"), running(plugin, folder.file(), {}, "b");
  auto stands = manual.connect(), runs = running.connect();
  Advance op;
  op.request.by = 86'400 * s;
  EXPECT_EQ(runs->run(op), STILE_UNSUPPORTED);
  op.reset();
  EXPECT_EQ(stands->run(op), STILE_OK) << op.error();
  EXPECT_LT(runs->store_time(), stands->store_time());
  std::string error;
  EXPECT_EQ(Store(plugin, folder.file(), {{"clock", "system"}}, "a").try_connect(error), STILE_INVALID) << error;
  EXPECT_EQ(Store(plugin, folder.file(), {{"clock", "manual"}}, "b").try_connect(error), STILE_INVALID) << error;
}

}  // namespace
}  // namespace stile::sqlite::test

// SPDX-License-Identifier: Apache-2.0
#include "fulfil.hpp"

#include <condition_variable>
#include <cstdio>
#include <memory>
#include <mutex>
#include <random>
#include <thread>

#include "ledger.hpp"
#include "order.hpp"
#include "stile/worker.hpp"

namespace orders {
namespace {

using namespace std::chrono_literals;
using stile::Attempt;
using stile::Run;
using stile::Task;

/// The world of this process: everything here takes a while, and some of it fails now and then.
class Shop {
 public:
  Shop(const std::string& folder, Board& board) : ledger_(folder), board_(board) {}

  std::string act(Attempt& attempt, std::string_view what, std::int64_t cents) {
    if (attempt.number() > 1) ++board_.retried;
    dawdle(attempt.stop_token());
    if (what == "ship" && one_in(12)) throw std::runtime_error("the carrier did not answer");
    auto reference = ledger_.act(attempt.idempotency_key(), what, cents);
    dawdle(attempt.stop_token());  // a worker that is killed here has acted and not recorded
    return reference;
  }

 private:
  static std::minstd_rand& random() {
    thread_local std::minstd_rand random{std::random_device{}()};
    return random;
  }
  static bool one_in(unsigned n) { return std::uniform_int_distribution<unsigned>(1, n)(random()) == 1; }
  static void dawdle(const std::stop_token& stop) {
    std::mutex mutex;
    std::unique_lock lock(mutex);
    auto time = std::chrono::milliseconds(std::uniform_int_distribution<int>(10, 80)(random()));
    std::condition_variable_any().wait_for(lock, stop, time, [] { return false; });
  }

  Ledger ledger_;
  Board& board_;
};

Task<Ended> run_fulfil(Shop& shop, Run& run, Order order) {
  const stile::StepOptions often{.retry = {.attempts = 8, .first = 50ms, .most = 400ms}};
  co_await run.step("reserve", [&](Attempt& a) { return shop.act(a, "reserve", 0); });
  co_await run.step("charge", [&](Attempt& a) { return shop.act(a, "charge", order.cents()); });
  if (order.needs_approval()) {
    auto decided = co_await run.wait(decision, 10min);
    if (!decided || !decided->approved) {
      co_await run.step("refund", [&](Attempt& a) { return shop.act(a, "refund", -order.cents()); });
      co_return Ended{"refused", 0, ""};
    }
  }
  co_await run.sleep("settling", 1500ms);
  auto parcel = co_await run.try_step("ship", often, [&](Attempt& a) {
    if (!order.can_be_shipped()) throw stile::Permanent("the carrier takes no anvils");
    return shop.act(a, "ship", 0);
  });
  if (!parcel) {
    co_await run.step("refund", [&](Attempt& a) { return shop.act(a, "refund", -order.cents()); });
    co_return Ended{"undeliverable", 0, ""};
  }
  co_await run.step("receipt", [&](Attempt& a) { return shop.act(a, "receipt", 0); });
  co_return Ended{"shipped", order.cents(), *parcel};
}

/// Puts the worker's counts on the board as they change, a few times a second.
class Poster {
 public:
  Poster(const stile::Worker& worker, Board& board)
      : thread_([&worker, &board](std::stop_token stop) {
          stile::WorkerCounts told;
          std::mutex mutex;
          std::condition_variable_any changed;
          for (bool last = false; !last;) {
            std::unique_lock lock(mutex);
            changed.wait_for(lock, stop, 20ms, [] { return false; });
            last = stop.stop_requested();
            auto counts = worker.counts();
            board.passes += counts.passes - told.passes;
            board.taken_over += counts.taken_over - told.taken_over;
            board.waited += counts.waiting - told.waiting;
            told = counts;
          }
        }) {}

 private:
  std::jthread thread_;
};

}  // namespace

int work(const std::string& config, const std::string& ns, const std::string& folder, Board& board) {
  auto stop = stile::stop_on_signals();
  try {
    auto store = stile::open(config, {.ns = ns, .program = "stile-orders"});
    Shop shop(folder, board);
    stile::Worker worker(store, {.concurrency = 16, .lease = 2s, .drain = 500ms, .check_values = true});
    worker.handle(fulfil, [&](Run& run, Order order) { return run_fulfil(shop, run, std::move(order)); });
    Poster poster(worker, board);
    worker.run(stop);
    return 0;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "orders: a worker ends: %s\n", e.what());
    return 1;
  }
}

}  // namespace orders

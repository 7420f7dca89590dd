// SPDX-License-Identifier: Apache-2.0
#include "conductor.hpp"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

#include "herd.hpp"
#include "orders_file.hpp"
#include "proof.hpp"
#include "stile/worker.hpp"
#include "types/streams.hpp"

namespace orders {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto most_time = 110s;

std::string grouped(std::int64_t number) {
  std::string text = std::to_string(number);
  for (auto at = static_cast<std::ptrdiff_t>(text.size()) - 3; at > (number < 0 ? 1 : 0); at -= 3)
    text.insert(static_cast<std::size_t>(at), ",");
  return text;
}
std::string money(std::int64_t cents) {
  std::string part = std::to_string(100 + cents % 100).substr(1);
  return grouped(cents / 100) + "." + part;
}

/// One line that rewrites itself on a terminal; a line every two seconds elsewhere.
class Display {
 public:
  explicit Display(bool plain) : live_(!plain && isatty(STDOUT_FILENO)) {}
  void show(const std::string& text) {
    auto now = Clock::now();
    if (live_) {
      std::printf("\r\033[K%s", text.c_str());
    } else if (now - last_ >= 2s) {
      std::printf("%s\n", text.c_str());
      last_ = now;
    }
    stile::types::flush_output();
  }
  void done() {
    if (live_) std::printf("\r\033[K");
    stile::types::flush_output();
  }

 private:
  bool live_;
  Clock::time_point last_{};
};

/// Starts every order, from several threads, while the workers are at it already.
class Starter {
 public:
  Starter(const stile::Store& store, const std::vector<Order>& orders) : store_(store), orders_(orders) {
    for (int i = 0; i < 8; ++i) threads_.emplace_back([this](std::stop_token stop) { run(stop); });
  }
  std::size_t started() const { return started_; }
  std::string error() {
    std::lock_guard lock(mutex_);
    return error_;
  }

 private:
  void run(const std::stop_token& stop) {
    for (std::size_t i; !stop.stop_requested() && (i = next_++) < orders_.size();) {
      try {
        stile::start(store_, fulfil, orders_[i].id, orders_[i]);
        ++started_;
      } catch (const std::exception& e) {
        std::lock_guard lock(mutex_);
        error_ = e.what();
        return;
      }
    }
  }
  stile::Store store_;
  const std::vector<Order>& orders_;
  std::atomic<std::size_t> next_{0}, started_{0};
  std::mutex mutex_;
  std::string error_;
  std::vector<std::jthread> threads_;
};

class Conductor {
 public:
  Conductor(const Conduct& options, OrdersFile file, stile::Store store, std::stop_token stop)
      : options_(options),
        file_(std::move(file)),
        store_(std::move(store)),
        stop_(std::move(stop)),
        board_(shared_board(options.folder)),
        random_(options.seed.value_or(std::random_device{}())),
        display_(options.plain) {
    for (const auto& order : file_.orders)
      if (order.needs_approval()) undecided_.push_back(&order);
  }

  int run() {
    auto begun = Clock::now();
    {
      Herd herd({"--worker", options_.config, "--namespace", options_.ns, "--dir", options_.folder}, options_.workers);
      Starter starter(store_, file_.orders);
      while (finished_ < file_.orders.size()) {
        if (stop_.stop_requested()) return display_.done(), 130;
        if (Clock::now() - begun > most_time) break;
        if (auto error = starter.error(); !error.empty()) throw std::runtime_error("starting an order: " + error);
        tick(herd, Clock::now() - begun);
      }
      herd.stop();
      killed_ = herd.killed();
    }
    display_.done();
    return report(prove(file_.orders, Ledger::read(options_.folder), store_), Clock::now() - begun);
  }

 private:
  void tick(Herd& herd, Clock::duration time) {
    pause(50ms);
    herd.look();
    for (int i = 0; i < 2 && !undecided_.empty(); ++i) {
      // The office answers in any order, some before their order asks.
      std::swap(undecided_.back(), undecided_[random_() % undecided_.size()]);
      const Order& order = *undecided_.back();
      stile::find(store_, fulfil, order.id).signal(decision, {order.would_be_approved(), "the office"});
      undecided_.pop_back();
    }
    bool some_work = board_.passes > 0 && finished_ < file_.orders.size();
    if (some_work && Clock::now() >= next_kill_ && herd.killed() < options_.most_kills) {
      if (next_kill_ != Clock::time_point{}) herd.kill_one(random_);
      next_kill_ = Clock::now() + std::chrono::milliseconds(std::uniform_int_distribution<int>(150, 500)(random_));
    }
    if (Clock::now() >= next_count_) {
      finished_ = store_.stats().finished;
      next_count_ = Clock::now() + 200ms;
      auto seconds = std::chrono::duration_cast<std::chrono::seconds>(time).count();
      display_.show(std::to_string(seconds) + " s   " + std::to_string(finished_) + " of " +
                    std::to_string(file_.orders.size()) + " orders finished, " + std::to_string(herd.killed()) +
                    " workers killed, " + std::to_string(board_.taken_over) + " passes taken over");
    }
  }

  void pause(std::chrono::milliseconds time) {
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any().wait_for(lock, stop_, time, [] { return false; });
  }

  int report(const Proof& proof, Clock::duration time) {
    std::string orders = std::to_string(file_.orders.size());
    auto line = [](const char* name, const std::string& text) { std::printf("  %-10s %s\n", name, text.c_str()); };
    std::printf("\nWhat happened\n");
    line("orders", std::to_string(proof.finished) + " of " + orders + " finished: " + std::to_string(proof.shipped) +
                       " shipped, " + std::to_string(proof.refused) + " refused by the office, " +
                       std::to_string(proof.undeliverable) + " not deliverable");
    line("workers", std::to_string(options_.workers) + " processes at a time, " + std::to_string(killed_) +
                        " killed with SIGKILL and replaced");
    line("passes", grouped(std::int64_t(board_.passes)) + " begun, " + std::to_string(board_.taken_over) +
                       " of them taken over from a dead worker; " + std::to_string(board_.retried) +
                       " attempts after a failed one");
    line("effects", grouped(std::int64_t(proof.expected)) + " due by the file, " + grouped(std::int64_t(proof.once)) +
                        " in the ledger exactly once, " + grouped(std::int64_t(proof.recorded)) +
                        " recorded in the store with the ledger's reference");
    line("repeats", std::to_string(proof.repeats) +
                        " asked for again, because a worker died between acting and recording: the ledger\n"
                        "             knew the idempotency key and did nothing");
    line("money", money(proof.charged) + " charged, " + money(proof.refunded) + " refunded, " +
                      money(proof.expected_kept) + " to keep by the file");
    line("time", std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(time).count() / 1000) + " s");
    return verdict(proof);
  }

  int verdict(const Proof& proof) {
    std::printf("\n");
    for (std::size_t i = 0; i < proof.wrong.size() && i < 20; ++i) std::printf("  WRONG  %s\n", proof.wrong[i].c_str());
    if (proof.wrong.size() > 20) std::printf("  WRONG  and %zu more\n", proof.wrong.size() - 20);
    bool bitten = killed_ > 0 && board_.taken_over > 0;
    if (!bitten) std::printf("  WRONG  no kill hit a worker at work: this run shows nothing; take more orders\n");
    if (!bitten || !proof.holds()) return 1;
    std::printf("PROVEN: every effect happened once, every order ended, though %u workers were killed.\n", killed_);
    return 0;
  }

  const Conduct& options_;
  OrdersFile file_;
  stile::Store store_;
  std::stop_token stop_;
  Board& board_;
  std::minstd_rand random_;
  Display display_;
  std::vector<const Order*> undecided_;
  std::uint64_t finished_ = 0;
  unsigned killed_ = 0;
  Clock::time_point next_kill_{}, next_count_{};
};

/// Removes what a run left in somebody's store: from several threads, for an interrupted run has not long.
void forget(const stile::Store& store, const std::vector<Order>& orders) {
  std::atomic<std::size_t> next{0};
  std::vector<std::jthread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] {
      for (std::size_t at; (at = next++) < orders.size();) try {
          stile::find(store, fulfil, orders[at].id).terminate();
        } catch (const stile::Error& e) {
          std::fprintf(stderr, "orders: %s is left in the store: %s\n", orders[at].id.c_str(), e.what());
        }
    });
}

/// Ends this process soon after it was asked to, whatever a store keeps it waiting for. The workers go with it.
class EndsSoon {
 public:
  explicit EndsSoon(const std::stop_token& stop)
      : asked_(stop, [] {
          std::thread([] {
            std::this_thread::sleep_for(800ms);
            std::fputs("orders: interrupted before everything was put away\n", stderr);
            _exit(130);
          }).detach();
        }) {}

 private:
  std::stop_callback<void (*)()> asked_;
};

}  // namespace

int conduct(const Conduct& options, std::stop_token stop) {
  EndsSoon ends_soon(stop);
  try {
    OrdersFile file = read_orders_file(options.file);
    auto store = stile::open(options.config, {.ns = options.ns, .program = "stile-orders"});
    store.prepare();
    // What it said when it was opened, it may have said unprepared.
    if (!store.info().has("cross_process")) {
      std::fprintf(stderr,
                   "orders: the store %s lives inside one process, and this demo runs several. Name a store that "
                   "processes can share\n",
                   store.config().c_str());
      return 2;
    }
    for (const auto& row : file.skipped) std::printf("  skipped: line %zu: %s\n", row.line, row.why.c_str());
    std::printf("  %zu orders from %s, %zu rows skipped\n", file.orders.size(), options.file.c_str(),
                file.skipped.size());
    stile::types::flush_output();
    if (options.most_orders && options.most_orders < file.orders.size()) file.orders.resize(options.most_orders);
    const std::vector<Order> orders = file.orders;
    int status = Conductor(options, std::move(file), store, stop).run();
    if (options.clean) forget(store, orders);
    return status;
  } catch (const BadFile& e) {
    std::fprintf(stderr, "orders: %s\n", e.what());
    return 2;
  } catch (const stile::Error& e) {
    std::fprintf(stderr, "orders: %s: %s\n", stile::name_of(e.status()).c_str(), e.what());
    return e.status() == stile::Status::invalid ? 2 : 10 + static_cast<int>(e.status());
  } catch (const std::exception& e) {
    std::fprintf(stderr, "orders: %s\n", e.what());
    return 1;
  }
}

}  // namespace orders

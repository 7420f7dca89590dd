// What work costs.
//
// SPDX-License-Identifier: Apache-2.0
#include "cli/bench/costs.hpp"

#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "store/relay.hpp"

namespace {

std::atomic<std::uint64_t> syncs{0};

long count_sync(long number, int fd) {
  syncs.fetch_add(1, std::memory_order_relaxed);
  return syscall(number, fd);
}

}  // namespace

// Plugins call these instead of the C library's (the program exports them), so that their syncs are counted.
extern "C" __attribute__((visibility("default"))) int fdatasync(int fd) {
  return static_cast<int>(count_sync(SYS_fdatasync, fd));
}
extern "C" __attribute__((visibility("default"))) int fsync(int fd) {
  return static_cast<int>(count_sync(SYS_fsync, fd));
}

namespace stile::cli::bench {
namespace {

class CountedLink : public store::Link {
 public:
  CountedLink(std::unique_ptr<store::Link> inner, TripCounter& trips)
      : inner_(std::move(inner)), trips_(trips.of_link()) {}

  store::Fate execute(const stile_call& call, std::span<stile_op* const> ops) noexcept override {
    trips_.fetch_add(1, std::memory_order_relaxed);
    return inner_->execute(call, ops);
  }
  void interrupt(std::uint64_t serial) noexcept override { inner_->interrupt(serial); }

 private:
  std::unique_ptr<store::Link> inner_;
  TripCounter::Count& trips_;
};

class CountedBackend : public store::Relay {
 public:
  CountedBackend(std::shared_ptr<store::Backend> inner, TripCounter& trips) : Relay(std::move(inner)), trips_(trips) {}

  std::unique_ptr<store::Link> connect(Deadline deadline) override {
    return std::make_unique<CountedLink>(inner().connect(deadline), trips_);
  }

 private:
  TripCounter& trips_;
};

std::uint64_t bytes_written() {
  std::ifstream file("/proc/self/io");
  for (std::string name; file >> name;) {
    std::uint64_t value = 0;
    file >> value;
    if (name == "wchar:") return value;
  }
  return 0;
}

std::uint64_t microseconds(const timeval& time) {
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000 + static_cast<std::uint64_t>(time.tv_usec);
}

}  // namespace

std::shared_ptr<store::Backend> TripCounter::around(std::shared_ptr<store::Backend> inner) {
  return std::make_shared<CountedBackend>(std::move(inner), *this);
}

std::uint64_t TripCounter::trips() const {
  std::uint64_t all = 0;
  for (const Line& line : counts_) all += line.trips.load(std::memory_order_relaxed);
  return all;
}

Costs costs_so_far(const TripCounter& trips) {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return {trips.trips(), syncs.load(), bytes_written(), microseconds(usage.ru_utime) + microseconds(usage.ru_stime)};
}

}  // namespace stile::cli::bench

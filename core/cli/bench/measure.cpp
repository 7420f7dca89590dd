// One measurement in this process.
//
// SPDX-License-Identifier: Apache-2.0
#include "cli/bench/measure.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <latch>
#include <mutex>
#include <numeric>
#include <system_error>
#include <thread>

namespace stile::cli::bench {
namespace {

using Clock = std::chrono::steady_clock;

// "An empty answer promises nothing" (W7): a caller that finds nothing looks again.
constexpr unsigned most_empty = 3;
// How much more is added than would be done at the rate so far.
constexpr double spare = 1.25;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

}  // namespace

double Measured::rate() const { return std::accumulate(rates.begin(), rates.end(), 0.0); }

double Measured::slowest_share() const {
  if (rates.empty() || rate() <= 0) return 0;
  return *std::min_element(rates.begin(), rates.end()) * static_cast<double>(rates.size()) / rate();
}

void Measured::merge(const Measured& other) {
  jobs += other.jobs;
  seconds = std::max(seconds, other.seconds);
  rates.insert(rates.end(), other.rates.begin(), other.rates.end());
  took.merge(other.took);
  costs += other.costs;
}

boost::json::object Measured::told() const {
  return {{"jobs", jobs},         {"seconds", seconds},   {"took", took.told()}, {"trips", costs.trips},
          {"syncs", costs.syncs}, {"bytes", costs.bytes}, {"cpu", costs.cpu}};
}

Measured Measured::read(const boost::json::object& told) {
  auto number = [&](const char* name) { return told.at(name).to_number<std::uint64_t>(); };
  Measured read;
  read.jobs = number("jobs");
  read.seconds = told.at("seconds").to_number<double>();
  read.took = Histogram::read(told.at("took").as_array());
  read.costs = {number("trips"), number("syncs"), number("bytes"), number("cpu")};
  read.rates = {read.seconds > 0 ? static_cast<double>(read.jobs) / read.seconds : 0};
  return read;
}

Measurement::Measurement(const Store& store, const TripCounter& trips, const Settings& settings, const Cell& cell)
    : trips_(trips), settings_(settings), cell_(cell), workload_(make_workload(store, settings_, cell_)) {}

void Measurement::prepare(std::stop_token stop) { workload_->prepare(stop); }

void Measurement::work(Caller& caller, std::uint64_t& jobs, Deadline end, std::atomic<bool>& dry,
                       std::stop_token stop) {
  // Each caller has a stop token of its own, as a jthread has: those who share one meet in every call.
  std::stop_source own;
  std::stop_callback ends(stop, [&own] { own.request_stop(); });
  const std::stop_token token = own.get_token();
  unsigned empty = 0;
  while (Clock::now() < end && !token.stop_requested() && !dry.load(std::memory_order_relaxed)) {
    auto begin = Clock::now();
    auto did = workload_->step(caller, token);
    if (did && !workload_->times_itself())
      caller.took->add(static_cast<std::uint64_t>(std::chrono::nanoseconds(Clock::now() - begin).count()));
    empty = did ? 0 : empty + 1;
    if (empty == most_empty) dry = true;
    jobs += did.value_or(0);
    ++caller.done;
  }
}

Measured Measurement::run(std::stop_token stop) {
  unsigned count = workload_->threads();
  std::vector<Caller> callers(count);
  for (unsigned i = 0; i < count; ++i) {
    callers[i].number = i;
    workload_->begin(callers[i]);
  }
  Measured all;
  for (;;) {
    const double left = std::chrono::duration<double>(settings_.time).count() - all.seconds;
    Measured part = round(callers, Duration(static_cast<std::int64_t>(left * 1e6) + 1), stop);
    const double rate = part.rate();
    all.jobs += part.jobs;
    all.seconds += part.seconds;
    all.took.merge(part.took);
    all.costs += part.costs;
    const double rest = left - part.seconds;
    if (rest <= 0 || part.jobs == 0 || stop.stop_requested()) break;
    workload_->refill(static_cast<std::uint64_t>(rate * rest * spare) + 1, stop);
  }
  all.rates = {static_cast<double>(all.jobs) / all.seconds};
  return all;
}

Measured Measurement::round(std::vector<Caller>& callers, Duration time, std::stop_token stop) {
  const std::size_t count = callers.size();
  struct alignas(apart) Part {
    Histogram took;
    std::uint64_t jobs = 0;
  };
  std::vector<Part> parts(count);
  std::latch start(static_cast<std::ptrdiff_t>(count) + 1);
  std::atomic<bool> dry = false;
  std::mutex mutex;
  std::exception_ptr failed;
  Deadline end{};
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < count; ++i) {
    callers[i].took = &parts[i].took;
    threads.emplace_back([&, i] {
      start.arrive_and_wait();
      try {
        work(callers[i], parts[i].jobs, end, dry, stop);
      } catch (...) {
        std::lock_guard lock(mutex);
        if (!failed) failed = std::current_exception();
      }
    });
  }
  Costs before = costs_so_far(trips_);
  auto begin = Clock::now();
  end = begin + time;
  start.arrive_and_wait();
  threads.clear();  // joins
  Measured measured;
  measured.seconds = seconds_since(begin);
  measured.costs = costs_so_far(trips_) - before;
  if (failed && !stop.stop_requested()) std::rethrow_exception(failed);
  for (const Part& part : parts) {
    measured.jobs += part.jobs;
    measured.took.merge(part.took);
  }
  measured.rates = {static_cast<double>(measured.jobs) / measured.seconds};
  return measured;
}

double append_rate(const std::string& directory, std::size_t bytes, Duration time, std::stop_token stop) {
  std::string path = directory + "/stile-bench-XXXXXX";
  int fd = mkostemp(path.data(), O_APPEND | O_CLOEXEC);
  auto fail = [&](const char* what) {
    int error = errno;
    if (fd >= 0) close(fd);
    throw std::system_error(error, std::generic_category(), std::string(what) + " " + path);
  };
  if (fd < 0) fail("making");
  unlink(path.c_str());
  std::string block(bytes, 'v');
  std::uint64_t count = 0;
  auto begin = Clock::now();
  while (seconds_since(begin) < std::chrono::duration<double>(time).count() && !stop.stop_requested()) {
    if (write(fd, block.data(), block.size()) != static_cast<ssize_t>(block.size())) fail("writing");
    if (fdatasync(fd) != 0) fail("syncing");
    ++count;
  }
  double took = seconds_since(begin);
  close(fd);
  return took > 0 ? static_cast<double>(count) / took : 0;
}

}  // namespace stile::cli::bench

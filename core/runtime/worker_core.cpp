// SPDX-License-Identifier: Apache-2.0
#include "runtime/worker_core.hpp"

#include <algorithm>
#include <random>

#include "runtime/stored.hpp"
#include "stile/log.hpp"

namespace stile::runtime {
namespace {

using Clock = std::chrono::steady_clock;

/// Waiting does not make it better: the worker says so and ends.
bool is_hopeless(Status status) {
  switch (status) {
    case Status::invalid:
    case Status::too_large:
    case Status::unsupported:
    case Status::unprepared:
    case Status::store_lost:
    case Status::corrupt: return true;
    default: return false;
  }
}

std::vector<std::string> split(std::string_view list) {
  std::vector<std::string> parts;
  while (!list.empty()) {
    auto comma = list.find(',');
    if (comma != 0) parts.emplace_back(list.substr(0, comma));
    list.remove_prefix(comma == std::string_view::npos ? list.size() : comma + 1);
  }
  return parts;
}

/// Records that travel with a delivery: most workflows whole, a long one's rest is loaded by its pass.
constexpr std::uint32_t first_records = 200;
constexpr std::uint64_t first_bytes = 256 * 1024;

}  // namespace

WorkerSettings::WorkerSettings(const WorkerOptions& options)
    : concurrency(std::max(options.concurrency, 1u)),
      lease(options.lease),
      drain(options.drain),
      step_warning(options.step_warning),
      deliveries(options.deliveries),
      queues(split(options.queues)),
      check_values(options.check_values),
      build(options.build) {
  if (lease < Duration{100'000}) throw Error(Status::invalid, "a worker's lease is at least 100 ms");
}

WorkerCore::WorkerCore(Store store, const WorkerOptions& options)
    : store_(std::move(store)), settings_(options), manual_clock_(store_.has("manual_clock")) {}

void WorkerCore::add(std::string_view kind, std::shared_ptr<const detail::Body> body) {
  if (auto wrong = wrong_address(kind)) throw Error(Status::invalid, *wrong);
  if (!bodies_.emplace(std::string(kind), std::move(body)).second)
    throw Error(Status::invalid, "the kind \"" + std::string(kind) + "\" has a function already");
}

std::vector<std::string> WorkerCore::queues() const {
  if (bodies_.empty()) throw Error(Status::invalid, "a worker without a function: call handle first");
  if (!settings_.queues.empty()) return settings_.queues;
  std::vector<std::string> queues;
  for (const auto& [kind, body] : bodies_) queues.push_back(kind);
  return queues;
}

Receive WorkerCore::request(const std::vector<std::string>& queues, unsigned room, Duration wait) const {
  std::vector<std::string_view> names(queues.begin(), queues.end());
  return {.queues = std::move(names),
          .max = room,
          .lease = settings_.lease,
          .wait = wait,
          .acquire = Receive::Lease{.ttl = settings_.lease, .budget = settings_.lease},
          .load = Receive::Records{.limit = first_records, .max_bytes = first_bytes}};
}

void WorkerCore::receive_until(std::stop_token stop, const std::shared_ptr<Keeper>& keeper, Pool& pool) {
  auto names = queues();
  std::minstd_rand random{std::random_device{}()};
  // Leases count from before the request was sent, so a receive must not wait for long beside them.
  Duration wait = std::min(settings_.lease / 4, Duration{10'000'000});
  unsigned failures = 0;
  while (!stop.stop_requested()) {
    unsigned room = pool.wait_for_room(Clock::now() + std::chrono::seconds(60));
    if (room == 0) continue;
    Deadline sent = Clock::now();
    auto received = store_.try_call(request(names, std::min(room, 64u), wait),
                                    {.timeout = wait + Duration{10'000'000}, .stop = stop});
    Deadline heard = Clock::now();
    if (!received) {
      if (received.status() == Status::interrupted || stop.stop_requested()) continue;
      if (is_hopeless(received.status())) throw Error(received.failure());
      std::string text = name_of(received.status()) + ": " + received.failure().text;
      if (failures++ == 0) log(LogLevel::warn, "receiving fails; trying on", {{"why", text}});
      auto pause = pause_after_trouble(failures, std::uniform_real_distribution<double>(0, 1)(random));
      std::mutex mutex;
      std::unique_lock lock(mutex);
      std::condition_variable_any().wait_for(lock, stop, std::min(pause, Duration{5'000'000}), [] { return false; });
      continue;
    }
    failures = 0;
    for (auto& delivery : received->deliveries) {
      auto arrived = std::make_shared<Arrived>(Arrived{std::move(delivery), received->store_time, sent, heard});
      // The pool's thread may outlive this object's owner: it owns what it needs.
      pool.run([self = shared_from_this(), arrived, keeper] { self->run_delivery(std::move(*arrived), keeper.get()); });
    }
  }
}

bool WorkerCore::put_aside(const Delivery& delivery, Pass& pass) {
  if (!is_poison(delivery.delivery_count, pass.replay().failed_attempts(), delivery.last_error, settings_.deliveries))
    return false;
  std::string error = "handed out " + std::to_string(delivery.delivery_count) + " times without an answer";
  if (!delivery.last_error.empty()) error += "; last: " + delivery.last_error;
  log(LogLevel::error, "a workflow is put aside as dead", {{"workflow", delivery.workflow}, {"why", error}});
  auto rejected =
      store_.try_call(Reject{.receipt = delivery.receipt, .error = error, .fence = delivery.fence, .release = true},
                      pass.call_options());
  if (rejected) ++counters_.rejected;
  return true;
}

void WorkerCore::count(End::Kind kind) {
  switch (kind) {
    case End::Kind::completed: ++counters_.completed; break;
    case End::Kind::sleeping:
    case End::Kind::waiting:
    case End::Kind::retrying: ++counters_.waiting; break;
    case End::Kind::stuck: ++counters_.stuck; break;
    case End::Kind::trouble: ++counters_.troubled; break;
    case End::Kind::lost: ++counters_.lost; break;
    case End::Kind::running:
    case End::Kind::draining: break;
  }
}

void WorkerCore::run_delivery(Arrived arrived, Keeper* keeper) {
  Delivery& delivery = arrived.delivery;
  Liveness liveness(arrived.sent, settings_.lease);
  auto life = std::make_shared<Life>(Life::Id{delivery.workflow, delivery.receipt, delivery.fence}, liveness,
                                     delivery.cancel_requested);
  StoreClock clock(manual_clock_);
  clock.hear(arrived.store_time, arrived.heard);
  PassSettings settings{
      .check_values = settings_.check_values, .build = settings_.build, .drain = drain_.get_token(), .keeper = keeper};
  if (keeper) keeper->keep(life);
  ++counters_.passes;
  if (delivery.delivery_count > 1 && delivery.last_error.empty()) ++counters_.taken_over;
  try {
    Pass pass(store_, life, clock, std::move(settings));
    std::int64_t position = 0;
    for (auto& record : delivery.records) position = record.position, pass.replay().add(std::move(record));
    if (delivery.more) pass.load_rest(position);
    if (pass.ended() || !put_aside(delivery, pass)) {
      drive(pass, bodies_);
      count(answer_delivery(pass, delivery.delivery_count));
    }
  } catch (const std::exception& e) {
    // What was stored cannot be read, or memory is out: the delivery comes back when its lease ends.
    log(LogLevel::error, "a pass failed", {{"workflow", delivery.workflow}, {"why", e.what()}});
    ++counters_.troubled;
  }
  if (keeper) keeper->forget(life);
}

void WorkerCore::run(std::stop_token stop) {
  auto names = queues();
  auto limit = store_.opened_as().limits.queues;
  if (limit != 0 && names.size() > limit)
    throw Error(Status::invalid, "a worker of " + std::to_string(names.size()) + " queues, and this store receives " +
                                     std::to_string(limit) + " at a time: say queues");
  drain_ = std::stop_source();
  auto keeper = std::make_shared<Keeper>(store_, settings_.lease, settings_.step_warning);
  Pool pool(settings_.concurrency);
  std::stop_callback wake(stop, [&pool] { pool.wake(); });
  auto drain = [&] {
    drain_.request_stop();
    if (pool.wait_idle(Clock::now() + settings_.drain)) return;
    log(LogLevel::warn, "steps still run at the end of the drain: telling them to stop");
    keeper->stop_all();
    if (pool.wait_idle(Clock::now() + std::chrono::seconds(1))) return;
    log(LogLevel::error, "steps do not stop: leaving them behind");
  };
  try {
    receive_until(stop, keeper, pool);
  } catch (...) {
    drain();
    throw;
  }
  drain();
}

unsigned WorkerCore::run_until_idle() {
  auto names = queues();
  unsigned passes = 0;
  for (;;) {
    Deadline sent = Clock::now();
    auto received = store_.call(request(names, 1, Duration{0}));
    Deadline heard = Clock::now();
    for (auto& delivery : received.deliveries) {
      ++passes;
      run_delivery({std::move(delivery), received.store_time, sent, heard}, nullptr);
    }
    if (received.deliveries.empty() && !received.more) return passes;
  }
}

WorkerCounts WorkerCore::counts() const {
  return {counters_.passes, counters_.taken_over, counters_.completed, counters_.waiting,
          counters_.stuck,  counters_.lost,       counters_.troubled,  counters_.rejected};
}

}  // namespace stile::runtime

// The kinds of work that are measured.
//
// SPDX-License-Identifier: Apache-2.0
#include "cli/bench/workload.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

namespace stile::cli::bench {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr Duration lease = 60s, budget = 3600s, ttl = 3600s;
constexpr std::size_t fill_batch = 256;
constexpr std::uint64_t most_filled = 200'000;

/// Answers of a batch that must all be there.
template <class Answer>
std::uint64_t check(const std::vector<Result<Answer>>& answers) {
  for (const Result<Answer>& answer : answers) (void)answer.value();
  return answers.size();
}

/// Requests made of names; both live as long as this.
template <class Request>
struct Named {
  std::vector<std::string> names;
  std::vector<Request> requests;

  template <class Make>
  Named(std::vector<std::string> all, Make make) : names(std::move(all)) {
    requests.reserve(names.size());
    for (const std::string& name : names) requests.push_back(make(name));
  }
};

class EnqueueWork : public Workload {
 public:
  using Workload::Workload;
  std::optional<std::uint64_t> step(Caller& caller, std::stop_token stop) override {
    std::vector<std::string> names;
    for (unsigned i = 0; i < cell_.batch; ++i) names.push_back(name(caller, caller.done * cell_.batch + i));
    return enqueue_all(std::move(names), stop);
  }

 protected:
  std::uint64_t enqueue_all(std::vector<std::string> names, const std::stop_token& stop) {
    if (names.size() == 1) {
      store_.call(Enqueue{.workflow = names[0], .queue = queue_}, options(stop));
      return 1;
    }
    Named<Enqueue> all(std::move(names),
                       [&](const std::string& one) { return Enqueue{.workflow = one, .queue = queue_}; });
    return check(store_.batch(all.requests, options(stop)));
  }
};

/// Work that begins with a full queue.
class FilledWork : public EnqueueWork {
 public:
  using EnqueueWork::EnqueueWork;
  void prepare(std::stop_token stop) override { refill(most_filled, stop); }
  void refill(std::uint64_t count, std::stop_token stop) override {
    const Caller filler{.number = cell_.callers};
    const auto end = Clock::now() + settings_.time * 2;
    const std::uint64_t enough = filled_ + std::min(count, most_filled);
    while (filled_ < enough && Clock::now() < end && !stop.stop_requested()) {
      std::vector<std::string> names;
      for (std::uint64_t i = 0; i < fill_batch; ++i) names.push_back(name(filler, filled_++));
      enqueue_all(std::move(names), stop);
    }
  }

 private:
  std::uint64_t filled_ = 0;
};

class ReceiveWork : public FilledWork {
 public:
  using FilledWork::FilledWork;
  std::optional<std::uint64_t> step(Caller&, std::stop_token stop) override {
    auto got = store_.call(Receive{.queues = {queue_}, .max = cell_.batch, .lease = lease}, options(stop)).deliveries;
    if (got.size() == 1) {
      store_.call(Ack{.receipt = got[0].receipt}, options(stop));
      return 1;
    }
    if (got.empty()) return std::nullopt;
    std::vector<Ack> acks;
    for (const Delivery& delivery : got) acks.push_back({.receipt = delivery.receipt});
    return check(store_.batch(acks, options(stop)));
  }
};

class PassWork : public FilledWork {
 public:
  using FilledWork::FilledWork;
  std::optional<std::uint64_t> step(Caller&, std::stop_token stop) override {
    Receive receive{.queues = {queue_}, .max = cell_.batch, .lease = lease, .acquire = Receive::Lease{lease, budget}};
    receive.load = Receive::Records{std::nullopt, std::nullopt};
    auto got = store_.call(receive, options(stop)).deliveries;
    if (got.size() == 1) {
      auto [recorded, acked] = store_.chain(options(stop), record_of(got[0]), ack_of(got[0]));
      return recorded.value(), acked.value(), 1;
    }
    if (got.empty()) return std::nullopt;
    std::vector<Record> records;
    std::vector<Ack> acks;
    for (const Delivery& delivery : got) {
      records.push_back(record_of(delivery));
      acks.push_back(ack_of(delivery));
    }
    check(store_.batch(records, options(stop)));
    return check(store_.batch(acks, options(stop)));
  }

 private:
  Record record_of(const Delivery& one) const {
    return {.workflow = one.workflow, .fence = one.fence, .key = "step", .value = value_};
  }
  static Ack ack_of(const Delivery& one) { return {.receipt = one.receipt, .fence = one.fence, .release = true}; }
};

class RecordWork : public Workload {
 public:
  using Workload::Workload;
  void prepare(std::stop_token) override { fences_.resize(cell_.callers); }
  void begin(Caller& caller) override {
    fences_[caller.number] = store_.call(Acquire{.workflow = workflow(caller), .ttl = budget, .budget = budget}).fence;
  }
  std::optional<std::uint64_t> step(Caller& caller, std::stop_token stop) override {
    std::string whose = workflow(caller);
    std::vector<std::string> keys;
    for (unsigned i = 0; i < cell_.batch; ++i) keys.push_back(std::to_string(caller.done * cell_.batch + i));
    auto record = [&](const std::string& key) {
      return Record{.workflow = whose, .fence = fences_[caller.number], .key = key, .value = value_};
    };
    if (keys.size() == 1) return store_.call(record(keys[0]), options(stop)), 1;
    Named<Record> all(std::move(keys), record);
    return check(store_.batch(all.requests, options(stop)));
  }

 private:
  std::string workflow(const Caller& caller) const { return name(caller, 0); }
  std::vector<Fence> fences_;
};

/// Claims by put if absent. Contended: every caller of every process wants the same keys in the same order.
class ClaimWork : public Workload {
 public:
  ClaimWork(const Store& store, const Settings& settings, const Cell& cell, bool contended)
      : Workload(store, settings, cell), contended_(contended) {}
  std::optional<std::uint64_t> step(Caller& caller, std::stop_token stop) override {
    Caller one = contended_ ? Caller{} : caller;
    std::vector<std::string> keys;
    for (unsigned i = 0; i < cell_.batch; ++i) keys.push_back(key(one, caller.done * cell_.batch + i));
    Named<Put> all(std::move(keys), [&](const std::string& made) {
      return Put{.key = made, .value = value_, .condition = If::absent(), .ttl = ttl};
    });
    if (all.requests.size() == 1) return claimed(store_.try_call(all.requests[0], options(stop)));
    for (const auto& answer : store_.batch(all.requests, options(stop))) claimed(answer);
    return all.requests.size();
  }

 private:
  std::string key(const Caller& caller, std::uint64_t n) const {
    return contended_
               ? "tick-" + std::to_string(cell_.callers) + "-" + std::to_string(cell_.batch) + "-" + std::to_string(n)
               : name(caller, n);
  }
  std::uint64_t claimed(const Result<Stored>& answer) const {
    if (!(contended_ && answer.status() == Status::conflict)) (void)answer.value();
    return 1;
  }
  bool contended_;
};

class LoadWork : public Workload {
 public:
  using Workload::Workload;
  void prepare(std::stop_token stop) override {
    if (settings_.process != 0) return;
    for (std::uint64_t n = 0; n < settings_.records && !stop.stop_requested(); n += fill_batch) {
      std::vector<std::string> keys;
      for (std::uint64_t i = n; i < std::min(settings_.records, n + fill_batch); ++i) keys.push_back(std::to_string(i));
      Named<Supply> all(std::move(keys), [&](const std::string& key) {
        return Supply{.workflow = workflow, .key = key, .value = value_};
      });
      check(store_.batch(all.requests, options(stop)));
    }
  }
  std::optional<std::uint64_t> step(Caller&, std::stop_token stop) override {
    std::uint64_t seen = 0;
    std::int64_t after = 0;
    for (bool more = true; more && !stop.stop_requested();) {
      Loaded page = store_.call(Load{.workflow = workflow, .after = after}, options(stop));
      seen += page.records.size();
      if (!page.records.empty()) after = page.records.back().position;
      more = page.more;
    }
    return seen;
  }

 private:
  static constexpr std::string_view workflow = "long";
};

/// How long a waiting worker takes to get what was just enqueued, in another process where there are several.
class PickupWork : public Workload {
 public:
  using Workload::Workload;
  bool times_itself() const override { return true; }
  unsigned threads() const override {
    return settings_.process == 0 ? (alone() ? cell_.callers + 1 : 1) : cell_.callers;
  }
  std::optional<std::uint64_t> step(Caller& caller, std::stop_token stop) override {
    return settings_.process == 0 && caller.number == 0 ? send(caller, stop) : take(caller, stop);
  }

 private:
  bool alone() const { return settings_.processes == 1; }
  static std::int64_t now() { return std::chrono::nanoseconds(Clock::now().time_since_epoch()).count(); }

  std::uint64_t send(Caller& caller, const std::stop_token& stop) {
    std::this_thread::sleep_for(2ms);  // so that whoever got the last one waits again
    std::string when = std::to_string(now()) + "-" + std::to_string(caller.done);
    store_.call(Enqueue{.workflow = when, .queue = queue_}, options(stop));
    return 0;
  }
  std::uint64_t take(Caller& caller, const std::stop_token& stop) {
    auto got = store_.call(Receive{.queues = {queue_}, .lease = lease, .wait = 50ms}, options(stop)).deliveries;
    std::int64_t received = now();
    for (const Delivery& one : got) {
      caller.took->add(static_cast<std::uint64_t>(std::max<std::int64_t>(0, received - std::stoll(one.workflow))));
      store_.call(Ack{.receipt = one.receipt}, options(stop));
    }
    return got.size();
  }
};

/// Workers that wait and get nothing: what they cost.
class IdleWork : public Workload {
 public:
  using Workload::Workload;
  bool times_itself() const override { return true; }
  std::optional<std::uint64_t> step(Caller&, std::stop_token stop) override {
    store_.call(Receive{.queues = {"nothing ever"}, .lease = lease, .wait = settings_.time}, options(stop));
    return 1;
  }
};

constexpr Kind all_kinds[] = {
    {"enqueue", "jobs", true, true, "put a workflow into a queue"},
    {"receive+ack", "jobs", true, true, "take a delivery and answer it"},
    {"pass", "jobs", true, true, "receive with lease and records, then record and ack with release in one round trip"},
    {"run-once", "claims", true, true, "put a document if absent, with a ttl"},
    {"record", "records", true, true, "record a step under a fence"},
    {"load", "records", false, true, "load a long checkpoint, page by page"},
    {"run-once-contended", "claims", true, false, "run-once where all callers want the same keys"},
    {"pickup", "jobs", false, false,
     "the time from an enqueue to a waiting worker (in another process with --processes)"},
    {"idle", "waits", false, false, "workers that wait and get nothing: look at cpu"},
};

}  // namespace

std::string Workload::name(const Caller& caller, std::uint64_t n) const {
  return cell_.workload + "-" + std::to_string(cell_.callers) + "-" + std::to_string(cell_.batch) + "-" +
         std::to_string(settings_.process) + "-" + std::to_string(caller.number) + "-" + std::to_string(n);
}

std::span<const Kind> kinds() { return all_kinds; }

const Kind* find_kind(std::string_view name) {
  for (const Kind& kind : all_kinds)
    if (kind.name == name) return &kind;
  return nullptr;
}

std::unique_ptr<Workload> make_workload(const Store& store, const Settings& settings, const Cell& cell) {
  if (cell.workload == "enqueue") return std::make_unique<EnqueueWork>(store, settings, cell);
  if (cell.workload == "receive+ack") return std::make_unique<ReceiveWork>(store, settings, cell);
  if (cell.workload == "pass") return std::make_unique<PassWork>(store, settings, cell);
  if (cell.workload == "record") return std::make_unique<RecordWork>(store, settings, cell);
  if (cell.workload == "load") return std::make_unique<LoadWork>(store, settings, cell);
  if (cell.workload == "pickup") return std::make_unique<PickupWork>(store, settings, cell);
  if (cell.workload == "idle") return std::make_unique<IdleWork>(store, settings, cell);
  return std::make_unique<ClaimWork>(store, settings, cell, cell.workload == "run-once-contended");
}

void clean(const Store& store, std::stop_token stop) {
  CallOptions options{.stop = stop};
  // Page by page behind the last one: what is removed may leave something to skip.
  for (std::optional<Bytes> after = Bytes(); after && !stop.stop_requested();) {
    auto page = store.call(List{.after = *after, .limit = fill_batch}, options);
    std::vector<Discard> discards;
    for (const auto& item : page.workflows) discards.push_back({.workflow = item.workflow, .cancel = true});
    check(store.batch(discards, options));
    after = page.next;
  }
  for (std::optional<Bytes> after = Bytes(); after && !stop.stop_requested();) {
    auto page = store.call(Scan{.after = *after, .limit = fill_batch}, options);
    std::vector<Erase> erases;
    for (const auto& item : page.documents) erases.push_back({.key = item.key});
    check(store.batch(erases, options));
    after = page.next;
  }
}

}  // namespace stile::cli::bench

// Many callers in one process.
//
// Every write is named PROCESS.THREAD.NUMBER, so that the ledger needs no other key. Leases are on few workflows, so
// that callers meet; those and the inboxes change their names now and then, so that a history can be searched.
//
// SPDX-License-Identifier: Apache-2.0
#include "servers/crowd.hpp"

#include <algorithm>
#include <chrono>
#include <iostream>
#include <map>
#include <random>

#include "servers/program.hpp"
#include "target.hpp"

namespace stile::conformance::servers {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::int64_t late_by = 6'000'000;  // far beyond what R4 allows, so that a busy machine is not blamed

class Caller {
 public:
  Caller(std::shared_ptr<store::Backend> backend, const Job& job, unsigned number, LedgerWriter& ledger,
         Counters& counters, Standstill& standstill, UnderWay& under_way, const std::atomic<bool>& over)
      : client_(std::move(backend)),
        job_(job),
        number_(number),
        reads_(number > 0 && number + 1 == job.threads),
        resends_(number % 2 == 0),
        prefix_(job.name + "." + std::to_string(number) + "."),
        ledger_(ledger),
        counters_(counters),
        standstill_(standstill),
        under_way_(under_way),
        over_(over),
        random_(std::hash<std::string>()(job.name) + job.seed + number) {}

  void run() {
    while (!over_) {
      if (reads_) {
        look();
        continue;
      }
      switch (random_() % 6) {
        case 0: append(); break;
        case 1: pass(); break;
        case 2: enqueue(); break;
        case 3: document(); break;
        default: work(); break;  // so that jobs do not pile up
      }
    }
  }

 private:
  std::string fresh() { return prefix_ + std::to_string(++count_); }
  std::string shared(const char* kind) {
    return std::string(kind) + "-" + std::to_string(job_.seed) + "-" + std::to_string(count_ / 60) + "-" +
           std::to_string(random_() % 3);
  }

  /// Not counted: reads are answered also where no write is, so they do not show that it goes on.
  json::object call(const json::object& request, bool counted = true) {
    const auto begun = Clock::now();
    json::object answer;
    try {
      answer = client_.call(request, Duration{job_.patience});
    } catch (const Error& error) {  // no session could be had: nothing was sent
      answer = {{"status", name_of(error.status())}, {"error", error.what()}};
    }
    const json::string& status = answer.at("status").as_string();
    const std::uint64_t strange = counters_.strange;
    if (counted || status != "ok") counters_.add(status);
    if (counters_.strange != strange) std::cerr << json::serialize(answer) << std::endl;
    const auto returned = Clock::now();
    const Duration allowed{job_.patience + late_by};
    if (returned - begun > allowed && returned - begun - standstill_.between(begun, returned) > allowed)
      ++counters_.late;
    return answer;
  }

  static bool is(const json::object& answer, std::string_view status) {
    return answer.at("status").as_string() == status;
  }

  /// A write under one op_id, noted in the ledger; sent again where it may help and this caller does so.
  json::object write(std::string_view kind, const std::string& name, json::object request) {
    request["op_id"] = Id::random().text();
    ledger_.tried(kind, name);
    const Deadline end = Clock::now() + std::chrono::seconds{2};
    for (bool in_doubt = false;;) {
      json::object answer = call(request);
      in_doubt = in_doubt || is(answer, "unknown") || is(answer, "internal");
      const bool again = is(answer, "unknown") || is(answer, "unavailable") || is(answer, "timed_out");
      if (again && resends_ && !over_ && Clock::now() < end) {
        breathe();
        continue;
      }
      // A refusal speaks of its own send only (R1).
      ledger_.told(is(answer, "ok") ? Told::ok : in_doubt ? Told::maybe : Told::no, kind, name);
      return answer;
    }
  }

  std::string value(const std::string& name) const {
    return name.size() < job_.value_bytes ? name + std::string(job_.value_bytes - name.size(), '~') : name;
  }

  void append() {
    const std::string name = fresh(), workflow = shared("inbox");
    under_way_.set(number_, workflow);
    write(kind::append, workflow + " " + name, {{"op", "append"}, {"workflow", workflow}, {"value", value(name)}});
  }

  void document() {
    const std::string name = fresh();
    write(kind::document, name, {{"op", "put"}, {"key", name}, {"value", value(name)}, {"if", "absent"}});
  }

  void enqueue() {
    const std::string name = "job-" + fresh();
    write(kind::job, name, {{"op", "enqueue"}, {"workflow", name}, {"queue", "jobs"}});
  }

  void record(const std::string& workflow, const json::value& fence) {
    const std::string name = fresh();
    under_way_.set(number_, workflow);
    write(kind::record, workflow + " " + name,
          {{"op", "record"}, {"workflow", workflow}, {"fence", fence}, {"key", name}, {"value", value(name)}});
  }

  /// Sees what others still wait to be told: what a reader was shown must not be gone afterwards (B4).
  void look() {
    const std::string workflow = under_way_.one(random_());
    std::int64_t& after = seen_[workflow];
    const json::object answer = call({{"op", "load"}, {"workflow", workflow}, {"after", after}}, false);
    if (is(answer, "ok"))
      for (const json::value& record : answer.at("records").as_array())
        after = record.at("position").to_number<std::int64_t>();
    breathe();
  }

  /// Takes a lease, records a few steps, gives it back.
  void pass() {
    const std::string workflow = shared("pass");
    json::object granted =
        call({{"op", "acquire"}, {"workflow", workflow}, {"ttl", job_.lease}, {"budget", job_.lease * 4}});
    if (!is(granted, "ok")) return rest_after(granted);
    for (auto steps = 1 + random_() % 3; steps > 0 && !over_; --steps) record(workflow, granted.at("fence"));
    call({{"op", "release"}, {"workflow", workflow}, {"fence", granted.at("fence")}});
  }

  /// Receives a job with its lease, records that it was done, and acks it.
  void work() {
    json::object got = call({{"op", "receive"},
                             {"queues", {"jobs"}},
                             {"lease", job_.lease},
                             {"wait", 20'000},
                             {"acquire", {{"ttl", job_.lease}, {"budget", job_.lease * 4}}}});
    if (!is(got, "ok")) return rest_after(got);
    for (const json::value& one : got.at("deliveries").as_array()) {
      const json::object& delivery = one.as_object();
      const std::string job = json::value_to<std::string>(delivery.at("workflow"));
      record(job, delivery.at("fence"));
      write(kind::ack, job,
            {{"op", "ack"},
             {"receipt", delivery.at("receipt")},
             {"fence", delivery.at("fence")},
             {"release", true},
             {"finished", true}});
    }
  }

  /// A server that is away is not asked without a pause.
  void rest_after(const json::object& answer) {
    if (!is(answer, "held") && !over_) breathe();
  }

  Client client_;
  const Job& job_;
  const unsigned number_;
  const bool reads_, resends_;
  const std::string prefix_;
  LedgerWriter& ledger_;
  Counters& counters_;
  Standstill& standstill_;
  UnderWay& under_way_;
  const std::atomic<bool>& over_;
  std::mt19937_64 random_;
  std::uint64_t count_ = 0;
  std::map<std::string, std::int64_t> seen_;  // the last position that this reader was shown
};

}  // namespace

void UnderWay::set(unsigned thread, const std::string& workflow) {
  const std::lock_guard lock(guard);
  workflows[thread] = workflow;
}

std::string UnderWay::one(std::uint64_t random) {
  const std::lock_guard lock(guard);
  return workflows[random % workflows.size()];
}

Crowd::Crowd(std::shared_ptr<store::Backend> backend, const Job& job)
    : backend_(std::move(backend)),
      job_(job),
      ledger_(job.folder + "/" + job.name + ".ledger"),
      counters_(job.folder + "/" + job.name + ".counters") {
  under_way_.workflows.resize(std::max(job_.threads, 2U) - 1, "inbox");
  for (unsigned i = 0; i < job_.threads; ++i)
    threads_.emplace_back(
        [this, i] { Caller(backend_, job_, i, ledger_, *counters_, standstill_, under_way_, over_).run(); });
}

Crowd::~Crowd() { over_ = true; }

}  // namespace stile::conformance::servers

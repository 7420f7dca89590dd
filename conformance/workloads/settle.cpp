// After the callers are gone: all that waits is taken, all that is there is read, so that what was lost shows.
//
// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <set>

#include "workloads/stage.hpp"

namespace stile::conformance::workloads {
namespace {

using Steady = std::chrono::steady_clock;

/// Longer than a store may take that lost every hint (W5), and all leases of the workloads.
constexpr std::chrono::seconds patience{10};

bool is_pending(const Listed::Item& item) {
  return item.state == State::ready || item.state == State::delayed || item.state == State::in_flight;
}

class Settling {
 public:
  Settling(const Store& store, const Facts& facts, const Workload& workload, const Amount& amount)
      : store_(store), facts_(facts), workload_(workload), amount_(amount) {}

  Trouble run() {
    if (facts_.does("receive")) {
      if (workload_.name == "order") wait_for_all();
      Trouble trouble = take_all();
      if (!trouble.text.empty()) return trouble;
    }
    read_checkpoints();
    if (facts_.does("scan")) read_documents();
    (void)store_.try_call(Info{});
    if (facts_.does("stats")) (void)store_.try_call(Stats{});
    if (facts_.does("list")) (void)list();
    return {};
  }

 private:
  std::vector<Listed::Item> list() {
    std::vector<Listed::Item> all;
    std::optional<Bytes> after = Bytes();
    while (after) {
      Listed page = store_.call(List{.after = *after});
      for (auto& each : page.workflows) all.push_back(std::move(each));
      after = page.next;
    }
    return all;
  }

  /// A backlog whose order is to be seen is taken once all of it is due.
  void wait_for_all() {
    auto until = Steady::now() + patience;
    while (store_.call(Stats{}).delayed != 0 && Steady::now() < until) pass();
  }

  /// Lets time go on; a watch of nothing waits.
  void pass() {
    if (facts_.can("manual_clock"))
      (void)store_.try_call(Advance{.by = 5ms});
    else if (facts_.does("watch"))
      (void)store_.try_call(Watch{.workflows = {}, .wait = 2ms});
  }

  Trouble take_all() {
    auto progress = Steady::now();
    for (;;) {
      std::set<std::string> queues;
      std::string pending;
      for (const Listed::Item& each : list()) {
        if (!is_pending(each)) continue;
        queues.insert(each.queue);
        pending = each.workflow + " is " + std::string(name_of(each.state));
      }
      if (pending.empty()) return {};
      if (Steady::now() - progress > patience)
        return {"after all callers had gone, " + pending + ", and for 10 s no receive was given it", {"W1"}};
      if (take(queues)) progress = Steady::now();
      pass();
    }
  }

  bool take(const std::set<std::string>& names) {
    std::vector<std::string_view> queues(names.begin(), names.end());
    bool any = false;
    for (;;) {
      Received received = store_.call(Receive{.queues = queues, .max = 1, .lease = 10s, .wait = wait()});
      if (received.deliveries.empty()) return any;
      any = true;
      for (const Delivery& each : received.deliveries) (void)store_.try_call(Ack{.receipt = each.receipt});
    }
  }
  /// Long enough for a lease of the workloads to end; a clock that is moved by hand does not move meanwhile.
  Duration wait() const { return facts_.can("manual_clock") ? Duration{0} : Duration{20ms}; }

  void read_checkpoints() {
    for (unsigned i = 0; i < amount_.workflows && facts_.does("load"); ++i) {
      std::string workflow = Caller::name(i);
      std::int64_t after = 0;
      for (bool more = true; more;) {
        Loaded page = store_.call(Load{.workflow = workflow, .after = after});
        more = page.more && !page.records.empty();
        if (more) after = page.records.back().position;
      }
    }
  }

  void read_documents() {
    std::optional<Bytes> after = Bytes();
    while (after) {
      Scanned page = store_.call(Scan{.after = *after, .limit = 2});
      for (const auto& each : page.documents) (void)store_.try_call(Get{.key = each.key});
      after = page.next;
    }
  }

  const Store& store_;
  const Facts& facts_;
  const Workload& workload_;
  const Amount& amount_;
};

}  // namespace

Trouble settle(const Store& store, const Facts& facts, const Workload& workload, const Amount& amount) {
  return Settling(store, facts, workload, amount).run();
}

}  // namespace stile::conformance::workloads

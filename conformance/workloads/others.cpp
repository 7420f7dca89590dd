// Trim, documents, effects, the order of a queue, and everything at once.
//
// SPDX-License-Identifier: Apache-2.0
#include "dialogue/requests.hpp"
#include "workloads/acts.hpp"

namespace stile::conformance::workloads {
namespace {

/// A whole life: woken, worked on, finished; somebody else sweeps it away.
void live(Caller& caller) {
  Receive request{.lease = 20ms, .acquire = Receive::Lease{20ms, 60ms}, .load = Receive::Records{}};
  auto received = caller.call(request);
  if (!received) return;
  for (const Delivery& each : received->deliveries) {
    auto which = static_cast<unsigned>(std::stoul(each.workflow.substr(1)));
    caller.board().keep(which, each.fence);
    std::string key = "k" + std::to_string(caller.in(4)), value = caller.value();
    (void)caller.call(Record{.workflow = each.workflow, .fence = each.fence, .key = key, .value = value});
    (void)caller.call(
        Ack{.receipt = each.receipt, .finished = !caller.once_in(4), .fence = each.fence, .release = true});
  }
}

void trim_round(Caller& caller) {
  std::string workflow = caller.workflow(), value = caller.value();
  switch (caller.in(10)) {
    case 0:
    case 1: (void)caller.call(Trim{.older_than = caller.once_in(2) ? Duration{0} : caller.span()}); return;
    case 2:
    case 3: (void)caller.call(Enqueue{.workflow = workflow}); return;
    case 4: return write_under_lease(caller, 4);
    case 5: (void)caller.call(Append{.workflow = workflow, .value = value}); return;
    case 6: return read_all(caller);
    default: return live(caller);
  }
}

void change_document(Caller& caller, const std::string& key, const std::string& value) {
  auto found = caller.call(Get{.key = key});
  if (!found) {
    Duration ttl = caller.once_in(3) ? Duration{0} : caller.span();
    (void)caller.call(Put{.key = key, .value = value, .condition = If::absent(), .ttl = ttl});
    return;
  }
  If same = If::version(found->version);
  switch (caller.in(4)) {
    case 0: (void)caller.call(Erase{.key = key, .condition = same}); return;
    case 1: (void)caller.call(Put{.key = key, .value = value, .condition = same, .ttl = keep_ttl}); return;
    case 2: (void)caller.call(Put{.key = key, .value = value, .condition = same, .ttl = caller.span()}); return;
    default: (void)caller.call(Put{.key = key, .value = value, .condition = same});
  }
}

void document_round(Caller& caller) {
  std::string key = "d" + std::to_string(caller.in(3)), value = caller.value();
  switch (caller.in(10)) {
    case 0: {
      std::string after;
      for (unsigned pages = 0; pages < 4; ++pages) {
        auto page = caller.call(Scan{.prefix = "d", .after = after, .limit = 1 + caller.in(3)});
        if (!page || !page->next) return;
        after = *page->next;
      }
      return;
    }
    case 1: (void)caller.call(Erase{.key = key}); return;
    case 2: (void)caller.call(Put{.key = key, .value = value, .ttl = caller.span()}); return;
    case 3: (void)caller.call(Put{.key = key, .value = value, .condition = If::absent(), .ttl = caller.span()}); return;
    default: return change_document(caller, key, value);
  }
}

/// A statement whose value is what it is given.
Statement giving(const std::string& language, const std::string& value) {
  return {language, language == "sql" ? "SELECT CAST($1 AS TEXT)" : "return ARGV[1]", {Parameter{value}}, {}};
}

void effect_round(Caller& caller) {
  unsigned which = caller.in(caller.amount().workflows);
  std::string workflow = Caller::name(which), value = caller.value(), key = "k" + std::to_string(caller.round() / 2);
  std::string language = effect_language(caller.facts());
  switch (caller.in(8)) {
    case 0:
    case 1: return take_lease(caller);
    case 2: (void)caller.call(Supply{.workflow = workflow, .key = key, .value = value}); return;
    case 3: return read_all(caller);
    default: {
      auto fence = caller.board().fence(which, caller.random());
      if (fence)
        (void)caller.call(
            Transact{.workflow = workflow, .fence = *fence, .key = key, .effect = giving(language, value)});
    }
  }
}

/// Many wakeups, each of a workflow of its own; they are taken when all are there (see settle).
void order_round(Caller& caller) {
  std::string workflow = "o" + std::to_string(caller.number()) + "." + std::to_string(caller.round());
  (void)caller.call(Enqueue{.workflow = workflow, .delay = caller.once_in(2) ? Duration{0} : caller.span()});
}

void mixed_round(Caller& caller) {
  switch (caller.in(16)) {
    case 0: return take_lease(caller);
    case 1: return prolong_lease(caller);
    case 2: return give_lease_back(caller);
    case 3:
    case 4: return write_under_lease(caller, 8);
    case 5: return read_all(caller);
    case 6:
    case 7: return supply_or_append(caller);
    case 8:
    case 9: return enqueue_one(caller);
    case 10:
    case 11: return work_one(caller);
    case 12: return answer_late(caller);
    case 13: return caller.once_in(3) ? cancel_one(caller) : work_one(caller);
    case 14: return document_round(caller);
    default: return live(caller);
  }
}

}  // namespace

void add_other_workloads(std::vector<Workload>& to) {
  to.push_back({.name = "trim",
                .ids = {"T1", "T2", "T3", "T4", "A1", "B4", "B13"},
                .about = "trim beside the last pass of a life and the first of the next",
                .operations = {"trim", "enqueue", "receive", "ack", "record", "append", "load"},
                .amount = {.rounds = 80},
                .needs = {{"workflows trimmed", 20}, {"fenced", 3}, {"overlapping", 100}},
                .round = trim_round});
  to.push_back({.name = "documents",
                .ids = {"K1", "K2", "K4", "K5", "K6", "K7", "K8"},
                .about = "put on a condition, documents that expire, pages beside both",
                .operations = {"get", "put", "erase", "scan"},
                .amount = {.rounds = 70},
                .needs = {{"conflict", 30}, {"expired documents", 5}, {"pages of documents", 20}, {"overlapping", 100}},
                .round = document_round});
  to.push_back({.name = "effects",
                .ids = {"E1", "E2", "E3", "E5"},
                .about = "effects that race for a key with each other and with supply",
                .operations = {"acquire", "supply", "load"},
                .amount = {.rounds = 50, .workflows = 2},
                .needs = {{"effects run", 20}, {"effects not run", 5}, {"fenced", 3}, {"overlapping", 50}},
                .round = effect_round,
                .effects = true});
  to.push_back({.name = "order",
                .ids = {"W1", "W7", "S4"},
                .about = "a backlog made by many, taken by one: all of it, earliest first",
                .operations = {"enqueue", "receive", "ack", "list", "stats"},
                .amount = {.rounds = 60},
                .needs = {{"first deliveries", 200}},
                .round = order_round});
  to.push_back({.name = "mixed",
                .ids = {"A4", "B4", "C3", "D1", "D2", "I2", "K1", "R2", "S4", "W1"},
                .about = "everything at once",
                .operations = {"acquire", "record", "supply", "append", "enqueue", "receive", "ack", "put", "load"},
                .amount = {.threads = 4, .rounds = 100, .workflows = 5},
                .needs = {{"fenced", 20}, {"stale", 10}, {"overlapping", 100}},
                .round = mixed_round});
}

}  // namespace stile::conformance::workloads

// Records, pages, watchers, the inbox.
//
// SPDX-License-Identifier: Apache-2.0
#include "workloads/acts.hpp"

namespace stile::conformance::workloads {
namespace {

/// Keys that everybody comes by at about the same time.
std::string contended_key(Caller& caller) { return "k" + std::to_string(caller.round() / 2 + caller.in(2)); }

void write(Caller& caller) {
  unsigned which = caller.in(caller.amount().workflows);
  std::string workflow = Caller::name(which), key = contended_key(caller), value = caller.value();
  auto fence = caller.board().fence(which, caller.random());
  if (!fence || caller.once_in(3)) {
    (void)caller.call(Supply{.workflow = workflow, .key = key, .value = value});
  } else {
    (void)caller.call(Record{.workflow = workflow, .fence = *fence, .key = key, .value = value});
  }
}

void read_page(Caller& caller) {
  std::string workflow = caller.workflow();
  std::int64_t after = 0;
  for (unsigned pages = 0; pages < 3; ++pages) {
    auto page = caller.call(Load{.workflow = workflow, .after = after, .limit = 1 + caller.in(12)});
    if (!page || page->records.empty() || !page->more) return;
    after = page->records.back().position;
  }
}

void read_one(Caller& caller) {
  std::string workflow = caller.workflow(), key = contended_key(caller);
  (void)caller.call(Load{.workflow = workflow, .key = key});
}

/// Waits for what comes after the last record.
void watch_two(Caller& caller) {
  std::string first = caller.workflow(), second = caller.workflow();
  auto page = caller.call(Load{.workflow = first});
  if (!page || page->more) return;
  std::int64_t after = page->records.empty() ? 0 : page->records.back().position;
  (void)caller.call(Watch{.workflows = {{first, after}, {second, std::int64_t{1} << 40}}, .wait = 20ms});
}

void take_for_long(Caller& caller) {
  unsigned which = caller.in(caller.amount().workflows);
  std::string workflow = Caller::name(which);
  auto granted = caller.call(Acquire{.workflow = workflow, .ttl = 20ms, .budget = 100ms});
  if (granted) caller.board().keep(which, granted->fence);
}

void start_over(Caller& caller) {
  unsigned which = caller.in(caller.amount().workflows);
  std::string workflow = Caller::name(which), value = caller.value();
  auto fence = caller.board().fence(which, caller.random());
  if (fence && caller.once_in(5))
    (void)caller.call(Rebase{.workflow = workflow, .fence = *fence, .key = "base", .value = value});
}

void record_round(Caller& caller) {
  switch (caller.in(16)) {
    case 0:
    case 1: return take_for_long(caller);
    case 2: return start_over(caller);
    case 3: return watch_two(caller);
    case 4: return read_one(caller);
    case 5:
    case 6: return read_page(caller);
    case 7: return read_all(caller);
    default: return write(caller);
  }
}

void append_one(Caller& caller) {
  std::string workflow = caller.workflow(), value = caller.value();
  std::string message = "m" + std::to_string(caller.round() / 2 + caller.in(3));
  if (caller.once_in(3))
    (void)caller.call(Append{.workflow = workflow, .value = value, .message_id = message});
  else
    (void)caller.call(Append{.workflow = workflow, .value = value});
}

void inbox_round(Caller& caller) {
  switch (caller.in(10)) {
    case 0: return watch_two(caller);
    case 1: return read_all(caller);
    case 2:
    case 3: return read_page(caller);
    case 4: {
      std::string workflow = caller.workflow(), key = contended_key(caller), value = caller.value();
      (void)caller.call(Supply{.workflow = workflow, .key = key, .value = value});
      return;
    }
    default: return append_one(caller);
  }
}

}  // namespace

void supply_or_append(Caller& caller) {
  std::string workflow = caller.workflow(), key = contended_key(caller), value = caller.value();
  std::optional<Wakeup> enqueue;
  if (caller.once_in(2)) enqueue = Wakeup{.delay = caller.once_in(2) ? Duration{0} : caller.span()};
  if (caller.once_in(2))
    (void)caller.call(Supply{.workflow = workflow, .key = key, .value = value, .enqueue = enqueue});
  else
    (void)caller.call(Append{.workflow = workflow, .value = value, .enqueue = enqueue});
}

void add_record_workloads(std::vector<Workload>& to) {
  to.push_back({.name = "records",
                .ids = {"B1", "B2", "B3", "B4", "B6", "B7", "B11", "B12", "B14"},
                .about = "writers that race for every key, readers that page beside them, watchers",
                .operations = {"acquire", "record", "supply", "load"},
                .amount = {.rounds = 70, .workflows = 2},
                .needs = {{"races lost", 50}, {"pages with more", 10}, {"woken watchers", 2}, {"overlapping", 100}},
                .round = record_round});
  to.push_back({.name = "inbox",
                .ids = {"I1", "I2", "I3", "I5", "B4", "B6", "B14"},
                .about = "appends beside readers that go on from the last page",
                .operations = {"append", "supply", "load"},
                .amount = {.rounds = 80, .workflows = 2},
                .needs = {{"duplicates", 20}, {"pages with more", 10}, {"woken watchers", 2}, {"overlapping", 100}},
                .round = inbox_round});
}

}  // namespace stile::conformance::workloads

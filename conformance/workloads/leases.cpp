// Leases and fences under contention; the same requests sent twice at once.
//
// SPDX-License-Identifier: Apache-2.0
#include "workloads/acts.hpp"

namespace stile::conformance::workloads {

void take_lease(Caller& caller) {
  unsigned which = caller.in(caller.amount().workflows);
  std::string workflow = Caller::name(which);
  auto granted = caller.call(Acquire{
      .workflow = workflow, .ttl = caller.span() * 2, .budget = caller.span() * 8, .force = caller.once_in(40)});
  if (granted) caller.board().keep(which, granted->fence);
}

void prolong_lease(Caller& caller) {
  unsigned which = caller.in(caller.amount().workflows);
  auto fence = caller.board().fence(which, caller.random());
  std::string workflow = Caller::name(which);
  std::optional<Duration> budget;
  if (caller.once_in(3)) budget = caller.span();
  if (fence) (void)caller.call(Renew{.workflow = workflow, .fence = *fence, .ttl = caller.span(), .budget = budget});
}

void give_lease_back(Caller& caller) {
  unsigned which = caller.in(caller.amount().workflows);
  auto fence = caller.board().fence(which, caller.random());
  std::string workflow = Caller::name(which);
  if (fence) (void)caller.call(Release{.workflow = workflow, .fence = *fence});
}

void write_under_lease(Caller& caller, unsigned keys) {
  unsigned which = caller.in(caller.amount().workflows);
  std::string workflow = Caller::name(which), key = "k" + std::to_string(caller.in(keys)), value = caller.value();
  Fence fence = caller.board().fence(which, caller.random()).value_or(Fence{1, caller.op_id()});
  (void)caller.call(Record{.workflow = workflow, .fence = fence, .key = key, .value = value});
}

void read_all(Caller& caller) {
  std::string workflow = caller.workflow();
  (void)caller.call(Load{.workflow = workflow});
}

namespace {

void lease_round(Caller& caller) {
  switch (caller.in(14)) {
    case 0:
    case 1:
    case 2:
    case 3: return take_lease(caller);
    case 4:
    case 5: return prolong_lease(caller);
    case 6:
    case 9:
    case 10: return give_lease_back(caller);
    case 7: return read_all(caller);
    case 8:
      if (std::string workflow = caller.workflow(); caller.once_in(6)) (void)caller.call(Discard{.workflow = workflow});
      return;
    default: return write_under_lease(caller, 6 + caller.round() / 4);
  }
}

// The same request from two callers at once under one op_id: one effect, one answer (R1).

void acquire_twice(Caller& caller) {
  unsigned which = caller.in(caller.amount().workflows);
  std::string workflow = Caller::name(which);
  Acquire request{.workflow = workflow, .ttl = caller.span(), .budget = caller.span() * 3, .op_id = caller.op_id()};
  caller.twice(request);
  auto granted = caller.call(request);  // and a third time, to know what came of it
  if (granted) caller.board().keep(which, granted->fence);
}

void write_twice(Caller& caller) {
  unsigned which = caller.in(caller.amount().workflows);
  std::string workflow = Caller::name(which), value = caller.value();
  std::string key = "k" + std::to_string(caller.round() / 2), message = "m" + std::to_string(caller.in(12));
  switch (caller.in(4)) {
    case 0:
      if (auto fence = caller.board().fence(which, caller.random()))
        caller.twice(
            Record{.workflow = workflow, .fence = *fence, .key = key, .value = value, .op_id = caller.op_id()});
      return;
    case 1: return caller.twice(Supply{.workflow = workflow, .key = key, .value = value, .op_id = caller.op_id()});
    case 2: return caller.twice(Append{.workflow = workflow, .value = value, .op_id = caller.op_id()});
    default:
      return caller.twice(Append{.workflow = workflow, .value = value, .message_id = message, .op_id = caller.op_id()});
  }
}

void work_twice(Caller& caller) {
  std::string workflow = caller.workflow();
  if (caller.once_in(2)) caller.twice(Enqueue{.workflow = workflow, .op_id = caller.op_id()});
  auto received = caller.call(Receive{.lease = caller.span() * 4});
  if (!received) return;
  for (const Delivery& each : received->deliveries) {
    switch (caller.in(4)) {
      case 0: caller.twice(Nack{.receipt = each.receipt, .error = "again", .op_id = caller.op_id()}); break;
      case 1: caller.twice(Snooze{.receipt = each.receipt, .delay = caller.span(), .op_id = caller.op_id()}); break;
      default: caller.twice(Ack{.receipt = each.receipt, .op_id = caller.op_id()});
    }
  }
}

void put_twice(Caller& caller) {
  std::string key = "d" + std::to_string(caller.in(3)), value = caller.value();
  If condition = caller.once_in(2) ? If::absent() : If::any();
  if (caller.once_in(3)) return caller.twice(Erase{.key = key, .op_id = caller.op_id()});
  caller.twice(Put{.key = key, .value = value, .condition = condition, .op_id = caller.op_id()});
}

void twice_round(Caller& caller) {
  switch (caller.in(8)) {
    case 0: return acquire_twice(caller);
    case 1:
    case 2:
    case 3: return write_twice(caller);
    case 4:
    case 5: return work_twice(caller);
    case 6: return put_twice(caller);
    default: return read_all(caller);
  }
}

}  // namespace

void add_lease_workloads(std::vector<Workload>& to) {
  to.push_back(
      {.name = "leases",
       .ids = {"A1", "A2", "A3", "A4", "A5", "A6", "A7", "A8", "A10", "A13"},
       .about = "leases of a few milliseconds, fences that wander, late writers",
       .operations = {"acquire", "record", "load"},
       .amount = {.rounds = 100},
       .needs = {{"fenced", 20}, {"held", 10}, {"taken over after a lapse", 5}, {"lapsed", 2}, {"overlapping", 100}},
       .round = lease_round});
  to.push_back({.name = "resends",
                .ids = {"R1", "R2", "R3", "A9", "I3", "K3", "D6"},
                .about = "the same operation under the same op_id from two callers at once",
                .operations = {"acquire", "record", "supply", "append", "enqueue", "receive", "ack", "put", "load"},
                .amount = {.rounds = 30},
                .needs = {{"answered again", 50}, {"overlapping", 50}},
                .round = twice_round});
}

}  // namespace stile::conformance::workloads

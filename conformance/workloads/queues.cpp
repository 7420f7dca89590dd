// Deliveries, wakeups, cancel.
//
// SPDX-License-Identifier: Apache-2.0
#include "workloads/acts.hpp"

namespace stile::conformance::workloads {
namespace {

unsigned number_in(const Bytes& workflow) { return static_cast<unsigned>(std::stoul(workflow.substr(1))); }

Received take_due(Caller& caller, const Receive& request) {
  auto received = caller.call(request);
  if (!received) return {};
  for (const Delivery& each : received->deliveries) {
    unsigned which = number_in(each.workflow);
    caller.board().keep(Card{which, each.fence, each.receipt});
    if (each.fence.number != 0) caller.board().keep(which, each.fence);
  }
  return std::move(received).value();
}

std::optional<Fence> fence_on(const Card& card) {
  if (card.fence.number == 0) return std::nullopt;
  return card.fence;
}

void answer(Caller& caller, const Card& card) {
  std::optional<Fence> fence = fence_on(card);
  bool release = fence && caller.once_in(2);
  switch (caller.in(9)) {
    case 0: {
      std::optional<Extend::Renewal> renewal;
      if (fence && caller.once_in(2)) renewal = Extend::Renewal{.fence = *fence, .ttl = caller.span()};
      (void)caller.call(Extend{.receipt = card.receipt, .lease = caller.span(), .renew = renewal});
      return;
    }
    case 1:
    case 2:
      (void)caller.call(Snooze{.receipt = card.receipt, .delay = caller.span(), .fence = fence, .release = release});
      return;
    case 3:
    case 4:
      (void)caller.call(Nack{.receipt = card.receipt,
                             .delay = caller.once_in(2) ? Duration{0} : caller.span(),
                             .error = "failed",
                             .fence = fence,
                             .release = release});
      return;
    case 5:
      if (caller.once_in(3)) {
        (void)caller.call(Reject{.receipt = card.receipt, .error = "poison", .fence = fence, .release = release});
        return;
      }
      [[fallthrough]];
    default: (void)caller.call(Ack{.receipt = card.receipt, .fence = fence, .release = release});
  }
}

}  // namespace

void enqueue_one(Caller& caller) {
  std::string workflow = caller.workflow();
  std::optional<Duration> delay;
  if (caller.once_in(2)) delay = caller.span();
  (void)caller.call(Enqueue{.workflow = workflow, .delay = delay, .revive = caller.once_in(3)});
}

void work_one(Caller& caller) {
  Receive request{.max = 1 + caller.in(2), .lease = caller.span()};
  if (caller.once_in(2)) request.acquire = Receive::Lease{caller.span(), caller.span() * 3};
  if (caller.once_in(3)) request.load = Receive::Records{};
  for (const Delivery& each : take_due(caller, request).deliveries)
    if (!caller.once_in(3)) answer(caller, Card{number_in(each.workflow), each.fence, each.receipt});
}

void answer_late(Caller& caller) {
  if (auto card = caller.board().card(caller.random())) answer(caller, *card);
}

void cancel_one(Caller& caller) {
  std::string workflow = caller.workflow();
  switch (caller.in(6)) {
    case 0: (void)caller.call(Discard{.workflow = workflow, .cancel = true}); return;
    case 1: (void)caller.call(RequestCancel{.workflow = workflow}); return;
    default: (void)caller.call(Cancel{.workflow = workflow});
  }
}

namespace {

void delivery_round(Caller& caller) {
  switch (caller.in(10)) {
    case 0:
    case 1:
    case 2: return enqueue_one(caller);
    case 3:
    case 4: return answer_late(caller);
    case 5:
      if (caller.once_in(2)) return take_lease(caller);
      return give_lease_back(caller);
    default: return work_one(caller);
  }
}

void cancel_round(Caller& caller) {
  switch (caller.in(9)) {
    case 0:
    case 1:
    case 2: return enqueue_one(caller);
    case 3: return cancel_one(caller);
    case 4:
    case 5: return answer_late(caller);
    case 6: {
      std::string workflow = caller.workflow(), key = "k" + std::to_string(caller.in(20)), value = caller.value();
      (void)caller.call(Supply{.workflow = workflow, .key = key, .value = value, .enqueue = Wakeup{}});
      return;
    }
    default: return work_one(caller);
  }
}

/// A pass as the runtime makes it: what came in is read, and the pass ends by what it read. Whoever sends meanwhile
/// must be heard (W3).
void serve(Caller& caller) {
  std::vector<std::string_view> queues{"urgent", ""};
  Receive request{.queues = queues, .lease = 30ms, .wait = caller.once_in(2) ? Duration{0} : Duration{5ms}};
  request.acquire = Receive::Lease{30ms, 60ms};
  request.load = Receive::Records{};
  for (const Delivery& each : take_due(caller, request).deliveries) {
    if (caller.once_in(6)) continue;  // who dies here comes again
    std::optional<Fence> fence = each.fence;
    if (caller.once_in(3))
      (void)caller.call(Snooze{.receipt = each.receipt, .delay = caller.span() * 4, .fence = fence, .release = true});
    else
      (void)caller.call(Ack{.receipt = each.receipt, .fence = fence, .release = true});
  }
}

void send(Caller& caller) {
  std::string workflow = caller.workflow(), value = caller.value(), key = "s" + std::to_string(caller.in(40));
  Wakeup wakeup;
  if (caller.once_in(3)) wakeup.delay = caller.span();
  if (caller.once_in(4)) wakeup.queue = caller.once_in(2) ? "urgent" : "";
  switch (caller.in(3)) {
    case 0: (void)caller.call(Append{.workflow = workflow, .value = value, .enqueue = wakeup}); return;
    case 1: (void)caller.call(Supply{.workflow = workflow, .key = key, .value = value, .enqueue = wakeup}); return;
    default: (void)caller.call(Enqueue{.workflow = workflow, .delay = wakeup.delay, .queue = wakeup.queue});
  }
}

void wakeup_round(Caller& caller) {
  if (caller.number() % 2 == 0) return send(caller);
  serve(caller);
}

}  // namespace

void add_queue_workloads(std::vector<Workload>& to) {
  to.push_back({.name = "deliveries",
                .ids = {"D1", "D2", "D3", "D4", "D5", "D6", "D7", "D8", "D9", "D10", "D11"},
                .about = "deliveries whose lease ends beside those who answer, with receipts of others too",
                .operations = {"enqueue", "receive", "ack", "nack", "snooze", "reject", "extend"},
                .amount = {.rounds = 90},
                .needs = {{"stale", 20}, {"fenced", 3}, {"delivered again after a lapse", 5}, {"overlapping", 100}},
                .round = delivery_round});
  to.push_back({.name = "wakeups",
                .ids = {"W1", "W2", "W3", "W4", "W9", "W10", "D9"},
                .about = "senders beside passes that end by what they read: nobody goes unheard",
                .operations = {"enqueue", "supply", "append", "receive", "ack", "snooze"},
                .amount = {.rounds = 70},
                .needs = {{"deferred", 20}, {"requeued", 10}, {"coalesced", 10}, {"overlapping", 100}},
                .round = wakeup_round});
  to.push_back({.name = "cancel",
                .ids = {"C1", "C2", "C3", "C4", "C6", "C8"},
                .about = "cancel and discard beside receive, the answers and those who enqueue anew",
                .operations = {"enqueue", "receive", "ack", "cancel", "supply"},
                .amount = {.rounds = 90},
                .needs = {{"cancelled", 5}, {"wakeups removed", 10}, {"overlapping", 100}},
                .round = cancel_round});
}

}  // namespace stile::conformance::workloads

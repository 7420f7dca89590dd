// What a worker says of its delivery: extend, ack, snooze, nack, reject (contract D).
//
// SPDX-License-Identifier: Apache-2.0
#include "model/operations.hpp"

namespace stile::conformance::model {

namespace {

/// D2: a receipt is the current one of its wakeup, the one that was current when cancel came (C2), or nothing.
enum class Receipt { current, cancelled, stale };

struct Found {
  Workflow* workflow = nullptr;  ///< whose receipt it once was; null: nobody's
  Receipt receipt = Receipt::stale;
};

Found find_receipt(World& world, const std::string& receipt) {
  auto place = world.receipts.find(receipt);
  if (place == world.receipts.end()) return {};
  Workflow* workflow = world.find(place->second);
  if (!workflow) return {};
  if (workflow->wakeup && workflow->wakeup->state == Wakeup::State::in_flight && workflow->wakeup->receipt == receipt) {
    return {workflow, Receipt::current};
  }
  if (workflow->cancelled_receipt == receipt) return {workflow, Receipt::cancelled};
  return {workflow, Receipt::stale};
}

/// True when the receipt settles the call by a refusal.
bool refused(const Found& found, Call call) {
  if (found.receipt == Receipt::current) return false;
  std::string receipt = call.said.bytes("receipt");
  if (found.receipt == Receipt::cancelled) {
    call.reply.refuse("cancelled", "C2");
  } else if (receipt.empty()) {
    call.reply.one_of({"stale", "invalid"}, "D2 B9");  // B9 and D2 both speak of it
  } else if (receipt.size() > 1024) {
    call.reply.one_of({"stale", "too_large"}, "D2 B9");
  } else {
    call.reply.refuse("stale", "D2 D6");
  }
  return true;
}

/// W3: a deferred enqueue takes effect with the answer; its queue with it (W10).
void take_queue(Workflow& workflow) {
  Wakeup& wakeup = *workflow.wakeup;
  if (wakeup.queue_next) {
    workflow.queue = *wakeup.queue_next;
    workflow.perhaps_queue.reset();
  }
  wakeup.queue_next.reset();
}

/// The wakeup waits again, until `due` or the deferred enqueue's time, whichever is earlier.
void wait_again(Wakeup& wakeup, Moment due) {
  wakeup.due = wakeup.deferred ? earlier_of(due, *wakeup.deferred) : due;
  wakeup.state = Wakeup::State::waiting;
  wakeup.deferred.reset();
  wakeup.forget_put_off();
  wakeup.receipt.clear();
}

void do_ack(Workflow& workflow, Call call) {
  auto& [world, said, reply, now] = call;
  Wakeup& wakeup = *workflow.wakeup;
  reply.flag("requeued", wakeup.deferred.has_value(), "W3");
  if (said.flag("finished") && !workflow.finished) workflow.finished = now.stamp;  // T1: set once
  if (!wakeup.deferred) return workflow.wakeup.reset();
  wait_again(wakeup, *wakeup.deferred);
  wakeup.count = 0;  // D5
  wakeup.last_error.clear();
}

void do_snooze(Workflow& workflow, Call call) {
  auto& [world, said, reply, now] = call;
  wait_again(*workflow.wakeup, due_time(said.when(), now).when);
  workflow.wakeup->count = 0;
  workflow.wakeup->last_error.clear();
  reply.moment("visible_at", workflow.wakeup->due, "W3 W8");
}

/// D11: cut at the store's limit, which is at least 1 KiB (B9).
void take_error(Wakeup& wakeup, const Said& said, const Terms& terms) {
  if (said.has("error")) wakeup.last_error = said.bytes("error").substr(0, terms.error_bytes);
}

void do_nack(Workflow& workflow, Call call) {
  auto& [world, said, reply, now] = call;
  take_error(*workflow.wakeup, said, world.terms);
  wait_again(*workflow.wakeup, now.stamp + said.duration("delay"));
  reply.number("delivery_count", workflow.wakeup->count, "D5");
  reply.moment("visible_at", workflow.wakeup->due, "W3");
}

void do_reject(Workflow& workflow, Call call) {
  auto& [world, said, reply, now] = call;
  Wakeup& wakeup = *workflow.wakeup;
  take_error(wakeup, said, world.terms);
  reply.text("state", wakeup.deferred ? "requeued" : "dead", "W3 D7");
  if (wakeup.deferred) {
    wait_again(wakeup, *wakeup.deferred);
    wakeup.count = 0;
    return;
  }
  wait_again(wakeup, now.stamp);
  wakeup.state = Wakeup::State::dead;
}

/// R1: the last answer of the workflow, sent again. True when that settles the call.
bool answered_before(const Found& found, Call call) {
  if (!found.workflow) return false;
  const Memory& memory = found.workflow->last_answer;
  Remembered before = remembered(memory, call.said);
  if (before == Remembered::same && memory.receipt != call.said.bytes("receipt")) {
    call.reply.leave_open();  // an op_id names one request
    return true;
  }
  if (!settled_by_memory(before, call.reply)) return false;
  if (before == Remembered::other) return true;
  Said first(memory.answer);
  if (memory.op == "ack") call.reply.flag("requeued", first.flag("requeued"), "R1 D6");
  if (memory.op == "reject") call.reply.text("state", first.bytes("state"), "R1 D6");
  return true;
}

}  // namespace

void extend(Call call) {
  auto& [world, said, reply, now] = call;
  Found found = find_receipt(world, said.bytes("receipt"));
  if (refused(found, call)) return;
  Workflow& workflow = *found.workflow;
  if (said.has("fence")) {
    if (!renew_lease(&workflow, said, reply, now, "D3")) return;
  } else if (!reply.ok("D3 D4")) {
    return;
  }
  Wakeup& wakeup = *workflow.wakeup;
  wakeup.also_due.clear();
  wakeup.due = later_of(wakeup.due, now.stamp + said.duration("lease"));
  if (wakeup.put_off) {
    Moment told = wakeup.due;
    reply.moment_of(
        "visible_at",
        {wakeup.due, later_of(wakeup.due, *wakeup.put_off), later_of(wakeup.due, workflow.lease->live_until)}, told,
        "D3");
  } else {
    reply.moment("visible_at", wakeup.due, "D3");
  }
  reply.flag("cancel_requested", workflow.cancel_requested, "C8");
  wakeup.extended = wakeup.put_off.has_value();  // D9 and D4 both speak of a lapsed delivery that was put off
  workflow.last_operation = now.stamp;
}

void answer(Call call) {
  auto& [world, said, reply, now] = call;
  Found found = find_receipt(world, said.bytes("receipt"));
  if (answered_before(found, call) || refused(found, call)) return;
  Workflow& workflow = *found.workflow;
  if (said.has("fence") && !workflow.shows_current(said.fence())) {
    reply.refuse("fenced", "D8");
    return;
  }
  if (said.flag("finished") && !said.has("fence")) {
    if (workflow.lease) {
      reply.refuse("invalid", "D8");
      return;
    }
    if (workflow.granted_in_an_old_life) return reply.leave_open();
  }
  if (!reply.ok("D6 D4")) return;
  std::string op = said.op();
  take_queue(workflow);
  if (op == "ack") do_ack(workflow, call);
  if (op == "snooze") do_snooze(workflow, call);
  if (op == "nack") do_nack(workflow, call);
  if (op == "reject") do_reject(workflow, call);
  if (said.flag("release")) end_lease(workflow, now);
  workflow.last_answer = remember(said, reply);
  workflow.touched = {now.stamp, now.stamp};
  workflow.last_operation = now.stamp;
}

}  // namespace stile::conformance::model

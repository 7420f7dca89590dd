// Wakeups: enqueue and cancel (contract W, C).
//
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "model/operations.hpp"

namespace stile::conformance::model {

namespace {

void made(Workflow& workflow, DueTime due, Reply& reply, std::string_view ids) {
  workflow.wakeup->due = due.when;
  Moment& learned = workflow.wakeup->due;
  reply.text("state", due.has_come ? "ready" : "delayed", ids);
  reply.moment("visible_at", learned, ids);
}

/// W2: the earliest of their times; one that has passed may be told as it was or as now.
void coalesced(Workflow& workflow, DueTime due, Reply& reply, Now now, std::string_view ids) {
  Wakeup& wakeup = *workflow.wakeup;
  reply.text("state", "coalesced", "W2 " + std::string(ids));
  bool has_come = due.has_come || now.reached(wakeup.due);
  wakeup.due = earlier_of(wakeup.due, due.when);
  if (wakeup.put_off) {  // D9: an enqueue does not end it
    Moment until = *wakeup.put_off;
    std::vector<Moment> choices{until};
    if (workflow.lease) choices.push_back(workflow.lease->live_until);
    if (now.reached(until)) choices.push_back(wakeup.due);
    return reply.moment_of("visible_at", choices, until, "W2 D9");
  }
  Moment told = wakeup.due;
  std::vector<Moment> choices{told};
  if (has_come) choices.push_back(now.stamp);
  choices.insert(choices.end(), wakeup.also_due.begin(), wakeup.also_due.end());
  reply.moment_of("visible_at", choices, told, "W2 " + std::string(ids));
  if (can_be(wakeup.due, told.at)) wakeup.due = told;
}

void deferred(Wakeup& wakeup, Moment due, Reply& reply, std::string_view ids) {
  reply.text("state", "deferred", "W3 " + std::string(ids));
  wakeup.deferred = wakeup.deferred ? earlier_of(*wakeup.deferred, due) : due;
  reply.moment("visible_at", *wakeup.deferred, "W3 " + std::string(ids));
}

}  // namespace

DueTime due_time(When when, Now now) {
  constexpr Time exact = Time{1} << 53;
  bool has_come = when.instant ? now.reached({when.value, 0}) : when.value == 0;
  Moment due = when.instant ? Moment{when.value, 0} : now.stamp + when.value;
  if (has_come) due = now.stamp;
  if (due.at > exact) due = between(due.earliest(), due.latest() + 1000);
  return {due, has_come};
}

void enqueue_into(Workflow& workflow, const Said& how, Reply& reply, Now now, std::string_view ids) {
  DueTime due = due_time(how.when(), now);
  bool names_queue = how.has("queue");
  if (!workflow.wakeup) {
    workflow.wakeup.emplace();
    if (names_queue) {
      workflow.queue = how.bytes("queue");
      workflow.perhaps_queue.reset();
    }
    return made(workflow, due, reply, "W1 " + std::string(ids));
  }
  Wakeup& wakeup = *workflow.wakeup;
  switch (wakeup.state) {
    case Wakeup::State::waiting:
      if (names_queue) workflow.queue = how.bytes("queue"), workflow.perhaps_queue.reset();  // W10: it moves
      return coalesced(workflow, due, reply, now, ids);
    case Wakeup::State::in_flight:
      if (names_queue) wakeup.queue_next = how.bytes("queue");  // W10: takes effect with the answer
      return deferred(wakeup, due.when, reply, ids);
    case Wakeup::State::dead: break;
  }
  if (!how.flag("revive")) {
    reply.text("state", "dead", "D7 " + std::string(ids));
    return reply.absent("visible_at", "D7");
  }
  std::string error = wakeup.last_error;  // D11: kept over revival
  wakeup = {};
  wakeup.last_error = error;
  if (names_queue) workflow.queue = how.bytes("queue"), workflow.perhaps_queue.reset();
  made(workflow, due, reply, "D7");
}

void enqueue(Call call) {
  auto& [world, said, reply, now] = call;
  if (Workflow* found = world.find(said.workflow())) {
    Remembered before = remembered(found->last_enqueue, said);
    if (settled_by_memory(before, reply)) {
      if (before == Remembered::same) {
        reply.text("state", Said(found->last_enqueue.answer).bytes("state"), "R1");
      }
      return;
    }
  }
  if (!reply.ok("W1")) return;
  Workflow& workflow = world.make(said.workflow(), now);
  bool stays_dead = workflow.wakeup && workflow.wakeup->state == Wakeup::State::dead && !said.flag("revive");
  enqueue_into(workflow, said, reply, now, "");
  if (stays_dead) {  // nothing was changed that could remember it, or it was the last enqueue: both can be read
    if (!workflow.last_enqueue.op_id.empty()) workflow.unclear.insert(workflow.last_enqueue.op_id);
    if (!said.op_id().empty()) workflow.unclear.insert(said.op_id());
    workflow.last_enqueue = {};
    return;
  }
  workflow.last_enqueue = remember(said, reply);
}

void cancel(Call call) {
  auto& [world, said, reply, now] = call;
  Workflow* workflow = world.find(said.workflow());
  if (!workflow) {
    if (reply.ok("C4")) reply.flag("removed", false, "C4");
    return;
  }
  if (settled_by_memory(remembered(workflow->last_cancel, said), reply)) return;
  if (!reply.ok(workflow->wakeup ? "C1" : "C4")) return;
  reply.flag("removed", workflow->wakeup.has_value(), workflow->wakeup ? "C1" : "C4");
  if (!workflow->wakeup) {  // whether a cancel that found nothing is remembered is not said
    for (const std::string& op_id : {workflow->last_cancel.op_id, said.op_id()}) {
      if (!op_id.empty()) workflow->unclear.insert(op_id);
    }
    workflow->last_cancel = {};
    return;
  }
  if (workflow->wakeup->state == Wakeup::State::in_flight) {  // C2
    workflow->cancelled_receipt = workflow->wakeup->receipt;
    workflow->cancelled_at = now.stamp;
    // W10: the queue named last holds, or takes effect with an answer that will not come: both can be read.
    if (workflow->wakeup->queue_next) workflow->perhaps_queue = workflow->wakeup->queue_next;
  }
  workflow->wakeup.reset();
  workflow->last_cancel = remember(said, reply);
  workflow->last_operation = now.stamp;
}

}  // namespace stile::conformance::model

// Wakeups and their deliveries: contract W, D, C.
//
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "judge/rules.hpp"

namespace stile::conformance::judge {

Moment due_time(const Step& step, When when) {
  Moment now = step.now();
  if (!when.instant) return now + when.value;
  return later_of(now, Moment::at(when.value));  // an instant in the past counts as now
}

void wait_again(WorkflowState& state, Moment due) {
  Wakeup& wakeup = state.wakeup;
  wakeup.due = wakeup.has_deferred ? earlier_of(due, wakeup.deferred) : due;
  wakeup.state = Wakeup::State::waiting;
  wakeup.has_deferred = false;
  wakeup.deferred = {};
  wakeup.receipt = wakeup.receive_op_id = Text::none;
  if (wakeup.has_queue_next) state.queue = wakeup.queue_next;
  wakeup.has_queue_next = false;
  wakeup.queue_next = Text::none;
}

Memory memory_of(const Step& step) {
  if (step.item.op_id == Text::none) return {};
  return {step.item.op_id, step.asked.receipt, step.event.kind, step.told.state, step.told.requeued, false};
}

bool is_memory(const Memory& memory, const Step& step) {
  return memory.op_id != Text::none && memory.op_id == step.item.op_id && memory.kind == step.event.kind;
}

namespace {

/// The answer to an enqueue that made or revived the wakeup.
bool tells_made(Wakeup& wakeup, Step& step, When when) {
  if (!step.informed) return true;
  std::uint32_t told = step.told.state;
  if (!step.must(told == STILE_STATE_READY || told == STILE_STATE_DELAYED, "W1 W2",
                 "no wakeup waited, and it was not made"))
    return false;
  bool ready = told == STILE_STATE_READY;
  bool right = when.instant ? (ready ? step.window.has_come(Moment::at(when.value))
                                     : step.window.not_yet(Moment::at(when.value)))
                            : ready == (when.value == 0);
  if (!step.must(right, "W8", "ready or delayed is not what its time says")) return false;
  return step.says_when(wakeup.due, step.told.visible_at, "W8", "visible_at is not the time asked for");
}

/// W2: the earliest of their times. One that has passed may be told as it was or as now; one put off, when it ends
/// (D9).
bool tells_coalesced(WorkflowState& state, Step& step) {
  if (!step.informed) return true;
  Moment due = state.wakeup.due;
  Time told = step.told.visible_at;
  if (!step.must(step.told.state == STILE_STATE_COALESCED, "W2", "a wakeup waited, and it was not coalesced"))
    return false;
  if (!step.must(told >= due.earliest - resolution, "W2", "visible_at is earlier than any time asked for"))
    return false;
  bool may_differ = state.lease.granted || step.window.to() >= due.earliest;
  if (!step.must(may_differ || told <= due.latest + resolution, "W2", "an enqueue moved a wakeup later")) return false;
  // What is told may be later than its due time, never earlier.
  state.wakeup.due.latest = std::min(due.latest, std::max(told, due.earliest));
  return true;
}

bool enqueue_into(WorkflowState& state, Step& step) {
  Wakeup& wakeup = state.wakeup;
  const Asked& asked = step.asked;
  const Told& told = step.told;
  bool made = told.state == STILE_STATE_READY || told.state == STILE_STATE_DELAYED;
  if (step.informed && made && !asked.when.instant && told.has_visible_at &&
      !step.at(told.visible_at - asked.when.value, "W8 A11", "visible_at is not now + delay"))
    return false;
  Moment due = due_time(step, asked.when);
  switch (wakeup.state) {
    case Wakeup::State::none: wakeup = {}; break;
    case Wakeup::State::waiting:
      if (asked.has_queue) state.queue = asked.queue;
      wakeup.due = earlier_of(wakeup.due, due);
      return tells_coalesced(state, step);
    case Wakeup::State::in_flight:
      if (asked.has_queue) wakeup.queue_next = asked.queue, wakeup.has_queue_next = true;
      wakeup.deferred = wakeup.has_deferred ? earlier_of(wakeup.deferred, due) : due;
      wakeup.has_deferred = true;
      return step.says(told.state == STILE_STATE_DEFERRED, "W3", "in flight, and it was not deferred") &&
             step.says_when(wakeup.deferred, told.visible_at, "W3", "visible_at is not the kept time");
    case Wakeup::State::dead:
      if (!asked.revive) return step.says(told.state == STILE_STATE_DEAD, "D7", "dead, and it says otherwise");
      Text error = wakeup.last_error;  // D11: kept over revival
      wakeup = {};
      wakeup.last_error = error;
      break;
  }
  wakeup.state = Wakeup::State::waiting;
  wakeup.due = due;
  if (asked.has_queue) state.queue = asked.queue;
  return tells_made(wakeup, step, asked.when);
}

bool enqueue(WorkflowState& state, Step& step) {
  if (is_memory(state.enqueue, step) && !(state.enqueue.doubtful && step.ways.choose()))
    return step.informed &&
           step.must(state.enqueue.state == 0 || state.enqueue.state == step.told.state || state.enqueue.doubtful, "R1",
                     "sent again, it answers another state than at first");
  bool stays_dead = state.wakeup.state == Wakeup::State::dead && !step.asked.revive;
  if (!enqueue_into(state, step)) return false;
  if (stays_dead && step.item.op_id != Text::none && step.ways.choose()) {
    state.enqueue = memory_of(step);  // it may be remembered as the last one all the same
    state.enqueue.doubtful = true;
    state.enqueue.state = STILE_STATE_DEAD;
    return true;
  }
  if (stays_dead) {  // nothing changed that could remember it
    state.enqueue.doubtful = state.enqueue.op_id != Text::none;
    return true;
  }
  state.enqueue = memory_of(step);
  if (!step.informed) state.enqueue.state = 0;
  return true;
}

bool cancel(WorkflowState& state, Step& step) {
  if (is_memory(state.cancel, step) && !(state.cancel.doubtful && step.ways.choose())) return step.informed;
  Wakeup& wakeup = state.wakeup;
  bool there = wakeup.state != Wakeup::State::none;
  if (!step.says((step.told.removed != 0) == there, there ? "C1" : "C4", "removed is not whether there was a wakeup"))
    return false;
  state.cancel = memory_of(step);
  state.cancel.doubtful = !there && state.cancel.op_id != Text::none;
  if (!there) return true;
  if (wakeup.in_flight()) {
    state.cancelled_receipt = wakeup.receipt;
    state.cancelled_at = step.now();
    if (wakeup.has_queue_next && wakeup.queue_next != state.queue) state.queue = Text::unknown;
  }
  wakeup = {};
  return true;
}

bool names_queue(const Step& step, Text queue) {
  if (queue == Text::unknown) return true;
  Range asked = step.asked.queues;
  if (asked.size() == 0) return queue == Text::none;
  auto begin = step.history.queues.begin();
  return std::find(begin + asked.begin, begin + asked.end, queue) != begin + asked.end;
}

/// What every delivery says, new or answered again.
bool tells_delivery(WorkflowState& state, Step& step) {
  if (!step.informed) return true;
  Wakeup& wakeup = state.wakeup;
  const Told& told = step.told;
  if (state.queue == Text::unknown) state.queue = told.queue;
  if (wakeup.last_error == Text::unknown) wakeup.last_error = told.last_error;
  return step.must(told.queue == state.queue, "W10", "its queue is not the one named last") &&
         step.must(told.delivery_count == wakeup.count, "D5", "delivery_count is not how often it was delivered") &&
         step.must(told.last_error == wakeup.last_error, "D11", "last_error is not the newest error") &&
         step.must(told.cancel_requested == state.cancel_requested, "C8", "cancel_requested is not what it was then") &&
         step.says_when(wakeup.due, told.visible_at, "A3 D3", "visible_at is not the end of its lease") &&
         (!step.asked.load || (judge_page(state, step, false) && step.must(told.finished == state.finished, "T1 B12",
                                                                           "finished is not what it was then")));
}

/// R1: the delivery of the first send, as it stands.
bool answers_again(WorkflowState& state, Step& step) {
  Wakeup& wakeup = state.wakeup;
  if (!step.informed) return false;
  if (wakeup.receipt == Text::unknown) wakeup.receipt = step.told.receipt;
  if (!step.must(wakeup.receipt == step.told.receipt, "R1 D2", "answered again under another receipt")) return false;
  bool its_lease = state.lease.granted && state.lease.fence.stamp == step.asked.op_id;
  if (step.asked.acquire && its_lease &&
      !step.must(is_current(state.lease, state.highest_fence, step.told.fence), "R1 D9",
                 "answered again under another fence"))
    return false;
  return tells_delivery(state, step);
}

bool may_be_delivered(WorkflowState& state, Step& step) {
  const Wakeup& wakeup = state.wakeup;
  switch (wakeup.state) {
    case Wakeup::State::none: return step.must(false, "C1 W1", "delivered, and there was no wakeup");
    case Wakeup::State::dead: return step.must(false, "D7", "delivered, and it was dead");
    case Wakeup::State::in_flight:
      if (!step.must(step.window.has_come(wakeup.due), "D1 D4", "delivered while another delivery was live"))
        return false;
      break;
    case Wakeup::State::waiting:
      if (!step.must(step.window.has_come(wakeup.due), "W4", "delivered before its time")) return false;
  }
  if (!step.must(names_queue(step, state.queue), "W10", "delivered from a queue that was not named")) return false;
  if (!step.asked.acquire || !state.lease.granted) return true;
  return step.must(step.window.has_come(state.lease.live), "D9 A2", "delivered with a lease while another was live");
}

bool receive(WorkflowState& state, Step& step) {
  Wakeup& wakeup = state.wakeup;
  const Asked& asked = step.asked;
  if (asked.again && wakeup.in_flight() && asked.op_id != Text::none && wakeup.receive_op_id == step.item.op_id)
    return answers_again(state, step);
  Time now = step.told.visible_at - asked.lease;
  if (asked.again && step.informed && step.told.visible_at != 0 && wakeup.state == Wakeup::State::none)
    return step.must(false, "R1 C1", "answered again, and nothing was delivered");
  if (!step.at(now, "A3 D4", "its lease is not measured from when it was delivered")) return false;
  if (!may_be_delivered(state, step)) return false;
  wakeup.state = Wakeup::State::in_flight;
  wakeup.due = step.now() + asked.lease;
  wakeup.count += 1;
  wakeup.has_deferred = false;  // W3: one redelivery answers for both
  wakeup.deferred = {};
  wakeup.receipt = step.informed ? step.told.receipt : Text::unknown;
  wakeup.receive_op_id = step.item.op_id;
  state.cancelled_receipt = Text::none;  // C2: until the next delivery
  if (asked.acquire && !grant(state, step, asked.ttl, asked.budget)) return false;
  return tells_delivery(state, step);
}

}  // namespace

bool enqueue_along(WorkflowState& state, Step& step) {
  if (!step.asked.enqueue) return true;
  // Whether it is remembered as the last enqueue, the contract does not say.
  if (is_memory(state.enqueue, step) && step.ways.choose()) return true;
  if (!enqueue_into(state, step)) return false;
  state.enqueue = memory_of(step);
  state.enqueue.doubtful = state.enqueue.op_id != Text::none;
  return true;
}

bool step_queue(WorkflowState& state, Step& step) {
  switch (step.event.kind) {
    case STILE_OP_ENQUEUE: return enqueue(state, step);
    case STILE_OP_RECEIVE: return receive(state, step);
    default: return cancel(state, step);
  }
}

}  // namespace stile::conformance::judge

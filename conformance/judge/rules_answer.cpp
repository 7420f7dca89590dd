// What a worker says of its delivery, and what makes a workflow be forgotten: contract D, T, A10.
//
// SPDX-License-Identifier: Apache-2.0
#include "judge/rules.hpp"

namespace stile::conformance::judge {
namespace {

/// D2: the receipt is the current one of the wakeup; learns one that a lost answer kept back.
bool is_current_receipt(Wakeup& wakeup, const Step& step) {
  if (!wakeup.in_flight()) return false;
  if (wakeup.receipt != Text::unknown) return wakeup.receipt == step.asked.receipt;
  if (wakeup.receive_op_id == Text::none || wakeup.receive_op_id != step.item.receipt_op) return false;
  wakeup.receipt = step.asked.receipt;
  return true;
}

bool fence_is_current(WorkflowState& state, const Step& step) {
  return is_current(state.lease, state.highest_fence, step.asked.fence);
}

/// The refusals of all five; answered is false where the status is none of them.
bool refused(WorkflowState& state, Step& step, bool& answered) {
  answered = true;
  bool current = is_current_receipt(state.wakeup, step);
  bool cancelled = state.cancelled_receipt != Text::none && state.cancelled_receipt == step.asked.receipt;
  switch (step.event.status) {
    case STILE_STALE:
      return step.must(!current, "D2 D4", "stale under the current receipt") &&
             step.must(!cancelled || step.window.has_come(state.cancelled_at + memory_span), "C2",
                       "stale, and its wakeup was cancelled");
    case STILE_CANCELLED: return step.must(cancelled, "C2", "cancelled, and it was not");
    case STILE_FENCED:
      return step.must(current, "D2", "fenced, and its receipt was not current") &&
             step.must(step.asked.has_fence && is_not_current(state.lease, step.asked.fence), "D8",
                       "fenced under the current fence");
    case STILE_LAPSED:
      return step.must(current && fence_is_current(state, step), "D3 A7", "lapsed, and it was not its turn") &&
             step.must(step.asked.budget == 0 && step.window.has_come(state.lease.budget), "A7 D3",
                       "lapsed before its budget's end");
    default: answered = false; return true;
  }
}

bool accepted(WorkflowState& state, Step& step) {
  if (!step.must(is_current_receipt(state.wakeup, step), "D2 D6 C2", "accepted under a receipt that was not current"))
    return false;
  return !step.asked.has_fence ||
         step.must(fence_is_current(state, step), "D8 A4", "accepted under a fence that was not current");
}

bool extend(WorkflowState& state, Step& step) {
  if (!accepted(state, step)) return false;
  if (step.asked.has_fence && !renew_lease(state, step)) return false;
  Wakeup& wakeup = state.wakeup;
  wakeup.due = later_of(wakeup.due, step.now() + step.asked.lease);
  // A lapsed delivery that was put off may be told to be due at the lease's end (D9).
  Moment due = wakeup.due;
  bool may_be_put_off = state.lease.granted && step.told.visible_at < due.earliest;
  return (may_be_put_off || step.says_when(state.lease.granted ? due : wakeup.due, step.told.visible_at, "D3",
                                           "visible_at is not the end of its lease")) &&
         step.says(step.told.cancel_requested == state.cancel_requested, "C8",
                   "cancel_requested is not what it was then");
}

bool put_back(WorkflowState& state, Step& step, When when) {
  if (step.informed && !state.wakeup.has_deferred && !when.instant &&
      !step.at(step.told.visible_at - when.value, "W8 A11", "visible_at is not now + delay"))
    return false;
  wait_again(state, due_time(step, when));
  return step.says_when(state.wakeup.due, step.told.visible_at, "W3 W8", "visible_at is not when it is due");
}

void take_error(Wakeup& wakeup, const Step& step) {
  constexpr std::size_t kept_whole = 1024;  // B9: cut at a limit of at least so much
  if (!step.asked.has_error) return;
  bool whole = step.history.names[step.asked.error].size() <= kept_whole;
  wakeup.last_error = whole ? step.asked.error : Text::unknown;
}

bool ack(WorkflowState& state, Step& step) {
  Wakeup& wakeup = state.wakeup;
  if (!step.says(step.told.requeued == wakeup.has_deferred, "W3", "requeued is not whether an enqueue was deferred"))
    return false;
  if (step.asked.finished) state.finished = true;
  if (!wakeup.has_deferred) {
    if (wakeup.has_queue_next) state.queue = wakeup.queue_next;
    wakeup = {};
    return true;
  }
  wait_again(state, wakeup.deferred);
  wakeup.count = 0;
  wakeup.last_error = Text::none;
  return true;
}

bool reject(WorkflowState& state, Step& step) {
  Wakeup& wakeup = state.wakeup;
  take_error(wakeup, step);
  bool requeued = wakeup.has_deferred;
  if (!step.says(step.told.state == (requeued ? STILE_STATE_REQUEUED : STILE_STATE_DEAD), "W3 D7",
                 "dead or requeued is not what it must be"))
    return false;
  wait_again(state, requeued ? wakeup.deferred : step.now());
  if (requeued)
    wakeup.count = 0;
  else
    wakeup.state = Wakeup::State::dead;
  return true;
}

bool answer(WorkflowState& state, Step& step) {
  const Asked& asked = step.asked;
  if (!accepted(state, step)) return false;
  if (!step.must(!asked.release || asked.has_fence, "D8", "released without a fence")) return false;
  if (!step.must(!asked.finished || asked.has_fence || !state.lease.granted, "D8", "finished without a fence"))
    return false;
  bool fits = true;
  bool deferred = state.wakeup.has_deferred;
  switch (step.event.kind) {
    case STILE_OP_ACK: fits = ack(state, step); break;
    case STILE_OP_SNOOZE:
      fits = put_back(state, step, asked.when);
      state.wakeup.count = 0;
      state.wakeup.last_error = Text::none;
      break;
    case STILE_OP_NACK:
      take_error(state.wakeup, step);
      fits = step.says(step.told.delivery_count == state.wakeup.count, "D5",
                       "delivery_count is not how often it was delivered") &&
             put_back(state, step, asked.when);
      break;
    default: fits = reject(state, step);
  }
  if (asked.release) end_lease(state, step);
  state.answer = memory_of(step);
  if (state.answer.op_id != Text::none) {  // as it is answered, also where that answer was lost
    state.answer.requeued = deferred && step.event.kind == STILE_OP_ACK;
    state.answer.state = step.event.kind != STILE_OP_REJECT ? 0 : deferred ? STILE_STATE_REQUEUED : STILE_STATE_DEAD;
  }
  return fits;
}

/// R1: the last answer of the workflow, sent again.
bool is_last_answer(const Memory& memory, const Step& step) {
  return is_memory(memory, step) && memory.receipt == step.asked.receipt;
}

void doubt(WorkflowState& state) {
  for (Memory* memory : {&state.answer, &state.enqueue, &state.cancel, &state.request_cancel, &state.discard})
    memory->doubtful = memory->op_id != Text::none;
}

/// A10: what goes with a life of a workflow. Its numbers stay.
void forget(WorkflowState& state) {
  state.lease = {};
  state.records.clear();
  state.messages.clear();
  state.last_written = unknown_time;
  state.position_may_jump = true;
  state.cancel_requested = state.finished = false;
  doubt(state);
}

bool discard(WorkflowState& state, Step& step) {
  const Memory& memory = state.discard;
  if (is_memory(memory, step) && !(memory.doubtful && step.ways.choose())) return step.informed;
  if (!step.says(step.told.removed == static_cast<std::int64_t>(state.records.size()), "A10 B6",
                 "removed is not how many records there were"))
    return false;
  bool known = !state.records.empty() || state.lease.granted || state.cancel_requested || state.finished ||
               state.wakeup.state != Wakeup::State::none;
  forget(state);
  if (step.asked.cancel) {
    if (state.wakeup.in_flight()) {
      state.cancelled_receipt = state.wakeup.receipt;
      state.cancelled_at = step.now();
    }
    state.wakeup = {};
    state.queue = Text::none;
  }
  state.discard = memory_of(step);
  state.discard.doubtful = !known && state.discard.op_id != Text::none;
  return true;
}

/// T1, T2: what a trim may take; how old it is, the passes judge.
bool trim(WorkflowState& state, Step& step) {
  if (!step.ways.choose()) return true;
  step.looks = false;
  if (state.wakeup.state != Wakeup::State::none) return false;
  bool only_fence = state.lease.granted && state.records.empty() && !state.cancel_requested && !state.finished;
  if (!state.finished && !only_fence) return false;
  Moment end = only_fence ? state.lease.live + memory_span : state.lease.live;
  if (state.lease.granted && !step.window.has_come(end)) return false;
  forget(state);
  state.queue = Text::none;
  state.cancelled_receipt = Text::none;
  return true;
}

}  // namespace

bool step_answer(WorkflowState& state, Step& step) {
  bool again = step.event.kind != STILE_OP_EXTEND && is_last_answer(state.answer, step);
  if (again && !(state.answer.doubtful && step.ways.choose())) {
    bool same = step.told.requeued == state.answer.requeued && step.told.state == state.answer.state;
    bool needed = step.informed || !step.event.in_doubt();
    return needed && step.must(step.event.ok() && same, "R1 D6", "sent again, it does not answer as at first");
  }
  bool answered = false;
  if (!refused(state, step, answered)) return false;
  if (answered) return true;
  return step.event.kind == STILE_OP_EXTEND ? extend(state, step) : answer(state, step);
}

bool step_forget(WorkflowState& state, Step& step) {
  if (step.event.kind == STILE_OP_DISCARD) return discard(state, step);
  if (step.event.kind == STILE_OP_TRIM) return trim(state, step);
  state.cancel_requested = true;
  return true;
}

bool apply(WorkflowState& state, Step& step) {
  switch (step.event.kind) {
    case STILE_OP_ACQUIRE:
    case STILE_OP_RENEW:
    case STILE_OP_RELEASE: return step_lease(state, step);
    case STILE_OP_RECORD:
    case STILE_OP_SUPPLY:
    case STILE_OP_APPEND:
    case STILE_OP_TRANSACT:
    case STILE_OP_REBASE:
    case STILE_OP_LOAD: return step_record(state, step);
    case STILE_OP_ENQUEUE:
    case STILE_OP_RECEIVE:
    case STILE_OP_CANCEL: return step_queue(state, step);
    case STILE_OP_EXTEND:
    case STILE_OP_ACK:
    case STILE_OP_SNOOZE:
    case STILE_OP_NACK:
    case STILE_OP_REJECT: return step_answer(state, step);
    case STILE_OP_LIST: return step_overview(state, step);
    default: return step_forget(state, step);
  }
}

}  // namespace stile::conformance::judge

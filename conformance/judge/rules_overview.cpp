// What a page of list says of one workflow, there or not: contract S4.
//
// SPDX-License-Identifier: Apache-2.0
#include "judge/rules.hpp"

namespace stile::conformance::judge {
namespace {

bool is_known(const WorkflowState& state) {
  return !state.records.empty() || state.lease.granted || state.wakeup.state != Wakeup::State::none ||
         state.cancel_requested || state.finished;
}

/// D9: while a lease is granted a wakeup may have been put off, which no answer tells.
bool tells_waiting(WorkflowState& state, Step& step, std::uint32_t told) {
  const Wakeup& wakeup = state.wakeup;
  if (told == STILE_STATE_READY)
    return step.must(step.window.has_come(wakeup.due), "S4 W4", "listed ready before its time");
  if (!step.must(told == STILE_STATE_DELAYED, "W1 S4", "a wakeup waits, and it is listed neither ready nor delayed"))
    return false;
  return step.must(state.lease.granted || step.window.not_yet(wakeup.due), "S4", "listed delayed, and it was due");
}

bool tells_state(WorkflowState& state, Step& step, const Listed& listed) {
  switch (state.wakeup.state) {
    case Wakeup::State::none:
      return step.must(listed.state == (state.finished ? STILE_STATE_FINISHED : STILE_STATE_IDLE), "S4 C7",
                       "listed with a wakeup, and there was none; or finished is not what it was");
    case Wakeup::State::dead:
      return step.must(listed.state == STILE_STATE_DEAD, "D7 S4", "put aside, and listed otherwise");
    case Wakeup::State::in_flight:
      return step.must(listed.state == STILE_STATE_IN_FLIGHT, "S4 W1", "in flight, and listed otherwise");
    default: return tells_waiting(state, step, listed.state);
  }
}

bool tells_wakeup(WorkflowState& state, Step& step, const Listed& listed) {
  Wakeup& wakeup = state.wakeup;
  if (wakeup.state == Wakeup::State::none) return true;
  if (state.queue == Text::unknown) state.queue = listed.queue;
  if (wakeup.last_error == Text::unknown) wakeup.last_error = listed.last_error;
  return step.must(listed.queue == state.queue, "W10 S4", "listed in another queue than was named last") &&
         step.must(listed.delivery_count == wakeup.count, "S4 D5",
                   "its listed delivery_count is not how often it was delivered") &&
         step.must(listed.last_error == wakeup.last_error, "S4 D11", "its listed last_error is not the newest");
}

}  // namespace

bool step_overview(WorkflowState& state, Step& step) {
  if (step.item.part == Item::Part::not_seen)
    return step.must(!is_known(state), "S4", "not on its page of list, and it was known");
  const Listed& listed = *step.item.listed;
  if (!step.must(is_known(state), "S4 C7", "listed, and nothing of it was there")) return false;
  Lease& lease = state.lease;
  if (lease.granted && lease.fence.number == FenceName::unknown && listed.fence_number >= state.highest_fence)
    lease.fence.number = state.highest_fence = listed.fence_number;
  return tells_state(state, step, listed) && tells_wakeup(state, step, listed) &&
         step.must(listed.records == static_cast<std::int64_t>(state.records.size()), "S4 B12",
                   "its listed records are not how many there were") &&
         step.must(listed.fence_number == (lease.granted ? lease.fence.number : 0), "S4 A10",
                   "its listed fence_number is not that of the current lease") &&
         step.must(listed.finished == state.finished, "S4 T1", "its listed finish is not what it was") &&
         step.must(listed.cancel_requested == state.cancel_requested, "S4 C8",
                   "its listed cancel request is not what it was");
}

}  // namespace stile::conformance::judge

// Leases and fences: contract A.
//
// SPDX-License-Identifier: Apache-2.0
#include "judge/rules.hpp"

namespace stile::conformance::judge {

bool is_judged(const Event& event) {
  if (event.ok() || event.in_doubt()) return true;
  switch (event.status) {
    case STILE_FENCED:
    case STILE_STALE:
    case STILE_CANCELLED:
    case STILE_LAPSED:
    case STILE_HELD:
    case STILE_CONFLICT:
    case STILE_NOT_FOUND: return true;
    default: return false;
  }
}

bool is_current(Lease& lease, std::int64_t highest, FenceName shown) {
  if (!lease.granted || shown.number == 0) return false;
  if (lease.fence.number != FenceName::unknown) return lease.fence == shown;
  // Granted by an operation whose answer was lost: its op_id is the stamp (A1).
  if (lease.fence.stamp == Text::none || lease.fence.stamp != shown.stamp || shown.number < highest) return false;
  lease.fence.number = shown.number;
  return true;
}

bool grant(WorkflowState& state, Step& step, Time ttl, Time budget) {
  constexpr Time exact = Time{1} << 53;  // beyond it an instant may be rounded (W8)
  Lease& lease = state.lease;
  lease.granted = true;
  lease.by_receive = step.event.kind == STILE_OP_RECEIVE;
  lease.ttl = ttl;
  if (!step.informed) {
    state.highest_fence += 1;
    lease.fence = {FenceName::unknown, step.asked.op_id};
    lease.live = step.now() + std::min(ttl, budget);
    lease.budget = step.now() + budget;
    return true;
  }
  const Told& told = step.told;
  if (!step.must(told.fence.number > state.highest_fence, "A1", "its fence is not above one granted earlier"))
    return false;
  if (!step.must(step.asked.op_id == Text::none || told.fence.stamp == step.asked.op_id, "A1",
                 "the stamp of its fence is not the op_id of the grant"))
    return false;
  Time granted = told.budget_until - budget;
  Time gap = told.live_until - plus(granted, std::min(ttl, budget));
  if (!step.must(told.budget_until > exact || (gap >= -resolution && gap <= resolution), "A3",
                 "live_until and budget_until do not come from one instant"))
    return false;
  if (!step.must(told.cancel_requested == state.cancel_requested, "C8", "cancel_requested is not what it was then"))
    return false;
  state.highest_fence = told.fence.number;
  lease.fence = told.fence;
  lease.live = Moment::at(told.live_until);
  lease.budget = Moment::at(told.budget_until);
  return true;
}

void end_lease(WorkflowState& state, const Step& step) {
  if (!state.lease.granted) return;
  state.lease.live = earlier_of(state.lease.live, step.over());
  state.lease.budget = earlier_of(state.lease.budget, step.over());
}

void sign_of_life(WorkflowState& state, const Step& step) {
  Lease& lease = state.lease;
  const Window& window = step.window;
  if (!lease.granted || window.surely_come(lease.live)) return;
  Moment until = earlier_of(step.now() + lease.ttl, lease.budget);
  if (step.informed && window.surely_not_yet(lease.live))
    lease.live = later_of(lease.live, until);
  else
    lease.live.latest = std::max(lease.live.latest, until.latest);
}

namespace {

bool tells_lease(WorkflowState& state, Step& step, const char* ids) {
  Lease& lease = state.lease;
  return step.says_when(lease.budget, step.told.budget_until, ids, "budget_until is not what it must be") &&
         step.says_when(lease.live, step.told.live_until, ids, "live_until is not what it must be") &&
         step.says(step.told.cancel_requested == state.cancel_requested, "C8",
                   "cancel_requested is not what it was then");
}

/// A13: a delivery in flight is ready again, and what was deferred with it.
void take_over(WorkflowState& state, const Step& step) {
  if (state.wakeup.in_flight()) wait_again(state, step.now());
}

/// A9: this op_id was granted the lease that stands.
bool is_own(const Lease& lease, const Step& step) {
  return lease.granted && !lease.by_receive && step.asked.op_id != Text::none && lease.fence.stamp == step.asked.op_id;
}

bool acquire(WorkflowState& state, Step& step) {
  Lease& lease = state.lease;
  const Asked& asked = step.asked;
  if (is_own(lease, step)) {
    bool lost = lease.fence.number == FenceName::unknown;
    Lease learned = lease;
    bool same = step.informed && is_current(learned, state.highest_fence, step.told.fence);
    if (same && lost) same = !step.ways.choose();  // or the lost grant had lapsed, and this is another
    if (same) lease = learned;
    if (same) {
      return step.must(step.window.not_yet(lease.live), "A9",
                       "a lease that had lapsed is granted under its old fence") &&
             tells_lease(state, step, "A9");
    }
  }
  if (step.informed && !step.at(step.told.budget_until - asked.budget, "A3",
                                "the lease is not measured from when the grant took effect"))
    return false;
  bool had_lease = lease.granted;
  bool taken_over = false;
  if (had_lease && !asked.force) {
    if (!step.must(step.window.has_come(lease.live), is_own(lease, step) ? "A9 A2" : "A2",
                   "a lease was granted while another was live"))
      return false;
  } else if (asked.force && state.wakeup.in_flight()) {
    // What force does to a delivery in flight where no lease is live, the contract does not say.
    taken_over = (had_lease && step.window.surely_not_yet(lease.live)) || step.ways.choose();
  }
  if (!grant(state, step, asked.ttl, asked.budget)) return false;
  if (taken_over) take_over(state, step);
  return true;
}

bool held(WorkflowState& state, Step& step) {
  Lease& lease = state.lease;
  if (!step.must(!step.asked.force, "A13", "a forced acquire is held")) return false;
  if (!step.must(!is_own(lease, step), "A9 R1", "its own grant is live and it is held")) return false;
  if (!step.must(lease.granted && step.window.not_yet(lease.live), "A2 A3", "held while no lease was live"))
    return false;
  if (!step.must(lease.live.can_be(step.told.live_until), "A2", "held until another time than the lease's end"))
    return false;
  lease.live = Moment::at(step.told.live_until);
  return true;
}

}  // namespace

bool renew_lease(WorkflowState& state, Step& step) {
  Lease& lease = state.lease;
  const Asked& asked = step.asked;
  const Told& told = step.told;
  bool buys = asked.budget > 0;
  if (!buys && !step.must(step.window.not_yet(lease.budget), "A7", "renewed without a budget after the budget's end"))
    return false;
  if (step.informed && buys && told.budget_until > lease.budget.latest + resolution &&
      !step.at(told.budget_until - asked.budget, "A7 A3", "budget_until is not now + budget"))
    return false;
  if (step.informed && told.live_until > lease.live.latest + resolution && told.live_until < told.budget_until &&
      !step.at(told.live_until - asked.ttl, "A7 A3", "live_until is not now + ttl"))
    return false;
  if (buys) lease.budget = later_of(step.now() + asked.budget, lease.budget);
  lease.live = later_of(lease.live, earlier_of(step.now() + asked.ttl, lease.budget));
  lease.ttl = asked.ttl;
  return tells_lease(state, step, "A7");
}

bool step_lease(WorkflowState& state, Step& step) {
  if (step.event.kind == STILE_OP_ACQUIRE)
    return step.event.status == STILE_HELD ? held(state, step) : acquire(state, step);
  bool renews = step.event.kind == STILE_OP_RENEW;
  if (step.event.status == STILE_FENCED)
    return step.must(is_not_current(state.lease, step.asked.fence), renews ? "A7" : "A8",
                     "fenced under the current fence");
  if (!step.must(is_current(state.lease, state.highest_fence, step.asked.fence), renews ? "A4 A7" : "A4 A8",
                 "accepted under a fence that was not current"))
    return false;
  if (step.event.status == STILE_LAPSED)
    return step.must(step.asked.budget == 0 && step.window.has_come(state.lease.budget), "A7",
                     "lapsed before its budget's end");
  if (renews) return renew_lease(state, step);
  end_lease(state, step);
  return true;
}

}  // namespace stile::conformance::judge

// Leases and fences: contract A.
//
// SPDX-License-Identifier: Apache-2.0
#include "model/operations.hpp"
#include "stile/types.hpp"

namespace stile::conformance::model {

namespace {

/// The members that say how the lease stands.
void judge_lease(Workflow& workflow, Reply& reply, std::string_view ids) {
  reply.moment("live_until", workflow.lease->live_until, ids);
  reply.moment("budget_until", workflow.lease->budget_until, ids);
  reply.flag("cancel_requested", workflow.cancel_requested, "C8");
}

/// A13: a delivery in flight is ready again, as by nack with no delay and no error, and what was put off stays so.
void take_over(Workflow& workflow, Now now) {
  if (!workflow.wakeup) return;
  Wakeup& wakeup = *workflow.wakeup;
  if (wakeup.state == Wakeup::State::in_flight) {
    Moment before = wakeup.due;
    bool was_put_off = wakeup.put_off.has_value();
    wakeup.state = Wakeup::State::waiting;
    wakeup.due = wakeup.deferred ? earlier_of(now.stamp, *wakeup.deferred) : now.stamp;  // W3
    wakeup.forget_put_off();
    // A lapsed delivery that was put off: ready again, or still put off in its old place; both can be read out of A13.
    if (was_put_off) wakeup.perhaps_due = {workflow.lease->live_until}, wakeup.old_place = before;
    wakeup.receipt.clear();
    wakeup.deferred.reset();
    if (wakeup.queue_next) workflow.queue = *wakeup.queue_next;
    wakeup.queue_next.reset();
  } else if (wakeup.put_off) {
    wakeup.put_off = workflow.lease->live_until;
  }
}

}  // namespace

void grant(Workflow& workflow, Past& past, const Said& said, Reply& reply, Now now, Time ttl, Time budget) {
  std::string fence = reply.said().bytes("fence");
  std::uint64_t number = fence_number(fence);
  reply.demand(Fence::parse(fence).has_value(), "A1", "fence " + fence + " is no fence");
  reply.demand(number > past.fence, "A1",
               "fence " + fence + " is not above " + std::to_string(past.fence) + ", granted earlier");
  reply.demand(number <= STILE_NUMBER_MAX, "A1", "fence " + fence + " is above 2^53-1");
  if (!said.op_id().empty()) {
    reply.demand(fence_stamp(fence) == said.op_id(), "A1", "the stamp of " + fence + " is not the op_id of its grant");
  }
  past.fence = std::max(past.fence, number);
  Moment until = now.stamp + budget;  // A3: the earlier of the two
  workflow.lease = Lease{fence, said.op(), ttl, earlier_of(now.stamp + ttl, until), until};
  workflow.granted_in_an_old_life = false;
  judge_lease(workflow, reply, "A3");
}

void acquire(Call call) {
  auto& [world, said, reply, now] = call;
  Workflow* found = world.find(said.workflow());
  bool live = found && found->leased(now);
  if (found && found->lease && found->lease->stamp() == said.op_id()) {
    if (live && found->lease->granter == "acquire") {  // A9: the grant as it stands
      if (!reply.ok("A9 R1")) return;
      reply.text("fence", found->lease->fence, "A9");
      return judge_lease(*found, reply, "A9");
    }
    if (live) {  // R1: this op_id names the receive that was granted the lease
      reply.refuse("invalid", "R1");
      return;
    }
    if (found->lease->granter != "acquire") return reply.leave_open();
  }
  bool force = said.flag("force");
  if (live && !force) {
    if (reply.refuse("held", "A2")) reply.moment("live_until", found->lease->live_until, "A2");
    return;
  }
  // A13 speaks of a live lease; what force does to a delivery in flight where there is none, it does not say.
  if (force && !live && found && found->wakeup && found->wakeup->state == Wakeup::State::in_flight) {
    return reply.leave_open();
  }
  if (!reply.ok(force && live ? "A13" : "A1")) return;
  Workflow& workflow = world.make(said.workflow(), now);
  grant(workflow, world.past[said.workflow()], said, reply, now, said.duration("ttl"), said.duration("budget"));
  if (force && live) take_over(workflow, now);
}

bool renew_lease(Workflow* workflow, const Said& said, Reply& reply, Now now, std::string_view ids) {
  if (!workflow || !workflow->shows_current(said.fence())) {
    reply.refuse("fenced", "A4 " + std::string(ids));
    return false;
  }
  Lease& lease = *workflow->lease;
  bool buys = said.has("budget") && said.duration("budget") != 0;
  if (!buys && now.reached(lease.budget_until)) {  // A7: only a budget revives it
    reply.refuse("lapsed", "A7 " + std::string(ids));
    return false;
  }
  if (!reply.ok("A7 " + std::string(ids))) return false;
  Time ttl = said.duration("ttl");
  if (buys) lease.budget_until = later_of(now.stamp + said.duration("budget"), lease.budget_until);
  lease.live_until = later_of(lease.live_until, earlier_of(now.stamp + ttl, lease.budget_until));
  lease.ttl = ttl;
  workflow->last_operation = now.stamp;
  judge_lease(*workflow, reply, "A7 " + std::string(ids));
  return true;
}

void renew(Call call) {
  auto& [world, said, reply, now] = call;
  renew_lease(world.find(said.workflow()), said, reply, now, "");
}

void release(Call call) {
  auto& [world, said, reply, now] = call;
  Workflow* workflow = world.find(said.workflow());
  if (!workflow || !workflow->shows_current(said.fence())) {
    reply.refuse("fenced", "A8 A4");
    return;
  }
  if (!reply.ok("A8")) return;
  end_lease(*workflow, now);
  workflow->last_operation = now.stamp;
}

}  // namespace stile::conformance::model

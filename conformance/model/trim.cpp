// Trim: what goes and what stays (contract T). Which of several go first is the store's choice.
//
// SPDX-License-Identifier: Apache-2.0
#include "model/operations.hpp"

namespace stile::conformance::model {

namespace {

/// T1, T2: whether a trim takes a workflow; `perhaps` where a write that changed nothing may count.
Due removable(const Workflow& workflow, Time older_than, Now now) {
  if (!workflow.finished || workflow.wakeup || workflow.leased(now)) return Due::no;
  Moment surely = later_of(*workflow.finished, workflow.touched.surely.value_or(*workflow.finished));
  Moment perhaps = later_of(surely, workflow.touched.perhaps.value_or(surely));
  if (older_than == 0) return Due::yes;
  if (!now.reached(surely + older_than)) return Due::no;
  return now.reached(perhaps + older_than) ? Due::yes : Due::perhaps;
}

/// A husk, or an id with nothing but a fence number, goes ten minutes after the last thing that happened to it.
bool is_leftover(const Workflow& workflow, Now now) {
  bool fence_only = workflow.lease && workflow.records.empty() && !workflow.wakeup && !workflow.cancel_requested &&
                    !workflow.finished;
  if (fence_only) return now.reached(workflow.lease->live_until + memory_span);
  return !workflow.known() && now.reached(workflow.last_operation + memory_span);
}

}  // namespace

void trim(Call call) {
  auto& [world, said, reply, now] = call;
  if (!reply.ok("T1")) return;
  std::int64_t surely = 0;
  std::int64_t perhaps = 0;
  std::vector<std::string> gone;
  for (auto& [id, workflow] : world.workflows) {
    settle(workflow, now);
    Due when = removable(workflow, said.duration("older_than"), now);
    if (when == Due::yes) gone.push_back(id), ++surely;
    bool leftover = is_leftover(workflow, now);
    perhaps += when == Due::perhaps || leftover;
    if (when == Due::perhaps || (leftover && workflow.known())) workflow.perhaps_gone = true;
    if (leftover && !workflow.known()) {  // nobody can see whether it went: what it remembered is not certain
      doubt_memories(workflow);
      if (!workflow.queue.empty()) workflow.perhaps_queue = "";
    }
  }
  std::int64_t removed = reply.said().number("removed");
  std::int64_t limit = said.number("limit", 1000);
  bool more = reply.said().flag("more");
  reply.demand(removed <= limit, "T5", "removed more than limit");
  reply.demand(removed <= surely + perhaps, "T1 T2 T3",
               "removed " + std::to_string(removed) + ", must be at most " + std::to_string(surely + perhaps));
  if (!more)
    reply.demand(removed >= surely, "T2 T5",
                 "removed " + std::to_string(removed) + " of " + std::to_string(surely) + ", and no more");
  for (const std::string& id : gone) {
    if (more) {
      world.workflows[id].perhaps_gone = true;  // T5: a page of them; `list` tells which
    } else {
      world.workflows.erase(id);
    }
  }
}

}  // namespace stile::conformance::model

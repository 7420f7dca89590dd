// Fences and leases.
//
// SPDX-License-Identifier: Apache-2.0
#include <unordered_map>

#include "judge/passes.hpp"

namespace stile::conformance::judge {

bool grants_lease(const Event& event) {
  return event.kind == STILE_OP_ACQUIRE || (event.kind == STILE_OP_RECEIVE && event.asked.acquire);
}

bool is_answer(std::uint32_t kind) { return kind >= STILE_OP_ACK && kind <= STILE_OP_REJECT; }

FenceName fence_of(const Event& event, const Told& told) {
  return grants_lease(event) ? told.fence : event.asked.fence;
}

bool may_forget(const Court& court, const Group& group) {
  bool trims = !court.index.trims().empty();
  return std::any_of(group.marks.begin(), group.marks.end(), [&](const Mark& mark) {
    const Event& event = court.event(mark.event);
    bool happened = event.ok() || event.in_doubt();
    bool finishes = event.kind == STILE_OP_ACK && event.asked.finished;
    return happened && (event.kind == STILE_OP_DISCARD || (trims && finishes));
  });
}

bool has_rebase(const Court& court, const Group& group) {
  return std::any_of(group.marks.begin(), group.marks.end(), [&](const Mark& mark) {
    const Event& event = court.event(mark.event);
    return event.kind == STILE_OP_REBASE && (event.ok() || event.in_doubt());
  });
}

void pass_fences(Court& court, const Group& group) {
  FenceName highest;
  std::uint32_t by = 0;
  std::unordered_map<std::int64_t, Mark> grants;
  for (const Mark& mark : group.marks) {
    const Event& event = court.event(mark.event);
    if (!event.ok() || !grants_lease(event) || mark.told->fence.number == 0) continue;
    auto [first, fresh] = grants.try_emplace(mark.told->fence.number, mark);
    if (!fresh && first->second.told->fence != mark.told->fence)
      court.find("A1", "one fence number was granted twice", group, {first->second.event, mark.event});
  }
  auto past = [&](const Mark& mark) {
    const Event& event = court.event(mark.event);
    if (!event.ok()) return;
    FenceName fence = fence_of(event, *mark.told);
    if (fence.number > highest.number) highest = fence, by = mark.event;
  };
  auto now = [&](const Mark& mark) {
    const Event& event = court.event(mark.event);
    if (!event.ok()) return;
    FenceName fence = fence_of(event, *mark.told);
    if (fence.number == 0) return;
    bool old = fence.number < highest.number;
    if (grants_lease(event)) {
      bool same = fence.number == highest.number && !court.index.is_repeated(event) && !event.asked.again;
      if (old || same)
        court.find("A1", "a fence was granted that is not above one granted before", group, {by, mark.event});
      return;
    }
    if (old && !court.index.is_repeated(event))
      court.find(event.kind == STILE_OP_RELEASE ? "A8"
                 : is_answer(event.kind)        ? "D8"
                                                : "A4",
                 "accepted under a fence that was superseded before", group, {by, mark.event});
    auto grant = grants.find(fence.number);
    if (grant != grants.end() && grant->second.told->fence != fence)
      court.find("A4", "accepted under a fence with another stamp than was granted", group,
                 {grant->second.event, mark.event});
  };
  sweep(court, group.marks, past, now);
}

namespace {

/// What is known of one lease: its grant, the latest end it was told to have, and whether it may have ended early.
struct Holding {
  Mark grant;
  Time granted_at = 0;
  Time until = 0;
  std::uint32_t longest = 0;
  bool may_end = false;
};

/// The numbers of grants rise in the order in which they took effect, so their times must not fall along them: one that
/// does was read before the grant before it was made.
void times_rise(Court& court, const Group& group, const std::map<std::int64_t, Holding>& holdings) {
  const Holding* latest = nullptr;
  for (const auto& [number, holding] : holdings) {
    if (holding.grant.told == nullptr) continue;
    const Event& event = court.event(holding.grant.event);
    if (court.index.is_repeated(event) || event.asked.again) continue;  // told as it stood later
    if (latest && holding.granted_at + resolution < latest->granted_at)
      court.find("A3", "a grant is timed before an earlier one: not when it took effect", group,
                 {latest->grant.event, holding.grant.event});
    if (!latest || holding.granted_at > latest->granted_at) latest = &holding;
  }
}

}  // namespace

void pass_leases(Court& court, const Group& group) {
  std::map<std::int64_t, Holding> holdings;  // by number: in the order in which they were granted (A1)
  bool ended = false;                        // any of them may have been
  auto extend = [&](const Mark& mark, std::int64_t number) {
    Holding& holding = holdings[number];
    if (mark.told->live_until > holding.until) holding.until = mark.told->live_until, holding.longest = mark.event;
  };
  for (const Mark& mark : group.marks) {
    const Event& event = court.event(mark.event);
    bool happened = event.ok() || event.in_doubt();
    bool lost_force = event.kind == STILE_OP_ACQUIRE && event.asked.force && event.in_doubt();
    if ((event.kind == STILE_OP_DISCARD && happened) || lost_force) ended = true;
    FenceName shown = event.asked.fence;
    bool releases = event.kind == STILE_OP_RELEASE || (is_answer(event.kind) && event.asked.release);
    if (releases && happened) holdings[shown.number].may_end = true;
    if (!event.ok()) continue;
    if (grants_lease(event) && mark.told->fence.number != 0) {
      Holding& holding = holdings[mark.told->fence.number];
      if (holding.grant.told == nullptr) {
        holding.grant = mark;
        holding.granted_at = mark.told->budget_until - event.asked.budget;
      }
      holding.granted_at = std::min(holding.granted_at, mark.told->budget_until - event.asked.budget);
      extend(mark, mark.told->fence.number);
    } else if (event.kind == STILE_OP_RENEW || (event.kind == STILE_OP_EXTEND && event.asked.has_fence)) {
      extend(mark, shown.number);
    }
  }
  times_rise(court, group, holdings);
  if (ended || may_forget(court, group)) return;
  const Holding* before = nullptr;
  for (const auto& [number, holding] : holdings) {
    if (holding.grant.told == nullptr) continue;
    bool forced =
        court.event(holding.grant.event).asked.force || court.index.is_repeated(court.event(holding.grant.event));
    if (before && !before->may_end && !forced && holding.granted_at + resolution < before->until)
      court.find("A2", "a lease was granted while another was live by the store's own clock", group,
                 {before->grant.event, before->longest, holding.grant.event});
    before = &holding;
  }
}

}  // namespace stile::conformance::judge

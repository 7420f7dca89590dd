// Counts over a history, each a plain look at what was answered.
//
// SPDX-License-Identifier: Apache-2.0
#include "workloads/tally.hpp"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <vector>

#include "judge/index.hpp"
#include "judge/passes.hpp"
#include "stile/types.hpp"

namespace stile::conformance::workloads {
namespace {

using namespace judge;

void count_answers(const Event& event, bool repeated, Tally& to) {
  if (event.status >= 0) ++to[name_of(static_cast<Status>(event.status))];
  if (!event.ok()) return;
  const Told& told = event.told;
  auto add = [&](bool happened, const char* what) {
    if (happened) ++to[what];
  };
  add(repeated, "answered again");
  switch (event.kind) {
    case STILE_OP_RECORD:
    case STILE_OP_SUPPLY: add(!told.first, "races lost"); break;
    case STILE_OP_APPEND: add(told.duplicate, "duplicates"); break;
    case STILE_OP_LOAD: add(told.more, "pages with more"); break;
    case STILE_OP_TRANSACT: add(true, told.ran ? "effects run" : "effects not run"); break;
    case STILE_OP_ACK: add(told.requeued, "requeued"); break;
    case STILE_OP_CANCEL: add(told.removed != 0, "wakeups removed"); break;
    case STILE_OP_SCAN: add(true, "pages of documents"); break;
    case STILE_OP_WATCH: add(told.woken && event.returned - event.invoke > 200, "woken watchers"); break;
    case STILE_OP_TRIM: to["workflows trimmed"] += static_cast<std::uint64_t>(told.removed); break;
    default: break;
  }
  bool enqueues = event.kind == STILE_OP_ENQUEUE || event.asked.enqueue;
  add(enqueues && told.state == STILE_STATE_DEFERRED, "deferred");
  add(enqueues && told.state == STILE_STATE_COALESCED, "coalesced");
}

/// Leases that were granted over one that nobody gave back, deliveries that followed one that nobody answered.
void count_lapses(const Index& index, const Group& group, Tally& to) {
  std::set<std::int64_t> granted, returned;
  std::set<Text> answered;
  std::vector<std::pair<Time, const Told*>> deliveries;
  for (const Mark& mark : group.marks) {
    const Event& event = index.event(mark);
    bool happened = event.ok() || event.in_doubt();
    if (happened && (event.kind == STILE_OP_RELEASE || event.asked.release)) returned.insert(event.asked.fence.number);
    if (happened && is_answer(event.kind)) answered.insert(event.asked.receipt);
    if (!event.ok()) continue;
    if (grants_lease(event) && !event.asked.force && mark.told->fence.number != 0)
      granted.insert(mark.told->fence.number);
    if (event.kind == STILE_OP_DISCARD) returned.insert(granted.begin(), granted.end());
    if (is_delivery(event)) deliveries.emplace_back(mark.told->visible_at, mark.told);
  }
  const std::int64_t* before = nullptr;
  for (const std::int64_t& number : granted) {
    if (before && !returned.contains(*before)) ++to["taken over after a lapse"];
    before = &number;
  }
  std::sort(deliveries.begin(), deliveries.end(), [](auto& a, auto& b) { return a.first < b.first; });
  for (std::size_t i = 0; i < deliveries.size(); ++i) {
    const Told& told = *deliveries[i].second;
    if (told.delivery_count == 1) ++to["first deliveries"];
    if (i > 0 && told.delivery_count > 1 && !answered.contains(deliveries[i - 1].second->receipt))
      ++to["delivered again after a lapse"];
  }
}

/// Operations that began while another of the same workflow or document was under way.
void count_overlaps(const Index& index, const Group& group, Tally& to) {
  Time latest = -never;
  for (const Mark& mark : group.marks) {
    const Event& event = index.event(mark);
    if (event.invoke < latest) ++to["overlapping"];
    if (event.returned < never) latest = std::max(latest, event.returned);
  }
}

/// Documents that were not found, and had been put to expire.
void count_expired(const Index& index, const Group& group, Tally& to) {
  bool expires = false;
  for (const Mark& mark : group.marks) {
    const Event& event = index.event(mark);
    bool puts = event.kind == STILE_OP_PUT && event.ok();
    if (puts) expires = event.asked.ttl > 0;
    if (event.kind == STILE_OP_ERASE && event.ok()) expires = false;
    if (event.kind == STILE_OP_GET && event.status == STILE_NOT_FOUND && expires) ++to["expired documents"];
  }
}

}  // namespace

Tally tally(const History& history) {
  Tally counts;
  Index index(history);
  for (const Event& event : history.events) count_answers(event, index.is_repeated(event), counts);
  for (const Group& group : index.workflows()) {
    count_lapses(index, group, counts);
    count_overlaps(index, group, counts);
  }
  for (const Group& group : index.documents()) {
    count_overlaps(index, group, counts);
    count_expired(index, group, counts);
  }
  return counts;
}

}  // namespace stile::conformance::workloads

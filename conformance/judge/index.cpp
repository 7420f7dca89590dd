// Sorts events to their workflows and documents; answers are sorted by their receipt.
//
// SPDX-License-Identifier: Apache-2.0
#include "judge/index.hpp"

#include <algorithm>

namespace stile::conformance::judge {

Index::Index(const History& history)
    : history_(history),
      workflow_places_(history.names.size(), -1),
      document_places_(history.names.size(), -1),
      sends_(history.names.size(), 0),
      said_(history.names.size(), 0) {
  for (std::uint32_t i = 0; i < history.events.size(); ++i) {
    const Event& event = history.events[i];
    auto op_id = static_cast<std::size_t>(event.asked.op_id);
    if (op_id != 0 && sends_[op_id] < 2) ++sends_[op_id];
    said_[static_cast<std::size_t>(event.asked.fence.stamp)] |= stamp;
    hear(event.told);
    if (event.kind != STILE_OP_RECEIVE || !event.ok()) continue;
    for (const Told& each : history.handed_out(event.told.deliveries)) {
      hear(each);
      auto [owner, fresh] = receipts_.try_emplace(each.receipt, Owner{each.workflow, event.asked.op_id, i});
      if (!fresh && event.returned < history.events[owner->second.event].returned) owner->second.event = i;
    }
  }
  for (std::uint32_t i = 0; i < history.events.size(); ++i) place(i);
}

void Index::hear(const Told& told) {
  said_[static_cast<std::size_t>(told.fence.stamp)] |= stamp;
  said_[static_cast<std::size_t>(told.value)] |= heard;
  for (const SeenRecord& each : history_.seen(told.records)) said_[static_cast<std::size_t>(each.value)] |= heard;
}

const Owner* Index::owner(Text receipt) const {
  auto found = receipts_.find(receipt);
  return found == receipts_.end() ? nullptr : &found->second;
}

bool Index::is_repeated(const Event& event) const {
  return event.asked.op_id != Text::none && sends_[static_cast<std::size_t>(event.asked.op_id)] > 1;
}

Group& Index::group(std::vector<Group>& groups, std::vector<std::int32_t>& places, Text subject) {
  std::int32_t& at = places[static_cast<std::size_t>(subject)];
  if (at < 0) {
    at = static_cast<std::int32_t>(groups.size());
    groups.push_back({subject, {}});
  }
  return groups[static_cast<std::size_t>(at)];
}

void Index::place(std::uint32_t number) {
  const Event& event = history_.events[number];
  auto workflow = [&](Text id) -> Group& { return group(workflows_, workflow_places_, id); };
  switch (event.kind) {
    case STILE_OP_WATCH:
    case STILE_OP_PREPARE:
    case STILE_OP_INFO:
    case STILE_OP_STATS:
    case STILE_OP_RENDER:
    case STILE_OP_ADVANCE: return;
    case STILE_OP_TRIM:
      if (event.ok() || event.in_doubt()) trims_.push_back(number);
      return;
    case STILE_OP_SCAN:
      if (event.ok()) scans_.push_back(number);
      for (const SeenDocument& each : history_.pages(event.told.documents))
        group(documents_, document_places_, each.key);
      return;
    case STILE_OP_LIST:
      if (event.ok() && !event.asked.narrowed) lists_.push_back(number);
      for (const Listed& each : history_.workflows_on(event.told.listed)) workflow(each.workflow);
      return;
    case STILE_OP_GET:
    case STILE_OP_PUT:
    case STILE_OP_ERASE:
      group(documents_, document_places_, event.asked.key).marks.push_back({number, &event.told});
      return;
    case STILE_OP_RECEIVE:
      if (event.in_doubt()) lost_receives_.push_back(number);
      for (const Told& each : history_.handed_out(event.told.deliveries))
        workflow(each.workflow).marks.push_back({number, &each});
      return;
    case STILE_OP_EXTEND:
    case STILE_OP_ACK:
    case STILE_OP_SNOOZE:
    case STILE_OP_NACK:
    case STILE_OP_REJECT:
      if (const Owner* found = owner(event.asked.receipt))
        workflow(found->workflow).marks.push_back({number, &event.told});
      return;
    default: workflow(event.asked.workflow).marks.push_back({number, &event.told});
  }
}

}  // namespace stile::conformance::judge

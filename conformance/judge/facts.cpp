// Reads them off the answers that cannot be left out.
//
// SPDX-License-Identifier: Apache-2.0
#include "judge/facts.hpp"

#include <algorithm>

namespace stile::conformance::judge {

Facts::Facts(const History& history, std::span<const Item> items) {
  auto in_doubt = [](const Item& item) { return item.event->in_doubt(); };
  if (std::none_of(items.begin(), items.end(), in_doubt)) return;  // nobody will ask
  for (const Item& item : items) {
    const Event& event = *item.event;
    if (!event.ok() || item.optional) continue;
    const Asked& asked = event.asked;
    const Told& told = *item.told;
    switch (event.kind) {
      case STILE_OP_LOAD:
      case STILE_OP_RECEIVE:
        for (const SeenRecord& each : history.seen(told.records)) learn(each.position, each.key, each.value);
        break;
      case STILE_OP_RECORD:
      case STILE_OP_SUPPLY:
      case STILE_OP_TRANSACT: learn(told.position, asked.key, told.value); break;
      case STILE_OP_REBASE: learn(told.position, asked.key, asked.value); break;
      case STILE_OP_APPEND: learn(told.position, told.key, told.duplicate ? Text::unknown : asked.value); break;
      default: break;
    }
  }
}

void Facts::learn(std::int64_t position, Text key, Text value) {
  Record& record = records_[position];
  record.key = key;
  if (record.value == Text::unknown) record.value = value;
}

}  // namespace stile::conformance::judge

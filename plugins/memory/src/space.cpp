// The store as a whole.
//
// SPDX-License-Identifier: Apache-2.0
#include "space.hpp"

#include <algorithm>

#include "facts.hpp"

namespace stile::memory {

Space::Space(const Settings& settings)
    : settings_(settings),
      house_({facts::plugin, facts::durability, "in process", facts::capabilities},
             sdk::usual_limits(settings.shards, 0), settings.manual_clock) {
  for (std::uint32_t i = 0; i < settings.shards; ++i) shards_.push_back(std::make_unique<Shard>(house_.clock()));
}

Whole::Whole(Space& space) : space_(space) {
  for (std::size_t i = 0; i < space.size(); ++i) {
    space.shard(i).lock();
    now_ = std::max(now_, space.shard(i).now());
  }
}

Whole::~Whole() {
  for (std::size_t i = space_.size(); i-- > 0;) space_.shard(i).unlock();
}

engine::Totals Whole::totals(Time now, const std::string_view* queue) {
  engine::Totals out;
  for (std::size_t i = 0; i < space_.size(); ++i) {
    const engine::Totals part = space_.shard(i).totals(now, queue);
    const auto earlier = [](Time a, Time b) { return a == 0 || (b != 0 && b < a) ? b : a; };
    out.ready += part.ready;
    out.delayed += part.delayed;
    out.in_flight += part.in_flight;
    out.dead += part.dead;
    out.workflows += part.workflows;
    out.finished += part.finished;
    out.records += part.records;
    out.documents += part.documents;
    out.stored_bytes += part.stored_bytes;
    out.oldest_ready = earlier(out.oldest_ready, part.oldest_ready);
    out.next_due = earlier(out.next_due, part.next_due);
  }
  return out;
}

}  // namespace stile::memory

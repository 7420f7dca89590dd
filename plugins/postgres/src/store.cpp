// Opening, connecting, namespaces.
//
// SPDX-License-Identifier: Apache-2.0
#include "store.hpp"

#include <algorithm>

#include "clock.hpp"
#include "session.hpp"
#include "stile/sdk/options.hpp"

namespace stile::postgres {

const stile_limits limits = {
    .struct_size = sizeof(stile_limits),
    .reserved0 = 0,
    .id_bytes = 512,
    .value_bytes = 16u << 20,
    .reply_bytes = 16u << 20,
    .error_bytes = 4096,
    .receipt_bytes = 1024,
    .batch = 256,
    .page = 1'000,
    .queues = 64,
    .partitions = 1,
    .writers = 0,
};

// What a server that may have lost what it once acknowledged is known by: it is another system (a dump that was put
// back), writes another timeline (a standby that was promoted, a backup that was recovered), or its log ends before
// where this process saw it on disk (a folder that was put back).
Facts Store::look(Connection& connection, std::int64_t deadline) {
  Past seen;
  std::int64_t seen_epoch = 0;
  {
    const std::lock_guard guard(mutex_);
    // Before the server is asked: another session may see later ones meanwhile.
    seen = seen_, seen_epoch = seen_epoch_;
    seen.place = std::max(seen.place, reached_.load());
  }
  Facts facts = read_facts(connection, texts_, options_.relaxed, deadline);
  const bool same_system = seen.system == facts.past.system;
  if (same_system && facts.past.timeline < seen.timeline)
    throw StoreError(STILE_UNAVAILABLE, "this server writes timeline " + std::to_string(facts.past.timeline) +
                                            ", and timeline " + std::to_string(seen.timeline) +
                                            " was seen: it is a primary that was replaced; shut it down, or start this "
                                            "program again if it is meant");
  const bool gone_back = same_system && facts.past.timeline == seen.timeline && facts.end < seen.place;
  const bool other = facts.meta.system != facts.past.system || facts.meta.timeline != facts.past.timeline;
  if (facts.prepared && (other || (gone_back && facts.epoch <= seen_epoch))) {
    Params params;
    params.integer(facts.past.system).integer(static_cast<std::int32_t>(facts.epoch));
    facts.epoch = Row(connection.run(texts_[Sql::begin_epoch], params, deadline), 0).integer(0);
  }
  const std::lock_guard guard(mutex_);
  server_ = facts.server;
  if (gone_back || !same_system || facts.past.timeline != seen.timeline) reached_ = 0;
  seen_ = facts.past;
  seen_epoch_ = facts.epoch;
  return facts;
}

std::string Store::server() const {
  const std::lock_guard guard(mutex_);
  return server_;
}

void Store::enter(Connection& connection, std::int64_t deadline) {
  Params params;
  params.view(options_.ns).boolean(options_.clock == ClockWish::manual);
  const Result found = connection.run(texts_[Sql::enter], params, deadline);
  if (PQntuples(found.get()) == 0) throw StoreError(STILE_UNAVAILABLE, "the namespace is being made; send it again");
  const Row row(found, 0);
  const bool manual = row.integer(1) != 0;
  if (options_.clock != ClockWish::any && manual != (options_.clock == ClockWish::manual))
    throw StoreError(STILE_INVALID, manual
                                        ? "the clock of this namespace stands still: open it with clock=manual"
                                        : "the clock of this namespace is the server's: open it without clock=manual");
  manual_.store(manual, std::memory_order_release);
  number_.store(static_cast<std::int32_t>(row.integer(0)), std::memory_order_release);
}

bool Store::ready(Connection& connection, std::int64_t deadline) {
  if (number() != 0) return true;
  const Facts facts = look(connection, deadline);
  if (facts.prepared) enter(connection, deadline);
  return facts.prepared;
}

void Store::open(bool prepare, std::int64_t deadline) {
  auto connection = std::make_unique<Connection>(options_.words, deadline);
  const Facts facts = look(*connection, deadline);
  if (prepare && !facts.prepared) postgres::prepare(*connection, texts_, false, deadline);
  ready(*connection, deadline);
  const std::lock_guard guard(mutex_);
  opened_by_ = std::move(connection);
  opened_at_ = monotonic_now();
}

// The connection that looked when the store was opened, for the first session, if that comes soon.
std::unique_ptr<Connection> Store::take_first() {
  const std::lock_guard guard(mutex_);
  if (opened_by_ && monotonic_now() - opened_at_ > second_us) opened_by_.reset();
  return std::move(opened_by_);
}

std::unique_ptr<Session> Store::connect(const stile_call& call) {
  auto connection = take_first();
  if (!connection) {
    connection = std::make_unique<Connection>(options_.words, call.deadline);
    look(*connection, call.deadline);
  }
  ready(*connection, call.deadline);
  return std::make_unique<Session>(*this, std::move(connection));
}

}  // namespace stile::postgres

// Documents, trim, and the run of all passes.
//
// SPDX-License-Identifier: Apache-2.0
#include <unordered_map>

#include "judge/passes.hpp"
#include "judge/rules.hpp"

namespace stile::conformance::judge {
namespace {

void find_in(Court& court, const char* ids, const char* what, const Group& group,
             std::initializer_list<std::uint32_t> events) {
  court.find(ids, what, Finding::Of::document, group.subject, events);
}

/// K1: where nothing can have taken a document away, it is put if absent once.
void one_first(Court& court, const Group& group) {
  const Mark* winner = nullptr;
  for (const Mark& mark : group.marks) {
    const Event& event = court.event(mark.event);
    bool happened = event.ok() || event.in_doubt();
    if (happened && (event.kind == STILE_OP_ERASE || (event.kind == STILE_OP_PUT && event.asked.ttl != 0))) return;
  }
  for (const Mark& mark : group.marks) {
    const Event& event = court.event(mark.event);
    if (event.kind != STILE_OP_PUT || !event.ok() || event.asked.condition != Asked::If::absent) continue;
    Text other = winner ? court.event(winner->event).asked.op_id : Text::none;
    if (winner && (other == Text::none || other != event.asked.op_id))
      find_in(court, "K1", "put if absent was accepted twice", group, {winner->event, mark.event});
    winner = winner ? winner : &mark;
  }
}

/// K2: one winner per version, and no version twice.
void one_per_version(Court& court, const Group& group) {
  std::unordered_map<Text, std::uint32_t> winners, makers;
  auto claim = [&](auto& by_version, Text version, const Mark& mark, const char* what) {
    auto [first, fresh] = by_version.try_emplace(version, mark.event);
    const Event& event = court.event(mark.event);
    Text other = court.event(first->second).asked.op_id;
    if (!fresh && (other == Text::none || other != event.asked.op_id))
      find_in(court, "K2", what, group, {first->second, mark.event});
  };
  for (const Mark& mark : group.marks) {
    const Event& event = court.event(mark.event);
    if (!event.ok() || (event.kind != STILE_OP_PUT && event.kind != STILE_OP_ERASE)) continue;
    if (event.asked.condition == Asked::If::version)
      claim(winners, event.asked.version, mark, "two writes were accepted under one version");
    if (event.kind == STILE_OP_PUT) claim(makers, mark.told->version, mark, "one version was given twice");
  }
}

void none_expired(Court& court, const Group& group) {
  if (!court.clock.known()) return;
  for (const Mark& mark : group.marks) {
    const Event& event = court.event(mark.event);
    bool told = event.kind == STILE_OP_GET && event.ok() && mark.told->expires_at != 0;
    if (told && court.clock.between(event.invoke, event.end).earliest > mark.told->expires_at + resolution)
      find_in(court, "K4", "an expired document was found", group, {mark.event});
  }
}

void pages_in_order(Court& court) {
  const History& history = court.index.history();
  for (std::uint32_t number : court.index.scans()) {
    const Event& event = history.events[number];
    std::string_view prefix = history.names[event.asked.prefix];
    std::string_view before = history.names[event.asked.page_after];
    bool has_before = !before.empty();
    for (const SeenDocument& each : history.pages(event.told.documents)) {
      std::string_view key = history.names[each.key];
      bool right = key.starts_with(prefix) && (!has_before || key > before);
      if (!right) {
        court.find("K7", "a page is not in byte order, or holds what was not asked for", Finding::Of::document,
                   each.key, {number});
        break;
      }
      before = key;
      has_before = true;
    }
  }
}

}  // namespace

void pass_documents(Court& court) {
  for (const Group& group : court.index.documents()) {
    one_first(court, group);
    one_per_version(court, group);
    none_expired(court, group);
  }
  pages_in_order(court);
}

void pass_trim(Court& court) {
  const auto& events = court.index.history().events;
  std::int64_t finished = 0, removed = 0;
  Time first = never, last = -never;
  for (const Event& event : events) {
    first = std::min(first, event.invoke);
    last = std::max(last, event.invoke);
    finished += event.kind == STILE_OP_ACK && event.asked.finished && (event.ok() || event.in_doubt());
  }
  if (last - first >= memory_span) return;  // husks may have gone, too
  for (std::uint32_t number : court.index.trims()) {
    if (!events[number].ok()) continue;
    removed += events[number].told.removed;
    if (removed > finished)
      return court.find("T1 T3", "more was trimmed than was finished", Finding::Of::store, Text::none, {number});
  }
}

void run_passes(Court& court) {
  const auto& events = court.index.history().events;
  for (std::uint32_t i = 0; i < events.size(); ++i)
    if (is_delivery(events[i]) && events[i].told.deliveries.size() == 0 && !events[i].told.more &&
        events[i].returned - events[i].invoke >= court.options.patience)
      court.patient.push_back(i);
  for (const Group& group : court.index.workflows())
    for (auto pass : {pass_fences, pass_leases, pass_deliveries, pass_receipts, pass_wakeups, pass_records, pass_pages,
                      pass_writers, pass_inbox, pass_resends})
      pass(court, group);
  pass_batches(court);
  pass_trim(court);
  pass_watches(court);
  pass_order(court);
  pass_figures(court);
  pass_documents(court);
  pass_refusals(court);
}

}  // namespace stile::conformance::judge

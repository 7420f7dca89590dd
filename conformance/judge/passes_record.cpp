// Records, pages of them, the inbox, sending again.
//
// SPDX-License-Identifier: Apache-2.0
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "judge/passes.hpp"

namespace stile::conformance::judge {
namespace {

bool writes_record(std::uint32_t kind) {
  switch (kind) {
    case STILE_OP_RECORD:
    case STILE_OP_SUPPLY:
    case STILE_OP_APPEND:
    case STILE_OP_TRANSACT:
    case STILE_OP_REBASE: return true;
    default: return false;
  }
}

bool shows_page(const Event& event) {
  return event.ok() && (event.kind == STILE_OP_LOAD || (event.kind == STILE_OP_RECEIVE && event.asked.load));
}

/// What an answer to a write says that the record holds; what it does not say is unknown.
SeenRecord written(const Event& event, const Told& told) {
  bool appends = event.kind == STILE_OP_APPEND;
  Text value = told.value;
  if (event.kind == STILE_OP_REBASE) value = event.asked.value;
  if (appends) value = told.duplicate ? Text::unknown : event.asked.value;
  return {told.position, appends ? told.key : event.asked.key, value, appends ? -never : told.written_at};
}

}  // namespace

void pass_records(Court& court, const Group& group) {
  struct First {
    SeenRecord record;
    std::uint32_t event;
  };
  std::unordered_map<std::int64_t, First> first;
  auto see = [&](const SeenRecord& record, std::uint32_t event) {
    auto [found, fresh] = first.try_emplace(record.position, First{record, event});
    if (fresh) return;
    SeenRecord& known = found->second.record;
    auto differs = [](auto a, auto b, auto unknown) { return a != b && a != unknown && b != unknown; };
    if (known.key != record.key || differs(known.value, record.value, Text::unknown) ||
        differs(known.written_at, record.written_at, -never))
      court.find("B1 B4", "one position was told to hold two different records", group, {found->second.event, event});
    if (known.value == Text::unknown) known.value = record.value;
    if (known.written_at == -never) known.written_at = record.written_at;
  };
  for (const Mark& mark : group.marks) {
    const Event& event = court.event(mark.event);
    if (!event.ok()) continue;
    if (writes_record(event.kind)) see(written(event, *mark.told), mark.event);
    if (shows_page(event))
      for (const SeenRecord& each : court.index.history().seen(mark.told->records)) see(each, mark.event);
  }
}

namespace {

/// B3 within one page.
void page_in_order(Court& court, const Group& group, const Mark& mark, bool may_have_gaps) {
  const SeenRecord* before = nullptr;
  for (const SeenRecord& each : court.index.history().seen(mark.told->records)) {
    if (before && each.position <= before->position)
      return court.find("B3", "a page is not in the order of positions", group, {mark.event});
    if (before && !may_have_gaps && each.position != before->position + 1)
      return court.find("B3 B12", "a page has a gap", group, {mark.event});
    if (before && each.written_at < before->written_at)
      return court.find("B3", "written_at falls along a page", group, {mark.event});
    before = &each;
  }
}

/// Events that wrote something which nobody else can have written: what they were told was fresh.
std::unordered_set<std::uint32_t> surely_fresh(const Court& court, const Group& group) {
  std::unordered_map<Text, int> by_key, by_message;
  auto is_write = [](const Event& event) { return writes_record(event.kind) && (event.ok() || event.in_doubt()); };
  for (const Mark& mark : group.marks) {
    const Event& event = court.event(mark.event);
    if (!is_write(event)) continue;
    if (event.kind != STILE_OP_APPEND) ++by_key[event.asked.key];
    if (event.kind == STILE_OP_APPEND && event.asked.has_message_id) ++by_message[event.asked.message_id];
  }
  std::unordered_set<std::uint32_t> fresh;
  for (const Mark& mark : group.marks) {
    const Event& event = court.event(mark.event);
    if (!is_write(event) || !event.ok() || court.index.is_repeated(event)) continue;
    bool alone = event.kind != STILE_OP_APPEND ? by_key[event.asked.key] == 1
                                               : !event.asked.has_message_id || by_message[event.asked.message_id] == 1;
    if (alone) fresh.insert(mark.event);
  }
  return fresh;
}

}  // namespace

void pass_pages(Court& court, const Group& group) {
  const History& history = court.index.history();
  bool forgets = may_forget(court, group), gaps = has_rebase(court, group);
  auto fresh = surely_fresh(court, group);
  std::int64_t highest = 0;
  std::uint32_t by = 0;
  auto past = [&](const Mark& mark) {
    const Event& event = court.event(mark.event);
    if (!event.ok()) return;
    std::int64_t position = writes_record(event.kind) ? mark.told->position : 0;
    auto page = shows_page(event) ? history.seen(mark.told->records) : std::span<const SeenRecord>{};
    if (!page.empty()) position = page.back().position;
    if (position > highest) highest = position, by = mark.event;
  };
  auto now = [&](const Mark& mark) {
    const Event& event = court.event(mark.event);
    if (fresh.contains(mark.event) && mark.told->position <= highest)
      court.find(event.kind == STILE_OP_APPEND ? "B4 I2" : "B4",
                 "written at or below a position that somebody saw before", group, {by, mark.event});
    if (!shows_page(event)) return;
    page_in_order(court, group, mark, gaps);
    bool whole = !mark.told->more && !event.asked.has_key && !event.asked.again;
    auto page = history.seen(mark.told->records);
    std::int64_t last = page.empty() ? 0 : page.back().position;
    std::int64_t after = event.kind == STILE_OP_LOAD ? event.asked.after : 0;
    if (whole && !forgets && last < highest && after < highest)
      court.find("B12 B6", "a record that somebody was told of before is missing", group, {by, mark.event});
  };
  sweep(court, group.marks, past, now);
}

namespace {

struct Writers {
  std::vector<std::uint32_t> possible, refused;
};

bool can_have_written(const Event& event, const SeenRecord& seen) {
  if (event.kind == STILE_OP_APPEND) {
    if (event.ok() && !event.told.duplicate && event.told.key != seen.key) return false;
    return event.asked.value == seen.value;
  }
  return event.asked.key == seen.key && (event.kind == STILE_OP_TRANSACT || event.asked.value == seen.value);
}

void seen_was_written(Court& court, const Group& group) {
  std::unordered_map<Text, Writers> by_key;
  Writers appends;
  for (const Mark& mark : group.marks) {
    const Event& event = court.event(mark.event);
    if (!writes_record(event.kind)) continue;
    Writers& writers = event.kind == STILE_OP_APPEND ? appends : by_key[event.asked.key];
    (event.ok() || event.in_doubt() ? writers.possible : writers.refused).push_back(mark.event);
  }
  std::unordered_set<std::uint64_t> judged;
  for (const Mark& mark : group.marks) {
    if (!shows_page(court.event(mark.event))) continue;
    for (const SeenRecord& seen : court.index.history().seen(mark.told->records)) {
      std::uint64_t pair = static_cast<std::uint64_t>(seen.key) << 32 | static_cast<std::uint64_t>(seen.value);
      if (!judged.insert(pair).second) continue;
      bool inbox = inbox_position(court.index.history().names[seen.key]) >= 0;
      const Writers& writers = inbox ? appends : by_key[seen.key];
      auto wrote = [&](std::uint32_t each) { return can_have_written(court.event(each), seen); };
      if (std::any_of(writers.possible.begin(), writers.possible.end(), wrote)) continue;
      auto refused = std::find_if(writers.refused.begin(), writers.refused.end(), wrote);
      if (refused != writers.refused.end())
        court.find("R2", "a write that was refused is there", group, {*refused, mark.event});
      else
        court.find("B5", "a record holds what nobody wrote", group, {mark.event});
    }
  }
}

}  // namespace

void pass_writers(Court& court, const Group& group) {
  seen_was_written(court, group);
  bool forgets = may_forget(court, group) || has_rebase(court, group);
  std::unordered_map<Text, std::uint32_t> ran;
  for (const Mark& mark : group.marks) {
    const Event& event = court.event(mark.event);
    if (!event.ok()) continue;
    bool records = event.kind == STILE_OP_RECORD || event.kind == STILE_OP_SUPPLY;
    if (records && mark.told->first != (mark.told->value == event.asked.value))
      court.find("B2", "first is not whether its own value stands", group, {mark.event});
    if (event.kind != STILE_OP_TRANSACT || !mark.told->ran || forgets) continue;
    auto [first, fresh] = ran.try_emplace(event.asked.key, mark.event);
    Text other = court.event(first->second).asked.op_id;
    if (!fresh && (other == Text::none || other != event.asked.op_id))
      court.find("E2", "the effect of one key ran twice", group, {first->second, mark.event});
  }
}

void pass_inbox(Court& court, const Group& group) {
  const History& history = court.index.history();
  bool forgets = may_forget(court, group);
  struct First {
    std::uint32_t any, original;
    bool has_original;
  };
  std::unordered_map<Text, First> messages;
  for (const Mark& mark : group.marks) {
    const Event& event = court.event(mark.event);
    if (event.kind != STILE_OP_APPEND || !event.ok()) continue;
    if (inbox_position(history.names[mark.told->key]) != mark.told->position)
      court.find("I1", "its key is not made of its position", group, {mark.event});
    if (!event.asked.has_message_id || forgets) continue;
    bool original = !mark.told->duplicate;
    auto [first, fresh] = messages.try_emplace(event.asked.message_id, First{mark.event, mark.event, original});
    if (fresh) continue;
    if (court.event(first->second.any).told.position != mark.told->position)
      court.find("I3", "one message was appended twice", group, {first->second.any, mark.event});
    Text other = court.event(first->second.original).asked.op_id;
    bool resent = event.asked.op_id != Text::none && event.asked.op_id == other;
    if (original && first->second.has_original && !resent)
      court.find("I3", "one message was told twice to be no duplicate", group, {first->second.original, mark.event});
    if (original) first->second.original = mark.event, first->second.has_original = true;
  }
}

void pass_resends(Court& court, const Group& group) {
  bool forgets = may_forget(court, group) || has_rebase(court, group);
  std::unordered_map<Text, Mark> first;
  for (const Mark& mark : group.marks) {
    const Event& event = court.event(mark.event);
    if (!event.ok() || !court.index.is_repeated(event)) continue;
    auto [found, fresh] = first.try_emplace(event.asked.op_id, mark);
    const Event& other = court.event(found->second.event);
    if (fresh || other.kind != event.kind) continue;
    const Told& a = *found->second.told;
    const Told& b = *mark.told;
    bool same = true;
    bool one_request = other.asked.key == event.asked.key && other.asked.message_id == event.asked.message_id &&
                       other.asked.receipt == event.asked.receipt;
    switch (event.kind) {
      case STILE_OP_RECORD:
      case STILE_OP_SUPPLY:
      case STILE_OP_TRANSACT:
        same = forgets || std::tie(a.position, a.value, a.written_at) == std::tie(b.position, b.value, b.written_at);
        break;
      case STILE_OP_APPEND: same = forgets || a.position == b.position; break;
      case STILE_OP_ACK: same = a.requeued == b.requeued; break;
      case STILE_OP_REJECT: same = a.state == b.state; break;
      default: break;
    }
    if (one_request && !same)
      court.find("R1", "sent again, it answers otherwise than at first", group, {found->second.event, mark.event});
  }
}

}  // namespace stile::conformance::judge

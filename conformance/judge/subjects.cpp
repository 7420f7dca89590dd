// From marks to items.
//
// SPDX-License-Identifier: Apache-2.0
#include "judge/subjects.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "judge/rules.hpp"

namespace stile::conformance::judge {
namespace {

/// What an answer tells of when it took effect, whatever order explains it; nothing where it contradicts the call.
void narrow(Item& item) {
  const Event& event = *item.event;
  const Asked& asked = event.asked;
  const Told& told = *item.told;
  Moment when = Moment::any();
  if (event.status == STILE_HELD) when.latest = told.live_until;
  if (event.ok()) {
    bool fresh = item.op_id == Text::none && !asked.again;
    bool made = told.state == STILE_STATE_READY || told.state == STILE_STATE_DELAYED;
    switch (event.kind) {
      case STILE_OP_ACQUIRE:
        if (fresh) when = Moment::at(told.budget_until - asked.budget);
        break;
      case STILE_OP_RECEIVE:
        if (fresh) when = Moment::at(told.visible_at - asked.lease);
        break;
      case STILE_OP_RENEW:
        if (asked.budget > 0) when.latest = told.budget_until - asked.budget;
        break;
      case STILE_OP_ENQUEUE:
        if (fresh && made && !asked.when.instant) when = Moment::at(told.visible_at - asked.when.value);
        break;
      case STILE_OP_SNOOZE:
      case STILE_OP_NACK:
        if (fresh && !asked.when.instant) when.earliest = told.visible_at - asked.when.value;
        break;
      case STILE_OP_GET:
        if (told.expires_at != 0) when.latest = told.expires_at;
        break;
      default: when.earliest = told.written_at != 0 ? told.written_at : -never;
    }
  }
  Moment both{std::max(item.when.earliest, plus(when.earliest, -resolution)),
              std::min(item.when.latest, plus(when.latest, resolution))};
  if (both.earliest <= both.latest) item.when = both;
}

/// It changes nothing; trim may, and says so itself.
bool looks_only(const Event& event) {
  if (!event.in_doubt() && !event.ok()) return true;
  switch (event.kind) {
    case STILE_OP_LOAD:
    case STILE_OP_LIST:
    case STILE_OP_GET:
    case STILE_OP_SCAN:
    case STILE_OP_TRIM: return true;
    default: return false;
  }
}

Item item_of(const Index& index, const Event& event, const Told& told, const Calibration& clock) {
  Item item;
  if (index.is_repeated(event)) item.op_id = event.asked.op_id;
  item.event = &event;
  item.told = &told;
  item.invoke = event.invoke;
  item.end = event.end;
  item.when = clock.between(event.invoke, event.end);
  item.looks = looks_only(event);
  item.nameless = event.in_doubt() && item.op_id == Text::none && !index.is_stamp(event.asked.op_id);
  item.unheard = !index.is_heard(event.asked.value);
  narrow(item);
  return item;
}

bool reads_only(std::uint32_t kind) { return kind == STILE_OP_LOAD || kind == STILE_OP_GET; }

bool is_item(const Event& event) {
  if (!is_judged(event)) return false;
  return !event.in_doubt() || !reads_only(event.kind);  // a read whose answer was lost says nothing
}

/// A refusal of receive is of no workflow; put and get are not refused by these, and so on: what is told must be meant.
bool may_answer(const Event& event) {
  if (event.ok() || event.in_doubt()) return true;
  switch (event.kind) {
    case STILE_OP_ACQUIRE: return event.status == STILE_HELD;
    case STILE_OP_RENEW: return event.status == STILE_FENCED || event.status == STILE_LAPSED;
    case STILE_OP_RELEASE:
    case STILE_OP_RECORD:
    case STILE_OP_TRANSACT:
    case STILE_OP_REBASE: return event.status == STILE_FENCED;
    case STILE_OP_EXTEND:
      return event.status != STILE_HELD && event.status != STILE_CONFLICT && event.status != STILE_NOT_FOUND;
    case STILE_OP_ACK:
    case STILE_OP_SNOOZE:
    case STILE_OP_NACK:
    case STILE_OP_REJECT:
      return event.status == STILE_STALE || event.status == STILE_CANCELLED || event.status == STILE_FENCED;
    case STILE_OP_GET: return event.status == STILE_NOT_FOUND;
    case STILE_OP_PUT:
    case STILE_OP_ERASE: return event.status == STILE_CONFLICT;
    default: return false;
  }
}

bool may_finish(const Index& index, const Group& group) {
  return std::any_of(group.marks.begin(), group.marks.end(), [&](const Mark& mark) {
    const Event& event = index.event(mark);
    bool grants =
        event.kind == STILE_OP_ACQUIRE || event.asked.acquire;  // an id with a fence and nothing else is a husk
    return (event.kind == STILE_OP_ACK && event.asked.finished) || grants;
  });
}

}  // namespace

void put_in_order(std::vector<Item>& items) {
  std::stable_sort(items.begin(), items.end(), [](const Item& a, const Item& b) { return a.invoke < b.invoke; });
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::int32_t> last;  // of a client's call, of one instant
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0 && items[i - 1].invoke != items[i].invoke) last.clear();
    const Event& mine = *items[i].event;
    auto [before, first] = last.try_emplace({mine.client, mine.call}, -1);
    std::int32_t p = before->second;
    while (p >= 0 && items[static_cast<std::size_t>(p)].event->place >= mine.place)
      p = items[static_cast<std::size_t>(p)].before;
    items[i].before = p;
    before->second = static_cast<std::int32_t>(i);
  }
}

std::vector<Item> items_of_workflow(const Index& index, const Calibration& clock, const Group& group) {
  std::vector<Item> items;
  items.reserve(group.marks.size());
  for (const Mark& mark : group.marks) {
    const Event& event = index.event(mark);
    if (!is_item(event) || !may_answer(event)) continue;
    if (event.kind == STILE_OP_RECEIVE && event.in_doubt()) continue;
    items.push_back(item_of(index, event, *mark.told, clock));
    if (const Owner* owner = index.owner(event.asked.receipt)) items.back().receipt_op = owner->op_id;
  }
  put_in_order(items);
  return items;
}

std::vector<Item> unseen_of_workflow(const Index& index, const Calibration& clock, const Group& group) {
  std::vector<Item> items;
  const History& history = index.history();
  for (std::uint32_t number : index.lost_receives())
    items.push_back(item_of(index, history.events[number], history.events[number].told, clock));
  if (may_finish(index, group))
    for (std::uint32_t number : index.trims())
      items.push_back(item_of(index, history.events[number], history.events[number].told, clock));
  return items;
}

namespace {

/// The subjects that a page speaks of, by their names in byte order: those with its prefix, after `after`, up to
/// `next`.
template <class Each>
void each_on_page(const std::vector<std::pair<std::string_view, std::size_t>>& names, const History& history,
                  const Event& page, Each each) {
  std::string_view prefix = history.names[page.asked.prefix], after = history.names[page.asked.page_after];
  auto name = std::lower_bound(names.begin(), names.end(), std::pair{std::max(prefix, after), std::size_t{0}});
  for (; name != names.end() && name->first.starts_with(prefix); ++name) {
    if (!after.empty() && name->first <= after) continue;
    if (page.told.has_next && name->first > history.names[page.told.next]) break;
    each(name->second);
  }
}

std::vector<std::pair<std::string_view, std::size_t>> in_order(const History& history,
                                                               const std::vector<Group>& groups) {
  std::vector<std::pair<std::string_view, std::size_t>> names;
  names.reserve(groups.size());
  for (std::size_t i = 0; i < groups.size(); ++i) names.emplace_back(history.names[groups[i].subject], i);
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

std::vector<std::vector<Item>> items_of_lists(const Index& index, const Calibration& clock, Pages& pages) {
  const History& history = index.history();
  std::vector<std::vector<Item>> all(index.workflows().size());
  if (index.lists().empty()) return all;
  auto names = in_order(history, index.workflows());
  std::unordered_map<Text, const Listed*> page;
  for (std::uint32_t number : index.lists()) {
    if (pages.leave_out()) continue;
    const Event& list = history.events[number];
    page.clear();
    for (const Listed& each : history.workflows_on(list.told.listed)) page.emplace(each.workflow, &each);
    each_on_page(names, history, list, [&](std::size_t w) {
      auto seen = page.find(index.workflows()[w].subject);
      ++pages.subjects;
      Item& item = all[w].emplace_back(item_of(index, list, list.told, clock));
      item.part = seen == page.end() ? Item::Part::not_seen : Item::Part::seen;
      if (seen != page.end()) item.listed = seen->second;
    });
  }
  return all;
}

std::vector<std::vector<Item>> items_of_documents(const Index& index, const Calibration& clock, Pages& pages) {
  const History& history = index.history();
  std::vector<std::vector<Item>> all(index.documents().size());
  for (std::size_t d = 0; d < all.size(); ++d)
    for (const Mark& mark : index.documents()[d].marks)
      if (is_item(index.event(mark)) && may_answer(index.event(mark)))
        all[d].push_back(item_of(index, index.event(mark), *mark.told, clock));
  auto names = in_order(history, index.documents());
  for (std::uint32_t number : index.scans()) {
    if (pages.leave_out()) continue;
    const Event& scan = history.events[number];
    std::vector<SeenDocument> page(history.pages(scan.told.documents).begin(),
                                   history.pages(scan.told.documents).end());
    std::sort(page.begin(), page.end(), [](auto& a, auto& b) { return a.key < b.key; });
    each_on_page(names, history, scan, [&](std::size_t d) {
      Text name = index.documents()[d].subject;
      auto seen =
          std::lower_bound(page.begin(), page.end(), name, [](auto& one, Text wanted) { return one.key < wanted; });
      bool there = seen != page.end() && seen->key == name;
      ++pages.subjects;
      Item& item = all[d].emplace_back(item_of(index, scan, scan.told, clock));
      item.part = there ? Item::Part::seen : Item::Part::not_seen;
      if (there) item.document = *seen;
    });
  }
  for (auto& items : all) put_in_order(items);
  return all;
}

}  // namespace stile::conformance::judge

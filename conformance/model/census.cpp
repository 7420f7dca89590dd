// What the store says of itself and of what it holds: prepare, info, stats, list, advance (contract S, A14).
//
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include "model/operations.hpp"

namespace stile::conformance::model {

namespace {

/// S4: the state of the wakeup, else finished, else idle. What was put off is listed delayed (D9).
std::string state_of(const Workflow& workflow, Now now) {
  if (!workflow.wakeup) return workflow.finished ? "finished" : "idle";
  const Wakeup& wakeup = *workflow.wakeup;
  switch (wakeup.state) {
    case Wakeup::State::dead: return "dead";
    case Wakeup::State::in_flight: return "in_flight";
    case Wakeup::State::waiting: break;
  }
  bool waits = !now.reached(wakeup.due) || (wakeup.put_off && workflow.leased(now));
  return waits ? "delayed" : "ready";
}

/// Where the contract left a choice, `list` shows what the store has chosen, and the model goes on with that.
void learn_choices(Workflow& workflow, const Said& given, Now now) {
  if (workflow.perhaps_queue && given.bytes("queue") == *workflow.perhaps_queue)
    workflow.queue = *workflow.perhaps_queue;
  workflow.perhaps_queue.reset();
  if (!workflow.wakeup) return;
  Wakeup& wakeup = *workflow.wakeup;
  Time due = given.number("due_at");
  for (Moment each : wakeup.perhaps_due) {
    if (!can_be(each, due) || can_be(wakeup.due, due)) continue;
    bool is_put_off = wakeup.state == Wakeup::State::waiting || now.reached(wakeup.due);
    (is_put_off ? wakeup.put_off.emplace() : wakeup.due) = {due, 0};
  }
  wakeup.perhaps_due.clear();
  if (!workflow.leased(now)) return;
  Moment until = workflow.lease->live_until;  // D9: "that lease's end", as it was then or as it has moved since
  if (wakeup.perhaps_put_off && can_be(until, due) && !can_be(wakeup.due, due)) wakeup.put_off = until;
  if (wakeup.put_off && can_be(until, due)) wakeup.put_off = Moment{due, 0};
  bool over = wakeup.put_off && now.reached(*wakeup.put_off);
  if (over && given.bytes("state") != "delayed" && can_be(wakeup.due, due)) wakeup.put_off.reset();
  wakeup.perhaps_put_off = false;
}

/// When it can be delivered (S4): of what was put off, when it is due again.
Moment due_at(const Workflow& workflow) {
  const Wakeup& wakeup = *workflow.wakeup;
  return wakeup.put_off ? later_of(*wakeup.put_off, wakeup.due) : wakeup.due;
}

class Entry {
 public:
  Entry(const std::string& id, const Said& given, Reply& reply) : id_(id), given_(given), reply_(reply) {}

  void text(std::string_view name, std::string_view expected, std::string_view ids) {
    tell(given_.bytes(name) == expected, name, std::string(expected), ids);
  }
  void number(std::string_view name, std::int64_t expected, std::string_view ids) {
    tell(given_.number(name) == expected, name, std::to_string(expected), ids);
  }
  void flag(std::string_view name, bool expected, std::string_view ids) {
    tell(given_.flag(name) == expected, name, expected ? "true" : "false", ids);
  }
  void moment(std::string_view name, Moment& expected, std::string_view ids) {
    bool right = given_.has(name) && can_be(expected, given_.number(name));
    tell(right, name, std::to_string(expected.at), ids);
    if (right) expected = {given_.number(name), 0};
  }
  void none(std::string_view name, std::string_view ids) {
    tell(!given_.has(name) || given_.number(name) == 0, name, "left out", ids);
  }

 private:
  void tell(bool right, std::string_view name, const std::string& expected, std::string_view ids) {
    if (right) return;
    const json::value* value = given_.find(name);
    reply_.demand(false, ids,
                  std::string(name) + " of " + id_ + " is " + (value ? json::serialize(*value) : "left out") +
                      ", must be " + expected);
  }

  const std::string& id_;
  const Said& given_;
  Reply& reply_;
};

void judge_wakeup(const std::string& id, Workflow& workflow, const Said& given, Reply& reply, Now now) {
  Entry entry(id, given, reply);
  std::string state = state_of(workflow, now);
  entry.text("state", state, "S4");
  if (!workflow.wakeup) {
    entry.none("due_at", "S4 C7");
    entry.none("delivery_count", "D5 C7");
    return entry.text("last_error", "", "D11");
  }
  Wakeup& wakeup = *workflow.wakeup;
  entry.number("delivery_count", wakeup.count, "D5");
  entry.text("last_error", wakeup.last_error, "D11");
  if (state == "dead") return entry.none("due_at", "S4 D7");
  if (!given.has("due_at")) return entry.number("due_at", due_at(workflow).at, "S4");
  Time told = given.number("due_at");
  bool also = std::any_of(wakeup.also_due.begin(), wakeup.also_due.end(), [&](Moment m) { return can_be(m, told); });
  if (also || (wakeup.extended && can_be(wakeup.due, told))) return;
  Moment due = due_at(workflow);
  entry.moment("due_at", due, wakeup.put_off ? "D9" : "S4 W2 W3");
  if (can_be(wakeup.due, told)) wakeup.due = {told, 0};
  if (wakeup.put_off && can_be(*wakeup.put_off, told)) wakeup.put_off = Moment{told, 0};
}

void judge_entry(const std::string& id, Workflow& workflow, const Said& given, Reply& reply, Now now) {
  learn_choices(workflow, given, now);
  Entry entry(id, given, reply);
  entry.text("queue", workflow.queue, "W10");
  judge_wakeup(id, workflow, given, reply, now);
  entry.number("records", static_cast<std::int64_t>(workflow.records.size()), "S4 B13");
  entry.number("fence_number", workflow.lease ? static_cast<std::int64_t>(workflow.lease->number()) : 0, "A10");
  if (workflow.leased(now)) {
    entry.moment("live_until", workflow.lease->live_until, "A3 A6 A7");
  } else {
    entry.none("live_until", "A3 A8");
  }
  entry.flag("finished", workflow.finished.has_value(), "T1");
  if (workflow.finished) {
    entry.moment("finished_at", *workflow.finished, "T1");
  } else {
    entry.none("finished_at", "T1");
  }
  entry.flag("cancel_requested", workflow.cancel_requested, "C8");
  if (workflow.records.empty()) {
    entry.none("last_written_at", "S4");
  } else {
    entry.moment("last_written_at", workflow.records.rbegin()->second.written_at, "S4 B1");
  }
}

/// S4: whether a filter takes a workflow; nothing where the contract leaves it open.
std::optional<bool> takes(const std::string& id, const Workflow& workflow, const Said& said, Now now) {
  if (!workflow.known() || !id.starts_with(said.bytes("prefix")) || id <= said.bytes("after")) return false;
  std::string state = state_of(workflow, now);
  if (said.has("state") && state != said.bytes("state")) {
    return workflow.wakeup && workflow.wakeup->perhaps_put_off ? std::optional<bool>() : false;
  }
  if (said.has("queue") && workflow.queue != said.bytes("queue")) {
    return workflow.perhaps_queue ? std::optional<bool>() : false;
  }
  if (!said.has("idle_for")) return true;
  if (state != "idle" || workflow.leased(now)) return false;
  Time age = said.duration("idle_for");
  if (age == 0) return true;
  Moment surely = workflow.touched.surely.value_or(workflow.first_operation) + age;
  Moment perhaps = workflow.touched.perhaps ? *workflow.touched.perhaps + age : surely;
  // An operation that is no write or answer (an acquire, a renewal) counts, or does not, where nothing else was.
  if (!workflow.touched.surely) perhaps = later_of(perhaps, workflow.last_operation + age);
  if (!now.reached(surely)) return false;
  return now.reached(later_of(surely, perhaps)) ? std::optional(true) : std::nullopt;
}

/// The times that a wakeup may be told to be due at: the plain one, and what else the contract leaves open.
using Times = std::vector<Moment>;

Times times_of(const Workflow& workflow) {
  const Wakeup& wakeup = *workflow.wakeup;
  Times out{due_at(workflow)};
  // D9: what had been put off is due again since then, or since it first was: both can be read.
  out.insert(out.end(), wakeup.also_due.begin(), wakeup.also_due.end());
  if (wakeup.extended) out.push_back(wakeup.due);
  return out;
}

struct Counts {
  std::int64_t ready = 0, delayed = 0, in_flight = 0, dead = 0, workflows = 0, finished = 0, in_state_finished = 0;
  std::int64_t records = 0, documents = 0;
  std::vector<Times> oldest, next;  ///< what the ages are counted from
};

void count_wakeup(const Workflow& workflow, const std::string& state, Counts& counts) {
  counts.ready += state == "ready";
  counts.delayed += state == "delayed";
  counts.in_flight += state == "in_flight";
  counts.dead += state == "dead";
  if (!workflow.wakeup || state == "dead") return;
  (state == "ready" ? counts.oldest : counts.next).push_back(times_of(workflow));
}

Counts count(World& world, const Said& said, Now now) {
  Counts counts;
  for (auto& [id, workflow] : world.workflows) {
    settle(workflow, now);
    if (!workflow.known()) continue;
    std::string state = state_of(workflow, now);
    ++counts.workflows;
    counts.finished += workflow.finished.has_value();
    counts.in_state_finished += state == "finished";
    counts.records += static_cast<std::int64_t>(workflow.records.size());
    if (!said.has("queue") || workflow.queue == said.bytes("queue")) count_wakeup(workflow, state, counts);
  }
  for (auto& [key, document] : world.documents) counts.documents += document.live(now);
  return counts;
}

/// What can be the earliest of some wakeups: a time of one, where no other must be told earlier. The plain one first.
Times earliest_of(const std::vector<Times>& all) {
  Times out;
  for (const Times& some : all) out.push_back(some.front());
  out = {std::accumulate(out.begin(), out.end(), out.front(), earlier_of)};
  for (const Times& some : all) {
    for (Moment each : some) {
      bool can = std::all_of(all.begin(), all.end(), [&](const Times& others) {
        return std::any_of(others.begin(), others.end(), [&](Moment m) { return m.latest() >= each.earliest(); });
      });
      if (can) out.push_back(each);
    }
  }
  return out;
}

void judge_oldest(const Counts& counts, Reply& reply, Now now) {
  if (counts.oldest.empty()) return reply.absent("oldest_ready_age", "S4");
  const Said& given = reply.said();
  Times choices = earliest_of(counts.oldest);
  bool right = std::any_of(choices.begin(), choices.end(), [&](Moment since) {
    Moment age = between(now.stamp.earliest() - since.latest(), now.stamp.latest() - since.earliest());
    return can_be(age, given.number("oldest_ready_age"));
  });
  reply.demand(given.has("oldest_ready_age") && right, "S4",
               "oldest_ready_age is " + std::to_string(given.number("oldest_ready_age", -1)) + ", must be " +
                   std::to_string(now.stamp.at - choices.front().at));
}

/// The next delayed wakeup or lapsing delivery; whether one that has lapsed is still the next to lapse is not said.
void judge_next(const Counts& counts, Reply& reply, Now now) {
  if (counts.next.empty()) return reply.absent("next_due_at", "S4");
  Time told = reply.said().number("next_due_at");
  Times choices;
  std::vector<Times> ahead;
  for (const Times& each : counts.next) {
    if (now.reached(each.front())) {
      choices.insert(choices.end(), each.begin(), each.end());
    } else {
      ahead.push_back(each);
    }
  }
  if (!choices.empty()) {
    choices.push_back(now.stamp);
    if (ahead.empty()) choices.push_back({0, 0});
  }
  if (!ahead.empty()) {
    Times earliest = earliest_of(ahead);
    choices.insert(choices.begin(), earliest.begin(), earliest.end());
  }
  bool right = std::any_of(choices.begin(), choices.end(), [&](Moment each) { return can_be(each, told); });
  reply.demand(right, "S4",
               "next_due_at is " + std::to_string(told) + ", must be " + std::to_string(choices.front().at));
}

/// What a trim may have taken and the page does not have, is gone.
void forget_the_gone(World& world, const Said& said, const std::vector<Said>& given, bool has_next,
                     const std::string& until) {
  if (said.has("state") || said.has("queue") || said.has("idle_for")) return;
  for (auto place = world.workflows.begin(); place != world.workflows.end();) {
    const std::string& id = place->first;
    bool on_page = id.starts_with(said.bytes("prefix")) && id > said.bytes("after") && !(has_next && id > until);
    bool listed = std::any_of(given.begin(), given.end(), [&](const Said& each) { return each.workflow() == id; });
    bool gone = place->second.perhaps_gone && on_page && !listed;
    if (on_page) place->second.perhaps_gone = false;
    place = gone ? world.workflows.erase(place) : std::next(place);
  }
}

}  // namespace

void prepare(Call call) {
  if (call.reply.ok("S1")) call.reply.flag("migrated", false, "S1");
}

void info(Call call) {
  if (!call.reply.ok("S3")) return;
  Moment told = call.now.stamp;
  call.reply.moment("store_time", told, "A14");
}

void advance(Call call) {
  if (!call.world.terms.can("manual_clock")) {
    call.reply.refuse("unsupported", "S3 A14");
    return;
  }
  if (!call.reply.ok("A14")) return;
  Moment told = call.now.stamp + call.said.duration("by");
  call.reply.moment("store_time", told, "A14");
}

void stats(Call call) {
  auto& [world, said, reply, now] = call;
  if (!reply.ok("S4")) return;
  Counts counts = count(world, said, now);
  reply.number("ready", counts.ready, "S4 C7");
  reply.number("delayed", counts.delayed, "S4 C7");
  reply.number("in_flight", counts.in_flight, "S4 C7");
  reply.number("dead", counts.dead, "S4 C7");
  reply.number("workflows", counts.workflows, "S4");
  std::int64_t finished = reply.said().number("finished");
  reply.demand(finished == counts.finished || finished == counts.in_state_finished, "S4",
               "finished is " + std::to_string(finished) + ", must be " + std::to_string(counts.finished));
  reply.number("records", counts.records, "S4 B13");
  reply.number("documents", counts.documents, "S4 K4");
  judge_oldest(counts, reply, now);
  judge_next(counts, reply, now);
  reply.absent("approximate", "S4");
}

void list(Call call) {
  auto& [world, said, reply, now] = call;
  if (!reply.ok("S4")) return;
  std::vector<Said> given = reply.said().objects("workflows");
  bool has_next = reply.said().has("next");
  std::string until = reply.said().bytes("next");
  auto limit = static_cast<std::size_t>(said.number("limit", static_cast<Time>(world.terms.page)));
  reply.demand(given.size() <= limit, "S4 K7", "more workflows than limit");
  auto next = given.begin();
  forget_the_gone(world, said, given, has_next, until);
  for (auto& [id, workflow] : world.workflows) {
    if (has_next && id > until) break;
    if (id.starts_with(said.bytes("prefix"))) settle(workflow, now);
    bool listed = next != given.end() && next->workflow() == id;
    std::optional<bool> taken = takes(id, workflow, said, now);
    if (taken && *taken != listed) {
      std::string_view ids = workflow.known() ? "S4" : "S4 B6 C7";
      return reply.demand(false, ids, listed ? "the page has " + id : "the page lacks " + id);
    }
    if (!listed) continue;
    judge_entry(id, workflow, *next, reply, now);
    ++next;
  }
  if (next != given.end())
    reply.demand(false, "S4 B6", "the page has " + next->workflow() + " out of place or unknown");
}

}  // namespace stile::conformance::model

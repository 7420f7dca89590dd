// Records, the inbox and effects: contract B, I, E.
//
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "model/operations.hpp"

namespace stile::conformance::model {

namespace {

/// B3, B4: one above the last; above everything ever given where a life begins or a rebase went before.
std::int64_t take_position(Workflow& workflow, Past& past, Reply& reply, std::string_view ids) {
  std::int64_t position = reply.said().number("position");
  std::int64_t last = std::max(workflow.last_position, past.position);
  if (workflow.position_may_jump) {
    reply.demand(position > last, "B4 " + std::string(ids),
                 "position " + std::to_string(position) + " is not above " + std::to_string(last) + ", given earlier");
  } else {
    reply.number("position", last + 1, "B3 " + std::string(ids));
  }
  workflow.position_may_jump = false;
  workflow.last_position = past.position = std::max(position, last);
  return position;
}

void touch(Workflow& workflow, Now now) { workflow.touched = {now.stamp, now.stamp}; }
void perhaps_touch(Workflow& workflow, Now now) { workflow.touched.perhaps = now.stamp; }

/// A record written now; what the answer says of it.
void write(Call call, Workflow& workflow, const std::string& key, bool tells_when, std::string_view ids) {
  auto& [world, said, reply, now] = call;
  std::int64_t position = take_position(workflow, world.past[said.workflow()], reply, ids);
  Moment written = now.stamp;
  if (!workflow.records.empty()) written = later_of(written, workflow.records.rbegin()->second.written_at);
  if (tells_when) reply.moment("written_at", written, "B1 A12");
  workflow.records[position] = {key, said.bytes("value"), written, said.op_id(), said.op()};
  touch(workflow, now);
}

/// B1, B2: what stands, in the answer of whoever wrote the key again.
void judge_standing(const Workflow& workflow, const Record& record, bool first, Reply& reply, std::string_view ids) {
  for (const auto& [position, each] : workflow.records) {
    if (&each == &record) reply.number("position", position, ids);
  }
  Moment written = record.written_at;
  reply.moment("written_at", written, ids);
  reply.bytes("value", record.value, ids);
  reply.flag("first", first, "B2");
}

/// The record of a key as the place where record, supply, transact and rebase are remembered (R1).
Remembered remembered_in(const Record* record, const Said& said) {
  return record ? remembered({record->op_id, record->op, {}, {}}, said) : Remembered::no;
}

/// record and supply, once they are allowed.
void record_or_lose(Call call, Workflow& workflow, std::string_view ids) {
  auto& [world, said, reply, now] = call;
  if (const Record* winner = workflow.record(said.bytes("key"))) {
    perhaps_touch(workflow, now);
    return judge_standing(workflow, *winner, winner->value == said.bytes("value"), reply, "B1 B2");
  }
  write(call, workflow, said.bytes("key"), true, ids);
  reply.flag("first", true, "B2");
  reply.bytes("value", said.bytes("value"), "B2 B5");
}

bool wants_enqueue(const Said& said) { return said.flag("enqueue"); }

/// W9: without one_commit a plugin refuses what it cannot couple. True when that settles the call.
bool cannot_couple(Call call) {
  if (!wants_enqueue(call.said) || call.world.terms.can("one_commit")) return false;
  call.reply.refuse("unsupported", "W9 S3");
  return true;
}

/// W9: the enqueue of supply and append. Whether it takes the place of the last enqueue's memory is not said.
void enqueue_along(Call call, Workflow& workflow) {
  if (!wants_enqueue(call.said)) return;
  enqueue_into(workflow, call.said.group("enqueue"), call.reply, call.now, "W9");
  if (!workflow.last_enqueue.op_id.empty()) workflow.unclear.insert(workflow.last_enqueue.op_id);
  workflow.last_enqueue = {};
  if (!call.said.op_id().empty()) workflow.along.insert(call.said.op_id());
}

/// R1, R3: true when what the key's record remembers of this op_id settles the call.
bool settled_by_record(const Workflow* workflow, Call call) {
  const Record* standing = workflow ? workflow->record(call.said.bytes("key")) : nullptr;
  const Remembered found = remembered_in(standing, call.said);
  if (!settled_by_memory(found, call.reply)) return false;
  if (found == Remembered::same) judge_standing(*workflow, *standing, true, call.reply, "R1");
  return true;
}

/// A4: true when the call is refused.
bool fenced(Workflow* workflow, Call call) {
  if (workflow && workflow->shows_current(call.said.fence())) return false;
  call.reply.refuse("fenced", "A4");
  return true;
}

}  // namespace

void record(Call call) {
  auto& [world, said, reply, now] = call;
  Workflow* workflow = world.find(said.workflow());
  if (settled_by_record(workflow, call)) return;
  if (fenced(workflow, call) || !reply.ok(workflow->leased(now) ? "A4" : "A5")) return;
  record_or_lose(call, world.make(said.workflow(), now), "");
  sign_of_life(*workflow, now);
}

void supply(Call call) {
  auto& [world, said, reply, now] = call;
  Workflow* workflow = world.find(said.workflow());
  if (settled_by_record(workflow, call)) return;
  if (workflow && workflow->along.count(said.op_id()) != 0) return reply.leave_open();
  if (cannot_couple(call) || !reply.ok("B7")) return;
  record_or_lose(call, world.make(said.workflow(), now), "B7");
  enqueue_along(call, world.make(said.workflow(), now));
}

void append(Call call) {
  auto& [world, said, reply, now] = call;
  Workflow* found = world.find(said.workflow());
  bool by_op_id = !said.has("message_id");
  MessageId id{by_op_id, by_op_id ? said.op_id() : said.bytes("message_id")};
  if (found && !id.bytes.empty()) {
    auto place = found->messages.find(id);
    if (place != found->messages.end()) {
      const Message& message = place->second;
      bool same_send = !said.op_id().empty() && message.op_id == said.op_id();
      if (!same_send && found->along.count(said.op_id()) != 0) return reply.leave_open();
      if (!same_send && cannot_couple(call)) return;
      if (!reply.ok("I3")) return;
      reply.bytes("key", message.key, same_send ? "R1 I3" : "I3");
      reply.number("position", message.position, same_send ? "R1 I3" : "I3");
      reply.flag("duplicate", !same_send, same_send ? "R1 I3" : "I3");
      if (same_send) return;
      perhaps_touch(*found, now);
      return enqueue_along(call, world.make(said.workflow(), now));
    }
  }
  if (cannot_couple(call) || !reply.ok("I4 I3")) return;
  Workflow& workflow = world.make(said.workflow(), now);
  std::int64_t position = reply.said().number("position");
  write(call, workflow, inbox_key(position), false, "I1");
  reply.bytes("key", inbox_key(position), "I1");
  reply.flag("duplicate", false, "I3");
  if (!id.bytes.empty()) workflow.messages[id] = {inbox_key(position), position, said.op_id()};
  enqueue_along(call, workflow);
}

void transact(Call call) {
  auto& [world, said, reply, now] = call;
  Workflow* workflow = world.find(said.workflow());
  const Record* standing = workflow ? workflow->record(said.bytes("key")) : nullptr;
  Said effect = said.group("effect");
  Remembered found = remembered_in(standing, said);
  if (settled_by_memory(found, reply)) {
    if (found == Remembered::same) {
      reply.bytes("value", standing->value, "R1");
      reply.flag("ran", true, "R1");
    }
    return;
  }
  if (!world.terms.can("effects:" + effect.bytes("language"))) {
    reply.refuse("unsupported", "E6");
    return;
  }
  if (fenced(workflow, call)) return;
  if (standing) {  // E2: the effect does not run
    if (!reply.ok("E2")) return;
    reply.flag("ran", false, "E2");
    reply.bytes("value", standing->value, "E2");
    perhaps_touch(*workflow, now);
    return sign_of_life(*workflow, now);
  }
  // What the effect gives is the harness's knowledge, said beside the request: the value, or null for one that fails.
  const json::value* gives = said.find("gives");
  if (!gives || gives->is_null()) {
    reply.refuse("effect_failed", "E4 E6");
    return;
  }
  if (!reply.ok("E1")) return;
  Workflow& written = world.make(said.workflow(), now);
  write(call, written, said.bytes("key"), true, "E1");
  written.records.rbegin()->second.value = said.bytes("gives");
  reply.flag("ran", true, "E1");
  reply.bytes("value", said.bytes("gives"), "E1");
  sign_of_life(written, now);
}

void rebase(Call call) {
  auto& [world, said, reply, now] = call;
  Workflow* workflow = world.find(said.workflow());
  const Record* standing = workflow ? workflow->record(said.bytes("key")) : nullptr;
  Remembered found = remembered_in(standing, said);
  if (settled_by_memory(found, reply)) {
    if (found == Remembered::same) {
      Moment written = standing->written_at;
      reply.moment("written_at", written, "R1");
    }
    return;
  }
  if (fenced(workflow, call) || !reply.ok("B11")) return;
  std::string after = said.bytes("inbox_after");
  std::int64_t removed = static_cast<std::int64_t>(std::erase_if(workflow->records, [&](const auto& each) {
    return !(is_inbox_key(each.second.key) && each.second.key > after);
  }));
  reply.number("removed", removed, "B11");
  workflow->position_may_jump = true;
  write(call, world.make(said.workflow(), now), said.bytes("key"), true, "B11");
  sign_of_life(*workflow, now);
}

void discard(Call call) {
  auto& [world, said, reply, now] = call;
  Workflow* workflow = world.find(said.workflow());
  if (!workflow) {
    if (reply.ok("B6")) reply.number("removed", 0, "B6");
    return;
  }
  if (settled_by_memory(remembered(workflow->last_discard, said), reply)) return;
  if (!reply.ok(said.flag("cancel") ? "C6 A10" : "A10")) return;
  reply.number("removed", static_cast<std::int64_t>(workflow->records.size()), "A10");
  bool changed = workflow->known();
  Workflow next;
  next.granted_in_an_old_life = workflow->lease || workflow->granted_in_an_old_life;
  next.position_may_jump = true;
  next.queue = workflow->queue;
  next.perhaps_queue = workflow->perhaps_queue;
  next.cancelled_receipt = workflow->cancelled_receipt;
  next.cancelled_at = workflow->cancelled_at;
  next.first_operation = next.last_operation = now.stamp;
  next.touched.perhaps = now.stamp;
  end_put_off(*workflow, now.stamp);  // D9: discard frees the lease
  if (!said.flag("cancel")) {
    next.wakeup = workflow->wakeup;
  } else {
    if (workflow->wakeup && workflow->wakeup->state == Wakeup::State::in_flight) {  // C2, C6
      next.cancelled_receipt = workflow->wakeup->receipt;
      next.cancelled_at = now.stamp;
    }
    next.queue.clear();  // W10
    next.perhaps_queue.reset();
  }
  next.unclear = workflow->unclear;
  next.along = workflow->along;
  doubt_memories(*workflow);
  next.unclear.merge(workflow->unclear);
  next.last_discard = remember(said, reply);
  if (!changed && !said.op_id().empty()) next.unclear.insert(said.op_id());
  *workflow = std::move(next);
}

void request_cancel(Call call) {
  auto& [world, said, reply, now] = call;
  if (Workflow* found = world.find(said.workflow())) {
    if (settled_by_memory(remembered(found->last_request_cancel, said), reply)) return;
  }
  if (!reply.ok("C8")) return;
  Workflow& workflow = world.make(said.workflow(), now);
  workflow.cancel_requested = true;
  workflow.last_request_cancel = remember(said, reply);
  touch(workflow, now);
}

void watch(Call call) {
  auto& [world, said, reply, now] = call;
  if (!world.terms.can("push_records")) {
    reply.refuse("unsupported", "S3");
    return;
  }
  if (!reply.ok("B14")) return;
  std::vector<std::string> changed = reply.said().list("changed");
  for (const Said& each : said.objects("workflows")) {
    const Workflow* workflow = world.find(each.workflow());
    if (!workflow || workflow->last_record() <= each.number("after")) continue;
    bool named = std::find(changed.begin(), changed.end(), each.workflow()) != changed.end();
    reply.demand(named, "B14", "changed does not name " + each.workflow() + ", which has a record above after");
  }
}

void judge_records(Workflow& workflow, const Said& asked, const Said& given, Reply& reply, const World& world,
                   bool at_least_one) {
  std::uint64_t limit = static_cast<std::uint64_t>(asked.number("limit", static_cast<Time>(world.terms.page)));
  std::uint64_t most =
      static_cast<std::uint64_t>(asked.number("max_bytes", static_cast<Time>(world.terms.reply_bytes)));
  most = std::min(most, world.terms.reply_bytes);
  std::vector<Said> records = given.objects("records");
  auto next = workflow.records.upper_bound(asked.number("after"));
  std::uint64_t bytes = 0;
  for (const Said& each : records) {
    if (next == workflow.records.end()) {
      return reply.demand(false, "B3 B6", "a record too many: " + each.bytes("key"));
    }
    Record& record = next->second;
    bytes += record.key.size() + record.value.size();
    std::string where = "the record at " + std::to_string(next->first);
    reply.demand(
        each.number("position") == next->first, "B3 B6",
        "position " + std::to_string(each.number("position")) + " where " + std::to_string(next->first) + " is next");
    reply.demand(each.bytes("key") == record.key, "B1 B5",
                 where + " has key " + each.bytes("key") + ", must be " + record.key);
    reply.demand(each.bytes("value") == record.value, "B1 B5", where + " has another value than was written first");
    reply.demand(can_be(record.written_at, each.number("written_at")), "B1",
                 where + " has another written_at than it had at first");
    record.written_at = {each.number("written_at"), 0};
    ++next;
  }
  bool more = next != workflow.records.end();
  reply.demand(records.size() <= limit, "B6", "more records than limit");
  reply.demand(bytes <= most || (at_least_one && records.size() == 1), "B6", "more bytes than max_bytes");
  if (at_least_one) reply.demand(!records.empty() || !more, "B6", "no record, though there is one");
  reply.demand(given.flag("more") == more, "B6", std::string("more must be ") + (more ? "true" : "false"));
}

void load(Call call) {
  auto& [world, said, reply, now] = call;
  static Workflow none;
  Workflow* found = world.find(said.workflow());
  if (!reply.ok("B6")) return;
  Workflow& workflow = found ? *found : none;
  reply.number("fence_number", workflow.lease ? static_cast<Time>(workflow.lease->number()) : 0, "A10 B6");
  reply.flag("cancel_requested", workflow.cancel_requested, "C8");
  reply.flag("finished", workflow.finished.has_value(), "T1");
  if (!said.has("key")) return judge_records(workflow, said, reply.said(), reply, world, true);
  // B9: that record alone, wherever it stands.
  Workflow alone;
  for (const auto& [position, record] : workflow.records) {
    if (record.key == said.bytes("key")) alone.records[position] = record;
  }
  json::object asked{{"op", "load"}};
  judge_records(alone, Said(asked), reply.said(), reply, world, true);
}

}  // namespace stile::conformance::model

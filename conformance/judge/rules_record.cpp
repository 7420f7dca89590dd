// Records, the inbox, effects: contract B, I, E.
//
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "judge/facts.hpp"
#include "judge/rules.hpp"

namespace stile::conformance::judge {
namespace {

/// A position that a lost answer kept back is told at last; it must lie between its neighbours.
bool learn_position(WorkflowState& state, std::size_t i, std::int64_t told) {
  Record record = state.records[i];
  if (record.position_known) return record.position == told;
  if (told < record.position) return false;
  if (i > 0 && told <= state.records[i - 1].position) return false;
  if (i + 1 < state.records.size() && state.records[i + 1].position_known && told >= state.records[i + 1].position)
    return false;
  for (std::size_t m = 0; m < state.messages.size(); ++m) {
    Message message = state.messages[m];
    if (message.position_known || message.position != record.position) continue;
    message.position = told;
    message.position_known = true;
    state.messages.set(m, message);
  }
  record.position = told;
  record.position_known = true;
  state.records.set(i, record);
  state.last_position = std::max(state.last_position, told);
  return true;
}

bool learn_value(WorkflowState& state, std::size_t i, Text told) {
  Record record = state.records[i];
  if (record.value != Text::unknown) return record.value == told;
  record.value = told;
  state.records.set(i, record);
  return true;
}

bool learn_written(WorkflowState& state, std::size_t i, Time told) {
  Record record = state.records[i];
  if (record.written_at != unknown_time) return record.written_at == told;
  record.written_at = told;
  state.records.set(i, record);
  return true;
}

/// B3, B4: one above the last; above everything ever given where a life begins or a rebase went before.
bool take_position(WorkflowState& state, Step& step, Record& record) {
  if (!step.informed) {
    record.position = state.last_position + 1;
    record.position_known = !state.position_may_jump;
  } else {
    record.position = step.told.position;
    if (!step.must(record.position > state.last_position, "B4 B3", "its position is not above one given earlier"))
      return false;
    if (!step.must(state.position_may_jump || record.position == state.last_position + 1, "B3",
                   "its position leaves a gap"))
      return false;
    state.position_may_jump = false;
  }
  state.last_position = record.position;
  return true;
}

/// What answers tell of the place that a write takes whose own was lost.
bool fits_facts(Step& step, Record& record) {
  const Facts::Record* fact = record.position_known ? step.facts.at(record.position) : nullptr;
  if (step.informed || !fact) return true;
  bool same_key =
      record.key == Text::unknown ? inbox_position(step.history.names[fact->key]) >= 0 : record.key == fact->key;
  bool same_value = record.value == Text::unknown || fact->value == Text::unknown || record.value == fact->value;
  if (!step.must(same_key && same_value, "B1 B3", "another record is at the position that it takes")) return false;
  record.key = fact->key;
  if (record.value == Text::unknown) record.value = fact->value;
  return true;
}

/// A record written now.
bool write(WorkflowState& state, Step& step, Text key, Text value, bool tells_when) {
  Record record{0, key, value, step.item.op_id, unknown_time, step.event.kind, true};
  if (step.informed && tells_when) {
    record.written_at = step.told.written_at;
    if (!step.must(record.written_at >= state.last_written, "B3 A12", "written_at falls along the order")) return false;
    bool lags = record.written_at == state.last_written;  // A12: the clock stood, or was set back
    if (!lags && !step.at(record.written_at, "B1 A11", "written_at is not when it was written")) return false;
    state.last_written = record.written_at;
  }
  if (!take_position(state, step, record) || !fits_facts(step, record)) return false;
  state.records.push(record);
  return true;
}

/// B1, B2: the answer says what stands.
bool stands(WorkflowState& state, Step& step, std::size_t i, const char* ids) {
  if (!step.informed) return true;
  return step.must(learn_position(state, i, step.told.position), ids, "its position is not that of the record") &&
         step.must(learn_written(state, i, step.told.written_at), ids, "its written_at is not that of the record") &&
         step.must(learn_value(state, i, step.told.value), ids, "its value is not that of the record");
}

/// R1: this send was recorded before.
bool is_remembered(const WorkflowState& state, const Step& step, int at) {
  if (at < 0 || step.item.op_id == Text::none) return false;
  const Record& record = state.records[static_cast<std::size_t>(at)];
  return record.op_id == step.item.op_id && record.kind == step.event.kind;
}

bool current_fence(WorkflowState& state, Step& step, const char* ids) {
  return step.must(is_current(state.lease, state.highest_fence, step.asked.fence), ids,
                   "accepted under a fence that was not current");
}

/// record and supply, once they are allowed. A value that is not known yet may be anybody's.
bool record_or_lose(WorkflowState& state, Step& step, int at) {
  if (at >= 0) {
    auto i = static_cast<std::size_t>(at);
    if (!stands(state, step, i, "B1 B2")) return false;
    bool first = state.records[i].value == step.asked.value;
    return step.says(step.told.first == first, "B2", "first is not whether its value stands");
  }
  return write(state, step, step.asked.key, step.asked.value, true) &&
         step.says(step.told.first, "B2", "first is false, and no record stood") &&
         step.says(step.told.value == step.asked.value, "B2 B5", "its value is not what it wrote");
}

bool record(WorkflowState& state, Step& step) {
  int at = state.find(step.asked.key);
  bool remembered = is_remembered(state, step, at);
  if (step.event.status == STILE_FENCED) {
    if (!step.must(!remembered, "R1", "fenced, and its op_id is remembered")) return false;
    return step.must(is_not_current(state.lease, step.asked.fence), "A4 A5", "fenced under the current fence");
  }
  if (remembered)
    return step.informed && stands(state, step, static_cast<std::size_t>(at), "R1") &&
           step.must(step.told.first, "R1", "its value stands and first is false");
  if (!current_fence(state, step, "A4")) return false;
  if (!record_or_lose(state, step, at)) return false;
  sign_of_life(state, step);
  return true;
}

bool supply(WorkflowState& state, Step& step) {
  int at = state.find(step.asked.key);
  if (is_remembered(state, step, at))
    return step.informed && stands(state, step, static_cast<std::size_t>(at), "R1") &&
           step.must(step.told.first, "R1", "its value stands and first is false");
  return record_or_lose(state, step, at) && enqueue_along(state, step);
}

bool append_again(WorkflowState& state, Step& step, std::size_t m) {
  Message message = state.messages[m];
  bool same_send = message.op_id != Text::none && message.op_id == step.item.op_id;
  if (same_send && !step.informed) return false;
  if (step.informed && !message.position_known) {
    for (std::size_t i = 0; i < state.records.size(); ++i)
      if (!state.records[i].position_known && state.records[i].position == message.position) {
        if (!step.must(learn_position(state, i, step.told.position), "I3 B4",
                       "its position is not that of the message"))
          return false;
        break;
      }
    message = state.messages[m];
  }
  if (!step.says(step.told.position == message.position, same_send ? "R1 I3" : "I3",
                 "a message that was appended before has another position"))
    return false;
  if (!step.says(step.told.duplicate != same_send, same_send ? "R1 I3" : "I3", "duplicate is not what it must be"))
    return false;
  return same_send || enqueue_along(state, step);
}

bool append(WorkflowState& state, Step& step) {
  const Asked& asked = step.asked;
  bool by_op_id = !asked.has_message_id;
  Text id = by_op_id ? step.item.op_id : asked.message_id;
  for (std::size_t m = 0; id != Text::none && m < state.messages.size(); ++m)
    if (state.messages[m].id == id && state.messages[m].by_op_id == by_op_id) return append_again(state, step, m);
  Text key = step.informed ? step.told.key : Text::unknown;
  if (!write(state, step, key, asked.value, false)) return false;
  if (!step.says(!step.told.duplicate, "I3", "duplicate, and nothing was appended before")) return false;
  const Record& made = state.records[state.records.size() - 1];
  if (id != Text::none) state.messages.push({id, step.item.op_id, by_op_id, made.position, made.position_known});
  return enqueue_along(state, step);
}

bool transact(WorkflowState& state, Step& step) {
  int at = state.find(step.asked.key);
  bool remembered = is_remembered(state, step, at);
  if (step.event.status == STILE_FENCED) {
    return step.must(!remembered, "R1", "fenced, and its op_id is remembered") &&
           step.must(is_not_current(state.lease, step.asked.fence), "E3 A5", "fenced under the current fence");
  }
  if (remembered)
    return step.informed && stands(state, step, static_cast<std::size_t>(at), "R1 E1") &&
           step.must(step.told.ran, "R1", "its effect ran and ran is false");
  if (!current_fence(state, step, "E3 A4")) return false;
  if (at >= 0) {
    if (!stands(state, step, static_cast<std::size_t>(at), "E2")) return false;
    if (!step.says(!step.told.ran, "E2 E5", "its effect ran, and the key was recorded")) return false;
  } else {
    if (!write(state, step, step.asked.key, step.informed ? step.told.value : Text::unknown, true)) return false;
    if (!step.says(step.told.ran, "E1", "its effect did not run, and no record stood")) return false;
  }
  sign_of_life(state, step);
  return true;
}

bool rebase(WorkflowState& state, Step& step) {
  int at = state.find(step.asked.key);
  bool remembered = is_remembered(state, step, at);
  if (step.event.status == STILE_FENCED)
    return step.must(!remembered, "R1", "fenced, and its op_id is remembered") &&
           step.must(is_not_current(state.lease, step.asked.fence), "A4 A5", "fenced under the current fence");
  if (remembered)
    return step.informed && step.must(learn_position(state, static_cast<std::size_t>(at), step.told.position), "R1",
                                      "its position is not that of its record");
  if (!current_fence(state, step, "B11 A4")) return false;
  auto before = static_cast<std::int64_t>(state.records.size());
  state.records.keep([&](const Record& each) {
    return each.inbox() && (each.position > step.asked.after || (!each.position_known && step.ways.choose()));
  });
  auto removed = before - static_cast<std::int64_t>(state.records.size());
  if (!step.says(step.told.removed == removed, "B11", "removed is not how many records there were")) return false;
  state.position_may_jump = true;
  if (!write(state, step, step.asked.key, step.asked.value, true)) return false;
  sign_of_life(state, step);
  return true;
}

bool load(WorkflowState& state, Step& step) {
  if (!step.informed) return true;
  Lease& lease = state.lease;
  if (lease.granted && lease.fence.number == FenceName::unknown && step.told.fence_number >= state.highest_fence)
    lease.fence.number = state.highest_fence = step.told.fence_number;
  std::int64_t number = lease.granted ? lease.fence.number : 0;
  return judge_page(state, step, true) &&
         step.must(step.told.fence_number == number, "A10 B12", "fence_number is not that of the current lease") &&
         step.must(step.told.cancel_requested == state.cancel_requested, "C8",
                   "cancel_requested is not what it was then") &&
         step.must(step.told.finished == state.finished, "T1 B12", "finished is not what it was then");
}

bool is_same(WorkflowState& state, std::size_t i, const SeenRecord& seen, Step& step) {
  if (state.records[i].key == Text::unknown) {  // an append whose answer was lost: any inbox key
    Record record = state.records[i];
    if (inbox_position(step.history.names[seen.key]) >= 0) record.key = seen.key;
    state.records.set(i, record);
  }
  return step.must(state.records[i].key == seen.key, "B3 B12",
                   "the records are not those that were there, in their order") &&
         step.must(learn_value(state, i, seen.value), "B1 B5", "a record has another value than was written first") &&
         step.must(learn_position(state, i, seen.position), "B3 B1", "a record has another position than it had") &&
         step.must(learn_written(state, i, seen.written_at), "B1", "a record has another written_at than it had");
}

}  // namespace

bool judge_page(WorkflowState& state, Step& step, bool at_least_one) {
  auto page = step.history.seen(step.told.records);
  bool alone = step.event.kind == STILE_OP_LOAD && step.asked.has_key;  // B9: that record, wherever it stands
  std::int64_t after = step.event.kind == STILE_OP_LOAD && !alone ? step.asked.after : 0;
  std::size_t next = 0;
  for (std::size_t i = 0; i < state.records.size(); ++i) {
    const Record record = state.records[i];
    if (alone && record.key != step.asked.key) continue;
    if (record.position <= after && (record.position_known || !step.ways.choose())) continue;
    if (next == page.size()) {  // the rest is on other pages
      return step.must(step.told.more, "B6 B12", "a record that was there is missing") &&
             step.must(!at_least_one || next > 0, "B6", "no record, though there is one");
    }
    if (!is_same(state, i, page[next], step)) return false;
    ++next;
  }
  return step.must(next == page.size(), "B4 R2", "a record that was not there") &&
         step.must(!step.told.more, "B6", "more, though there is none");
}

bool step_record(WorkflowState& state, Step& step) {
  switch (step.event.kind) {
    case STILE_OP_RECORD: return record(state, step);
    case STILE_OP_SUPPLY: return supply(state, step);
    case STILE_OP_APPEND: return append(state, step);
    case STILE_OP_TRANSACT: return transact(state, step);
    case STILE_OP_REBASE: return rebase(state, step);
    default: return load(state, step);
  }
}

namespace {

/// The fence it was accepted under is superseded, or the one it was granted is not the highest any more.
bool is_superseded(const WorkflowState& state, FenceName fence, bool grants) {
  if (grants) return fence.number <= state.highest_fence;
  const Lease& lease = state.lease;
  bool may_be_current =
      lease.fence == fence || (lease.fence.number == FenceName::unknown && lease.fence.stamp == fence.stamp);
  return fence.number < state.highest_fence && !may_be_current;
}

/// Its place was passed over: no record ever appears there (B4).
bool is_passed_over(const WorkflowState& state, std::int64_t position) {
  if (position > state.last_position) return false;
  auto records = state.records.list();
  return std::none_of(records.begin(), records.end(),
                      [&](const Record& each) { return each.position == position || !each.position_known; });
}

}  // namespace

bool is_hopeless(const WorkflowState& state, const Item& item) {
  const Event& event = *item.event;
  if (!event.ok() || item.optional) return false;
  bool once = item.op_id == Text::none && !event.asked.again;
  switch (event.kind) {
    case STILE_OP_ACQUIRE: return once && is_superseded(state, item.told->fence, true);
    case STILE_OP_RECEIVE: return once && event.asked.acquire && is_superseded(state, item.told->fence, true);
    case STILE_OP_RECORD:
    case STILE_OP_TRANSACT:
    case STILE_OP_REBASE:
      if (once && is_superseded(state, event.asked.fence, false)) return true;
      [[fallthrough]];
    case STILE_OP_SUPPLY: return is_passed_over(state, item.told->position);
    case STILE_OP_APPEND: return once && !item.told->duplicate && item.told->position <= state.last_position;
    case STILE_OP_RENEW:
    case STILE_OP_RELEASE: return is_superseded(state, event.asked.fence, false);
    default: return false;
  }
}

}  // namespace stile::conformance::judge

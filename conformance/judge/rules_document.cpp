// Documents: contract K.
//
// SPDX-License-Identifier: Apache-2.0
#include "judge/rules.hpp"

namespace stile::conformance::judge {
namespace {

constexpr std::size_t most_remembered = 8;  // K3

/// K4: an expired document is absent. Both demand; the document that is absent is forgotten.
bool is_there(DocumentState& state, Step& step, const char* ids, const char* text) {
  return step.must(state.there && (!state.expires || step.window.not_yet(state.expiry)), ids, text);
}
bool is_absent(DocumentState& state, Step& step, const char* ids, const char* text) {
  if (!step.must(!state.there || (state.expires && step.window.has_come(state.expiry)), ids, text)) return false;
  state.there = state.expires = false;
  return true;
}

bool version_is(DocumentState& state, Text version) {
  if (state.version == Text::unknown) state.version = version;  // of a put whose answer was lost
  return state.version == version;
}

bool tells_expiry(DocumentState& state, Step& step, Time told) {
  if (!step.must((told != 0) == state.expires, "K5 K4", "expires_at is not what its ttl says")) return false;
  return !state.expires || step.says_when(state.expiry, told, "K4 K5", "expires_at is not what its ttl says");
}

bool get(DocumentState& state, Step& step) {
  if (step.event.status == STILE_NOT_FOUND) return is_absent(state, step, "K8 K4", "not found, and it was there");
  if (!step.informed) return true;
  if (!is_there(state, step, "K4 K6", "found, and it was not there, or had expired")) return false;
  if (state.value == Text::unknown) state.value = step.told.value;
  return step.must(version_is(state, step.told.version), "K2 B12", "its version is not the latest") &&
         step.must(state.value == step.told.value, "K1 B5", "its value is not the latest") &&
         tells_expiry(state, step, step.told.expires_at);
}

bool seen(DocumentState& state, Step& step) {
  if (step.item.part == Item::Part::not_seen) return is_absent(state, step, "K7", "not on its page, and it was there");
  return is_there(state, step, "K7 K4", "on a page, and it was not there, or had expired") &&
         step.must(version_is(state, step.item.document.version), "K7 K2", "its version on a page is not the latest") &&
         tells_expiry(state, step, step.item.document.expires_at);
}

/// K3: where this op_id stands among the last eight; -1: nowhere.
int remembered(const DocumentState& state, const Step& step) {
  if (step.item.op_id == Text::none) return -1;
  for (std::size_t i = state.writes.size(); i-- > 0;)
    if (state.writes[i].op_id == step.item.op_id && state.writes[i].kind == step.event.kind) return static_cast<int>(i);
  return -1;
}

bool condition_holds(DocumentState& state, Step& step) {
  switch (step.asked.condition) {
    case Asked::If::any: return true;
    case Asked::If::absent: return is_absent(state, step, "K1", "put if absent, and it was there");
    case Asked::If::version:
      return is_there(state, step, "K2", "a condition on a version, and nothing was there") &&
             step.must(version_is(state, step.asked.version), "K2",
                       "its condition names a version that was not current");
  }
  return true;
}

bool conflict(DocumentState& state, Step& step) {
  if (!step.must(step.asked.condition != Asked::If::any, "K6", "a conflict without a condition")) return false;
  if (step.told.version == Text::none)
    return is_absent(state, step, "K2 K1", "a conflict with nothing, and it was there") &&
           step.must(step.asked.condition == Asked::If::version, "K1",
                     "put if absent, nothing was there, and it conflicts");
  if (!is_there(state, step, "K1 K2", "a conflict with what was not there")) return false;
  if (state.value == Text::unknown) state.value = step.told.value;
  return step.must(version_is(state, step.told.version), "K2", "a conflict with another version than was there") &&
         step.must(state.value == step.told.value, "K1 K2", "a conflict with another value than was there") &&
         step.must(step.asked.condition == Asked::If::absent || step.asked.version != step.told.version, "K2",
                   "a conflict with the version it names");
}

void remember(DocumentState& state, const Step& step, bool doubtful) {
  Text version = step.informed ? state.version : Text::unknown;
  if (step.item.op_id == Text::none && state.writes.empty()) return;  // nobody will ask for any of them
  state.writes.push({step.item.op_id, version, step.event.kind, doubtful});
  if (state.writes.size() > 2 * most_remembered) {
    std::size_t drop = state.writes.size() - 2 * most_remembered;
    state.writes.keep([&](const auto&) { return drop == 0 || drop-- == 0; });
  }
}

/// K3: sent again, it answers as the first. False in settled: judged afresh.
bool done_before(DocumentState& state, Step& step, bool& settled) {
  int at = remembered(state, step);
  settled = false;
  if (at < 0) return true;
  auto i = static_cast<std::size_t>(at);
  bool doubtful = state.writes[i].doubtful || state.writes.size() - i > most_remembered;
  for (std::size_t later = i; later < state.writes.size(); ++later) doubtful = doubtful || state.writes[later].doubtful;
  if (!state.there || state.expires) doubtful = true;  // a husk may be gone after ten minutes
  if (doubtful && step.ways.choose()) return true;
  settled = true;
  if (step.event.status == STILE_CONFLICT) return step.must(false, "K3 R1", "a conflict, and its op_id is remembered");
  if (!step.informed) return false;
  if (step.event.kind == STILE_OP_ERASE) return true;
  auto write = state.writes[i];
  if (write.version == Text::unknown) {
    write.version = step.told.version;
    if (i + 1 == state.writes.size() && state.version == Text::unknown) state.version = step.told.version;
    state.writes.set(i, write);
  }
  return step.must(write.version == step.told.version, "K3 R1", "sent again, it answers another version");
}

/// K5. False: it cannot be.
void set_expiry(DocumentState& state, Step& step) {
  if (step.asked.keep_ttl) {
    bool gone = !state.there;
    if (!gone && state.expires && !step.window.surely_not_yet(state.expiry))
      gone = step.window.surely_come(state.expiry) || step.ways.choose();
    if (!gone && state.expires && step.window.not_yet(state.expiry)) return;
    if (gone && state.there) step.window.has_come(state.expiry);
    state.expires = false;
    return;
  }
  state.expires = step.asked.ttl != 0;
  state.expiry = state.expires ? step.now() + step.asked.ttl : Moment{};
}

bool put(DocumentState& state, Step& step) {
  if (!condition_holds(state, step)) return false;
  set_expiry(state, step);
  state.there = true;
  state.value = step.asked.value;
  state.version = step.informed ? step.told.version : Text::unknown;
  remember(state, step, false);
  return true;
}

bool erase(DocumentState& state, Step& step) {
  if (!condition_holds(state, step)) return false;
  bool removed = step.told.removed != 0;
  if (step.informed && !removed && !is_absent(state, step, "K6", "removed is false, and it was there")) return false;
  if (step.informed && removed && !is_there(state, step, "K6", "removed, and nothing was there")) return false;
  bool doubtful = step.informed ? !removed : !state.there;
  state.there = state.expires = false;
  state.version = Text::none;
  remember(state, step, doubtful);
  return true;
}

}  // namespace

bool apply(DocumentState& state, Step& step) {
  if (step.event.kind == STILE_OP_SCAN) return seen(state, step);
  if (step.event.kind == STILE_OP_GET) return get(state, step);
  bool settled = false;
  if (!done_before(state, step, settled)) return false;
  if (settled) return true;
  if (step.event.status == STILE_CONFLICT) return conflict(state, step);
  return step.event.kind == STILE_OP_PUT ? put(state, step) : erase(state, step);
}

}  // namespace stile::conformance::judge

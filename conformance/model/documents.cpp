// Documents: contract K.
//
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "model/operations.hpp"

namespace stile::conformance::model {

namespace {

constexpr std::size_t most_remembered = 8;  // K3

/// The condition of a put or an erase: any, absent, or a version.
struct Condition {
  enum class Kind { any, absent, version } kind = Kind::any;
  std::string version;
};

Condition condition_of(const Said& said) {
  std::string text = said.has("if") ? said.bytes("if") : "any";
  if (text == "any") return {};
  if (text == "absent") return {Condition::Kind::absent, ""};
  return {Condition::Kind::version, text};
}

bool holds(const Condition& condition, const Document* document) {
  switch (condition.kind) {
    case Condition::Kind::any: return true;
    case Condition::Kind::absent: return !document;
    case Condition::Kind::version: return document && document->version == condition.version;
  }
  return false;
}

/// K1, K2: a refused condition is answered with what is there.
/// True when the condition of a put or an erase does not hold; the answer is judged then.
bool conflicts(const Document* live, Call call) {
  const Condition condition = condition_of(call.said);
  if (holds(condition, live)) return false;
  const std::string_view ids = condition.kind == Condition::Kind::absent ? "K1" : "K2 K6";
  Reply& reply = call.reply;
  if (!reply.refuse("conflict", ids)) return true;
  if (!live) {
    reply.absent("version", "K2");
    reply.absent("value", "K2");
    return true;
  }
  reply.bytes("version", live->version, ids);
  reply.bytes("value", live->value, ids);
  return true;
}

/// K3: what the key remembers of this op_id. `doubtful`: whether an erase of nothing is remembered and takes one of the
/// eight places, what a store remembers beyond them, and beyond the ten minutes of a husk, is not said.
Remembered remembered_by(const Document* document, const Said& said, Now now, bool& doubtful, Memory& found) {
  doubtful = false;
  if (!document || said.op_id().empty()) return Remembered::no;
  std::size_t later = 0;
  for (const Memory& each : document->memories) {
    bool empty_erase = each.op == "erase" && !Said(each.answer).flag("removed");
    if (each.op_id == said.op_id()) {
      doubtful = empty_erase || later >= most_remembered;
      if (!document->live(now) && now.reached(document->last_operation + memory_span)) doubtful = true;
      found = each;
      return each.op == said.op() ? Remembered::same : Remembered::other;
    }
    ++later;
  }
  return Remembered::no;
}

/// True when the memory settles the call.
bool done_before(Document* document, Call call) {
  bool doubtful = false;
  Memory memory;
  Remembered found = remembered_by(document, call.said, call.now, doubtful, memory);
  if (found == Remembered::no) return false;
  if (doubtful) {
    call.reply.leave_open();
    return true;
  }
  if (!settled_by_memory(found, call.reply) || found == Remembered::other) return true;
  if (memory.op == "put") call.reply.bytes("version", Said(memory.answer).bytes("version"), "K3");
  return true;
}

/// K2: a version is new for its key, short, and never one of the words of a condition.
void judge_version(World& world, const std::string& key, const std::string& version, Reply& reply) {
  bool form = !version.empty() && version.size() <= 64 && version != "any" && version != "absent";
  reply.demand(form, "K2", "version " + version + " is malformed");
  reply.demand(world.versions[key].insert(version).second, "K2",
               "version " + version + " of " + key + " was given before");
}

std::optional<Moment> expiry(const Said& said, const Document* live, Now now) {
  const json::value* ttl = said.find("ttl");
  if (ttl && ttl->is_string() && ttl->get_string() == "keep") return live ? live->expires : std::nullopt;  // K5
  Time length = said.duration("ttl");
  if (length == 0) return {};
  return now.stamp + length;
}

void judge_expiry(const Said& given, std::optional<Moment>& expires, Reply& reply) {
  Time told = given.number("expires_at");
  bool right = expires ? can_be(*expires, told) : told == 0;
  reply.demand(right, "K4 K5",
               "expires_at of " + given.bytes("key") + " is " + std::to_string(told) + ", must be " +
                   (expires ? std::to_string(expires->at) : "left out"));
  if (expires) expires = Moment{told, 0};
}

}  // namespace

void get(Call call) {
  auto& [world, said, reply, now] = call;
  Document* document = world.find_document(said.bytes("key"), now);
  if (!document || !document->there) {
    reply.refuse("not_found", "K4");
    return;
  }
  if (!reply.ok("K8 K4")) return;
  reply.bytes("value", document->value, "K1 B5");
  reply.bytes("version", document->version, "K2");
  judge_expiry(reply.said(), document->expires, reply);
}

void put(Call call) {
  auto& [world, said, reply, now] = call;
  Document* found = world.find_document(said.bytes("key"), now);
  Document* live = found && found->there ? found : nullptr;
  if (done_before(found, call) || conflicts(live, call)) return;
  if (!reply.ok("K1 K2")) return;
  std::string version = reply.said().bytes("version");
  judge_version(world, said.bytes("key"), version, reply);
  Document& document = world.documents[said.bytes("key")];
  document.expires = expiry(said, live, now);
  document.there = true;
  document.value = said.bytes("value");
  document.version = version;
  document.memories.push_front(remember(said, reply));
  document.last_operation = now.stamp;
}

void erase(Call call) {
  auto& [world, said, reply, now] = call;
  Document* found = world.find_document(said.bytes("key"), now);
  Document* live = found && found->there ? found : nullptr;
  if (done_before(found, call) || conflicts(live, call)) return;
  if (!reply.ok("K6")) return;
  reply.flag("removed", live != nullptr, "K6");
  Document& document = world.documents[said.bytes("key")];
  document.there = false;
  document.expires.reset();
  document.memories.push_front(remember(said, reply));
  if (live || !found) document.last_operation = now.stamp;
}

void scan(Call call) {
  auto& [world, said, reply, now] = call;
  if (!reply.ok("K7")) return;
  std::string prefix = said.bytes("prefix");
  std::string after = said.bytes("after");
  std::vector<Said> given = reply.said().objects("documents");
  bool has_next = reply.said().has("next");
  std::string until = has_next ? reply.said().bytes("next") : std::string();
  auto limit = static_cast<std::size_t>(said.number("limit", static_cast<Time>(world.terms.page)));
  reply.demand(given.size() <= limit, "K7", "more documents than limit");
  auto next = given.begin();
  for (auto& [key, stored] : world.documents) {
    Document* document = world.find_document(key, now);
    if (!document->there || !key.starts_with(prefix) || key <= after) continue;
    if (has_next && key > until) break;
    if (next == given.end() || next->bytes("key") != key) {
      return reply.demand(false, "K7 K4", "the page lacks " + key);
    }
    reply.demand(next->bytes("version") == document->version, "K7 K2", "version of " + key);
    judge_expiry(*next, document->expires, reply);
    ++next;
  }
  if (next != given.end()) reply.demand(false, "K7 K4", "the page has " + next->bytes("key") + ", which is not there");
}

}  // namespace stile::conformance::model

// What an argument breaks before any state is read: B9, W8, W10, K5, K6, I1, D3, D8, R1, R3.
//
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "model/operations.hpp"
#include "stile/types.hpp"

namespace stile::conformance::model {

namespace {

/// Gathers what is wrong: invalid, too_large, or both in one request, where either may be said.
class Look {
 public:
  Look(const World& world, const Said& said, Now now) : world_(world), said_(said), now_(now) {}

  void id(std::string_view name) {
    std::size_t size = said_.bytes(name).size();
    if (size == 0) wrong("invalid", "B9");
    if (size > world_.terms.id_bytes) wrong("too_large", "B9");
  }
  void value() {
    if (said_.bytes("value").size() > world_.terms.value_bytes) wrong("too_large", "B9");
  }
  /// I1: inbox keys are made by append alone.
  void record_key() {
    id("key");
    if (said_.bytes("key").starts_with("inbox:")) wrong("invalid", "I1");
  }
  void queue(const Said& from) {
    if (from.bytes("queue").size() > 64) wrong("too_large", "W10");
  }
  /// W8: a ttl, lease or budget, and where it leads.
  void length(const Said& from, std::string_view name) { positive(from.duration(name)); }
  void positive(Time length) {
    if (length <= 0 || length > end_of_time - now_.stamp.at) wrong("invalid", "W8");
  }
  void when(const Said& from) {
    if (from.has("delay") && from.has("at")) wrong("invalid", "W8");
    When when = from.when();
    if (when.value < 0) wrong("invalid", "W8");
    if (when.value > end_of_time - (when.instant ? 0 : now_.stamp.at)) wrong("invalid", "W8");
  }
  void delay(std::string_view name) {
    Time delay = said_.duration(name);
    if (delay < 0 || delay > end_of_time - now_.stamp.at) wrong("invalid", "W8");
  }
  void not_negative(std::string_view name) {
    if (said_.duration(name) < 0) wrong("invalid", "W8");
  }
  void at_least_one(const Said& from, std::string_view name) {
    if (from.has(name) && from.number(name, 1) < 1) wrong("invalid", "B9");
  }
  void fence_text() {
    auto fence = said_.fence();
    if (fence && !Fence::parse(*fence)) wrong("invalid", "A4");
  }
  void enqueue_group() {
    if (!said_.flag("enqueue")) return;
    when(said_.group("enqueue"));
    queue(said_.group("enqueue"));
  }
  void wrong(std::string_view status, std::string_view ids) {
    if (std::find(fault_.statuses.begin(), fault_.statuses.end(), status) == fault_.statuses.end()) {
      fault_.statuses.push_back(status);
    }
    fault_.ids += (fault_.ids.empty() ? "" : " ") + std::string(ids);
  }
  std::optional<Fault> found() const { return fault_.statuses.empty() ? std::nullopt : std::optional(fault_); }
  const Said& said() const { return said_; }
  const World& world() const { return world_; }

 private:
  const World& world_;
  const Said& said_;
  Now now_;
  Fault fault_;
};

void look_at_lease(Look& look, const std::string& op) {
  look.id("workflow");
  if (op != "acquire") look.fence_text();
  if (op != "release") look.length(look.said(), "ttl");
  if (op == "acquire" || (op == "renew" && look.said().duration("budget") != 0)) look.length(look.said(), "budget");
}

void look_at_checkpoint(Look& look, const std::string& op) {
  const Said& said = look.said();
  look.id("workflow");
  if (op == "load") {
    look.at_least_one(said, "limit");
    look.at_least_one(said, "max_bytes");
    look.not_negative("after");
    if (said.has("key")) look.id("key");
    return;
  }
  if (op == "discard" || op == "request_cancel") return;
  if (op == "append") {
    if (said.has("message_id")) look.id("message_id");
  } else {
    look.record_key();
  }
  if (op == "record" || op == "transact" || op == "rebase") look.fence_text();
  if (op == "rebase" && !said.bytes("inbox_after").empty() && !is_inbox_key(said.bytes("inbox_after"))) {
    look.wrong("invalid", "B11");
  }
  look.value();
  look.enqueue_group();
}

void look_at_receive(Look& look) {
  const Said& said = look.said();
  look.length(said, "lease");
  look.not_negative("wait");
  look.at_least_one(said, "max");
  if (said.has("queues")) {
    std::vector<std::string> queues = said.list("queues");
    if (queues.empty() || queues.size() > look.world().terms.queues) look.wrong("invalid", "W10");
    bool long_name =
        std::any_of(queues.begin(), queues.end(), [](const std::string& each) { return each.size() > 64; });
    if (long_name) look.wrong("too_large", "W10");
  }
  if (said.flag("acquire")) {
    Said how = said.group("acquire");
    look.length(how, "ttl");
    look.length(how, "budget");
  }
  if (said.flag("load")) {
    look.at_least_one(said.group("load"), "limit");
    look.at_least_one(said.group("load"), "max_bytes");
  }
  if (said.flag("again") && said.op_id().empty()) look.wrong("invalid", "R1");
}

void look_at_answer(Look& look, const std::string& op) {
  const Said& said = look.said();
  look.fence_text();
  if (op == "extend") {
    look.length(said, "lease");
    bool fence = said.has("fence");
    bool ttl = said.has("ttl");
    if (fence != ttl || (said.has("budget") && !fence)) look.wrong("invalid", "D3");
    if (ttl) look.length(said, "ttl");
    if (said.has("budget") && said.duration("budget") != 0) look.length(said, "budget");
    return;
  }
  if (said.flag("release") && !said.has("fence")) look.wrong("invalid", "D8");
  if (op == "snooze") {
    look.when(said);
    if (!said.has("delay") && !said.has("at")) look.wrong("invalid", "W8");
  }
  if (op == "nack") look.delay("delay");
}

void look_at_document(Look& look, const std::string& op) {
  const Said& said = look.said();
  if (op == "scan") return look.at_least_one(said, "limit");
  look.id("key");
  if (op == "erase" && said.bytes("if") == "absent") look.wrong("invalid", "K6");
  if (op != "put") return;
  look.value();
  const json::value* ttl = said.find("ttl");
  bool keep = ttl && ttl->is_string() && ttl->get_string() == "keep";
  if (ttl && !keep && said.duration("ttl") != 0) look.positive(said.duration("ttl"));
}

void look_at_store(Look& look, const std::string& op) {
  const Said& said = look.said();
  look.at_least_one(said, "limit");
  if (said.has("queue")) look.queue(said);
  if (op == "list") look.not_negative("idle_for");
  if (op == "trim") look.not_negative("older_than");
  if (op == "advance") look.not_negative("by");
}

}  // namespace

std::optional<Fault> argument_fault(const World& world, const Said& said, Now now) {
  Look look(world, said, now);
  std::string op = said.op();
  if (op == "acquire" || op == "renew" || op == "release") look_at_lease(look, op);
  if (op == "load" || op == "record" || op == "supply" || op == "append" || op == "transact" || op == "rebase" ||
      op == "discard" || op == "request_cancel") {
    look_at_checkpoint(look, op);
  }
  if (op == "enqueue") look.id("workflow"), look.when(said), look.queue(said);
  if (op == "cancel") look.id("workflow");
  if (op == "receive") look_at_receive(look);
  if (op == "extend" || op == "ack" || op == "snooze" || op == "nack" || op == "reject") look_at_answer(look, op);
  if (op == "get" || op == "put" || op == "erase" || op == "scan") look_at_document(look, op);
  if (op == "stats" || op == "list" || op == "trim" || op == "advance") look_at_store(look, op);
  return look.found();
}

}  // namespace stile::conformance::model

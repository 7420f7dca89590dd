// Turning the numbers of a command into a request that fits the state of the trial.
//
// SPDX-License-Identifier: Apache-2.0
#include "model/command.hpp"

#include <algorithm>
#include <array>

namespace stile::conformance::model {

namespace {

std::string workflow_id(std::uint8_t which) { return "w" + std::to_string(which % 3); }
std::string step_key(std::uint8_t which) { return "step" + std::to_string(which % 3); }
std::string document_key(std::uint8_t which) { return "doc" + std::to_string(which % 2); }
bool flag(const Command& command, int bit) { return (command.flags >> bit & 1) != 0; }

/// Two values that collide now and then, one that is no text, one that is empty (B2, B5).
json::value value_of(std::uint8_t which) {
  switch (which % 5) {
    case 0: return "x";
    case 1: return "y";
    case 2: return json::object{{"b64", "AP8igQ=="}};
    case 3: return "";
    default: return "1e16";
  }
}

const Workflow* find(const World& world, const std::string& id) {
  auto place = world.workflows.find(id);
  return place == world.workflows.end() ? nullptr : &place->second;
}

bool has_fence(const Workflow& workflow) { return workflow.lease.has_value(); }
bool in_flight(const Workflow& workflow) {
  return workflow.wakeup && workflow.wakeup->state == Wakeup::State::in_flight;
}

/// A fence that differs from the current one in one way (A4).
std::string bent(const std::string& fence, std::uint8_t how) {
  std::string stamp = fence.substr(fence.find('.') + 1);
  std::uint64_t number = fence_number(fence);
  std::string other(32, 'b');
  switch (how) {
    case 0: return std::to_string(number) + "." + other;
    case 1: return std::to_string(number + 1) + "." + stamp;
    case 2: return std::to_string(number > 1 ? number - 1 : number + 2) + "." + stamp;
    default: return "9007199254740992." + stamp;
  }
}

}  // namespace

Time Player::length(std::uint8_t which) const {
  constexpr Time ms = 1000;
  static const std::array<Time, 8> lengths{30 * ms, 10 * ms, 20 * ms, 50 * ms, 100 * ms, 1000 * ms, 60'000 * ms, 1};
  if (!trial_.manual_clock() && which % 8 == 7) return 25 * ms;
  return lengths[which % 8];
}

bool Player::any(Wanted wanted) const {
  const auto& all = trial_.world().workflows;
  return std::any_of(all.begin(), all.end(), [&](const auto& each) { return wanted(each.second); });
}

Command Player::instead(const Command& command) const {
  Command other = command;
  if (command.token % 4 == 3) return other;
  switch (command.verb) {
    case Verb::ack:
    case Verb::nack:
    case Verb::snooze:
    case Verb::reject:
    case Verb::extend:
    case Verb::chain:
      if (!any(in_flight)) other.verb = Verb::receive;
      break;
    case Verb::record:
    case Verb::renew:
    case Verb::release:
    case Verb::rebase:
      if (!any(has_fence)) other.verb = Verb::acquire;
      break;
    default: break;
  }
  bool nothing = !any([](const Workflow& workflow) { return workflow.wakeup.has_value(); });
  if (other.verb == Verb::receive && nothing) other.verb = Verb::enqueue;
  return other;
}

std::string Player::workflow(const Command& command, Wanted wanted) const {
  for (std::uint8_t i = 0; i < 3 && command.token % 16 < 13; ++i) {
    std::string id = workflow_id(static_cast<std::uint8_t>(command.workflow + i));
    const Workflow* workflow = find(trial_.world(), id);
    if (workflow && wanted(*workflow)) return id;
  }
  return workflow_id(command.workflow);
}

json::value Player::fence(const Command& command, const std::string& id) const {
  const Workflow* workflow = find(trial_.world(), id);
  std::string current = workflow && workflow->lease ? workflow->lease->fence : "";
  std::uint8_t which = command.token % 16;
  if (which < 10 && !current.empty()) return json::string(current);
  if (which == 10) return nullptr;
  if (which < 15 && !current.empty()) return json::string(bent(current, which - 11));
  // An earlier one, of this workflow or of another.
  std::string last;
  for (const json::object& each : sent_) {
    const json::value* fence = each.if_contains("fence");
    if (fence && fence->is_string() && fence->get_string() != current) last = std::string(fence->get_string());
  }
  return last.empty() ? json::value("1." + std::string(32, 'c')) : json::value(json::string(last));
}

std::string Player::receipt(const Command& command) const {
  const World& world = trial_.world();
  const std::string id = workflow(command, in_flight);
  const Workflow* workflow = find(world, id);
  std::uint8_t which = command.token / 16 % 16;
  if (which < 11 && workflow && workflow->wakeup && !workflow->wakeup->receipt.empty())
    return workflow->wakeup->receipt;
  if (which < 13 && workflow && workflow->cancelled_receipt) return *workflow->cancelled_receipt;
  if (which == 15) return "forged";
  std::vector<std::string> old;
  for (const auto& [receipt, owner] : world.receipts) {
    if (owner == id) old.push_back(receipt);
  }
  return old.empty() ? "" : old[command.key % old.size()];
}

std::string Player::version(const Command& command) const {
  auto place = trial_.world().documents.find(document_key(command.key));
  if (place == trial_.world().documents.end()) return "";
  if (command.token % 4 != 3) return place->second.version;
  auto all = trial_.world().versions.find(place->first);
  return all == trial_.world().versions.end() ? "" : *all->second.begin();
}

void Player::add_when(json::object& request, const Command& command) const {
  switch (command.time % 6) {
    case 0:
    case 1: return;  // now
    case 2: request["at"] = std::max<Time>(0, trial_.now().at - length(command.flags)); return;
    case 3: request["at"] = trial_.now().at + length(command.flags) + 5000; return;
    default: request["delay"] = length(static_cast<std::uint8_t>(command.flags >> 2)); return;
  }
}

void Player::add_queue(json::object& request, const Command& command) const {
  if (command.key % 4 == 1) request["queue"] = "q";
  if (command.key % 4 == 2) request["queue"] = "";
}

json::object Player::lease_request(const Command& command) {
  json::object request{{"workflow", workflow_id(command.workflow)}};
  if (command.verb != Verb::acquire) {
    std::string id = workflow(command, has_fence);
    request = {{"workflow", id}, {"fence", fence(command, id)}};
  }
  if (command.verb == Verb::release) return request["op"] = "release", request;
  request["ttl"] = length(command.time);
  if (command.verb == Verb::acquire) {
    request["op"] = "acquire";
    request["budget"] = length(command.key % 3 == 2 ? command.time : static_cast<std::uint8_t>(command.key + 3));
    if (command.flags % 5 == 4) request["force"] = true;
    return request;
  }
  request["op"] = "renew";
  if (flag(command, 0)) request["budget"] = length(command.key);
  return request;
}

json::object Player::checkpoint_request(const Command& command) {
  bool fenced = command.verb == Verb::record || command.verb == Verb::transact || command.verb == Verb::rebase;
  std::string id = fenced ? workflow(command, has_fence) : workflow_id(command.workflow);
  json::object request{{"workflow", id}};
  if (fenced) request["fence"] = fence(command, id);
  auto along = [&] {
    if (!flag(command, 3) || !trial_.world().terms.can("one_commit")) return;
    json::object enqueue;
    add_when(enqueue, command);
    add_queue(enqueue, command);
    request["enqueue"] = enqueue;
  };
  switch (command.verb) {
    case Verb::supply:
      request.insert({{"op", "supply"}, {"key", step_key(command.key)}, {"value", value_of(command.token)}});
      along();
      return request;
    case Verb::append:
      request.insert({{"op", "append"}, {"value", value_of(command.token)}});
      if (command.key % 4 != 3) request["message_id"] = "m" + std::to_string(command.key % 4);
      along();
      return request;
    case Verb::transact: {
      request.insert({{"op", "transact"}, {"key", step_key(command.key)}});
      const auto& known = trial_.effects();
      EffectText text = known.empty() ? EffectText{"klingon", "x", "x"} : known[command.flags % known.size()];
      bool fails = flag(command, 4);
      request["effect"] = json::object{{"language", text.language}, {"text", fails ? text.fails : text.gives}};
      request["gives"] = fails ? json::value() : json::value("given");
      return request;
    }
    case Verb::rebase: {
      request.insert({{"op", "rebase"}, {"key", step_key(command.key)}});
      request["value"] = value_of(command.flags);
      const Workflow* workflow = find(trial_.world(), id);
      if (flag(command, 0) && workflow && workflow->last_record() > 0) {
        request["inbox_after"] = inbox_key(workflow->last_record() - command.flags % 3);
      }
      return request;
    }
    case Verb::discard:
      request["op"] = "discard";
      if (flag(command, 0)) request["cancel"] = true;
      return request;
    case Verb::request_cancel: request["op"] = "request_cancel"; return request;
    case Verb::load:
      request["op"] = "load";
      if (flag(command, 0)) request["after"] = command.key;
      if (flag(command, 1)) request["limit"] = 1 + command.key % 3;
      if (flag(command, 2)) request["max_bytes"] = 1 + command.token;
      if (flag(command, 3)) request["key"] = step_key(command.key);
      return request;
    default:
      request.insert({{"op", "record"}, {"key", step_key(command.key)}});
      request["value"] = value_of(command.flags);
      return request;
  }
}

json::object Player::queue_request(const Command& command) {
  json::object request;
  if (command.verb == Verb::cancel) return {{"op", "cancel"}, {"workflow", workflow_id(command.workflow)}};
  if (command.verb == Verb::enqueue) {
    request = {{"op", "enqueue"}, {"workflow", workflow_id(command.workflow)}};
    add_when(request, command);
    add_queue(request, command);
    if (command.token % 4 == 3) request["revive"] = true;
    return request;
  }
  request = {{"op", "receive"}, {"lease", length(command.time)}, {"max", 1 + command.workflow}};
  switch (command.key % 8) {
    case 1: request["queues"] = json::array{"q"}; break;
    case 2: request["queues"] = json::array{""}; break;
    case 3: request["queues"] = json::array{"", "q"}; break;
    default: request["queues"] = json::array{"q", ""}; break;
  }
  if (trial_.world().terms.queues < 2) request["queues"] = json::array{command.key % 2 == 0 ? "" : "q"};
  if (!flag(command, 0) && trial_.world().terms.can("coupled_receive")) {
    request["acquire"] = json::object{{"ttl", length(command.token)}, {"budget", length(command.token / 8 + 3)}};
  }
  if (flag(command, 1)) request["load"] = json::object{{"limit", 1 + command.flags % 4}, {"max_bytes", 40}};
  return request;
}

std::optional<json::object> Player::answer_request(const Command& command) {
  json::object request{{"receipt", receipt(command)}};
  bool shows = flag(command, 0);
  if (shows) request["fence"] = fence(command, workflow(command, in_flight));
  switch (command.verb) {
    case Verb::extend:
      request["op"] = "extend";
      request["lease"] = length(command.time);
      if (shows) request["ttl"] = length(command.key);
      if (shows && flag(command, 1)) request["budget"] = length(static_cast<std::uint8_t>(command.key + 1));
      return request;
    case Verb::ack:
      request["op"] = "ack";
      if (flag(command, 1)) request["finished"] = true;
      break;
    case Verb::snooze:
      request["op"] = "snooze";
      add_when(request, command);
      if (!request.contains("at") && !request.contains("delay")) request["delay"] = 0;
      break;
    case Verb::nack:
      request["op"] = "nack";
      if (command.time % 3 != 0) request["delay"] = length(command.time);
      if (flag(command, 3)) request["error"] = "error " + std::to_string(command.key);
      break;
    default:
      request["op"] = "reject";
      if (flag(command, 3)) request["error"] = "error " + std::to_string(command.key);
      break;
  }
  if (shows && flag(command, 2)) request["release"] = true;
  return request;
}

json::object Player::document_request(const Command& command) {
  if (command.verb == Verb::scan) {
    json::object request{{"op", "scan"}, {"prefix", flag(command, 0) ? "doc1" : "doc"}};
    if (flag(command, 1)) request["limit"] = 1;
    return request;
  }
  json::object request{{"key", document_key(command.key)}};
  if (command.verb == Verb::get) return request["op"] = "get", request;
  std::string current = version(command);
  bool put = command.verb == Verb::put;
  request["op"] = put ? "put" : "erase";
  if (command.workflow % 3 == 1 && put) request["if"] = "absent";
  if (command.workflow % 3 == 2 && !current.empty()) request["if"] = current;
  if (!put) return request;
  request["value"] = value_of(command.flags);
  if (command.time % 3 == 1) request["ttl"] = length(command.flags);
  if (command.time % 3 == 2) request["ttl"] = "keep";
  return request;
}

json::object Player::store_request(const Command& command) {
  json::object request;
  switch (command.verb) {
    case Verb::trim:
      request["op"] = "trim";
      request["older_than"] = command.time % 2 == 0 ? 0 : length(command.flags);
      if (flag(command, 7)) request["limit"] = 1;
      return request;
    case Verb::list: {
      static const std::array<const char*, 6> states{"ready", "delayed", "in_flight", "dead", "finished", "idle"};
      request["op"] = "list";
      if (flag(command, 0)) request["state"] = states[command.key % 6];
      if (flag(command, 1)) request["queue"] = flag(command, 2) ? "q" : "";
      if (flag(command, 3)) request["prefix"] = workflow_id(command.workflow);
      if (flag(command, 4)) request["idle_for"] = length(command.time);
      if (flag(command, 5)) request["limit"] = 1;
      return request;
    }
    case Verb::watch:
      request["op"] = "watch";
      request["wait"] = 0;
      request["workflows"] = json::array{json::object{{"workflow", workflow_id(command.workflow)}, {"after", 0}},
                                         json::object{{"workflow", "elsewhere"}, {"after", command.key}}};
      return request;
    default:
      request["op"] = "stats";
      if (flag(command, 0)) request["queue"] = flag(command, 1) ? "q" : "";
      return request;
  }
}

/// R1: something that was sent before, as it was, or its op_id in the mouth of another operation of the same slot.
std::optional<json::object> Player::sent_before(const Command& command) {
  if (sent_.empty()) return {};
  std::size_t back = command.key % std::min<std::size_t>(sent_.size(), 12);
  json::object request = sent_[sent_.size() - 1 - back];
  std::string op = Said(request).op();
  if (op == "receive") request["again"] = true;
  if (command.flags % 3 != 2) return request;
  if (op == "record") {
    request.erase("fence");
    request["op"] = "supply";
  } else if (op == "put") {
    json::object other{{"op", "erase"}, {"key", request.at("key")}, {"op_id", request.at("op_id")}};
    return other;
  } else if (op == "ack") {
    json::object other{{"op", "nack"}, {"receipt", request.at("receipt")}, {"op_id", request.at("op_id")}};
    return other;
  }
  return request;
}

std::optional<json::object> Player::request(const Command& command) {
  switch (command.verb) {
    case Verb::acquire:
    case Verb::renew:
    case Verb::release: return lease_request(command);
    case Verb::enqueue:
    case Verb::receive:
    case Verb::cancel: return queue_request(command);
    case Verb::ack:
    case Verb::nack:
    case Verb::snooze:
    case Verb::reject:
    case Verb::extend: return answer_request(command);
    case Verb::put:
    case Verb::erase:
    case Verb::get:
    case Verb::scan: return document_request(command);
    case Verb::trim:
    case Verb::list:
    case Verb::stats:
    case Verb::watch: return store_request(command);
    case Verb::again: return sent_before(command);
    default: return checkpoint_request(command);
  }
}

/// R3: a record and the answer that ends the pass, the second only if the first was done.
void Player::chain(const Command& command) {
  Command first = command;
  first.verb = Verb::record;
  Command second = command;
  second.verb = command.key % 2 == 0 ? Verb::ack : Verb::snooze;
  json::object record = *request(first);
  json::object answer = *request(second);
  if (!trial_.does(record) || !trial_.does(answer)) return;
  answer["after_ok"] = true;
  if (trial_.determines(record) && trial_.determines(answer)) trial_.say_all({record, answer});
}

/// To an end of something, just before it, or some way on.
void Player::pass(const Command& command) {
  Time now = trial_.now().at;
  std::vector<Time> ends = trial_.model().ends_within({}, now, now + 10'000'000);
  if (trial_.manual_clock() && command.key % 3 != 0 && !ends.empty()) {
    Time end = ends[command.workflow % ends.size()] - now;
    return trial_.pass(command.key % 3 == 1 ? end : end - 1);
  }
  if (!trial_.manual_clock()) return trial_.pass(length(command.time % 3));
  trial_.pass(command.flags == 255 ? memory_span : length(command.time));
}

void Player::play(const Command& drawn) {
  const Command command = instead(drawn);
  if (command.verb == Verb::pass) {
    pass(command);
    return trial_.compare({});
  }
  if (command.verb == Verb::chain) {
    chain(command);
    return trial_.compare({workflow_id(command.workflow)});
  }
  std::optional<json::object> said = request(command);
  if (!said || !trial_.does(*said) || !trial_.determines(*said)) return;
  trial_.give_op_id(*said);
  trial_.say(*said);
  if (command.verb != Verb::again && said->contains("op_id")) sent_.push_back(*said);
  if (command.verb == Verb::receive) trial_.ask_again(*said);
  trial_.compare({workflow_id(command.workflow)});
}

}  // namespace stile::conformance::model

// What a store declares not to have, and whether it answers so (S3).
//
// SPDX-License-Identifier: Apache-2.0
#include "dialogue/absence.hpp"

#include <algorithm>

#include "dialogue/match.hpp"
#include "dialogue/requests.hpp"

namespace stile::conformance {
namespace {

bool has(const Facts& facts, const std::string& capability) {
  if (capability == "effects") return !effect_language(facts).empty();
  if (capability == "render") return !render_language(facts).empty();
  return facts.can(capability);
}

/// Operations whose absence a capability declares, not the part.
bool by_capability(std::string_view op) {
  return op == "transact" || op == "render" || op == "advance" || op == "watch";
}

/// Asks, and says what is wrong with the answer; empty = it was `unsupported`.
std::string ask(Client& client, const json::object& request) {
  if (request.empty()) return {};
  json::object answer = client.call(request);
  if (answer.at("status") == "unsupported") return {};
  return "declared absent, but " + brief(request) + "\n    answered " + brief(answer) + " instead of unsupported (S3)";
}

}  // namespace

std::vector<std::vector<std::string_view>> operation_groups() {
  return {{"get", "put", "erase", "scan"},
          {"acquire", "renew", "release", "load", "record", "supply", "append", "rebase", "discard", "request_cancel"},
          {"enqueue", "receive", "extend", "ack", "snooze", "nack", "reject", "cancel"},
          {"stats", "list", "trim"}};
}

json::object harmless_request(std::string_view op) {
  json::object request{{"op", op}};
  auto is = [&](std::initializer_list<std::string_view> names) {
    return std::find(names.begin(), names.end(), op) != names.end();
  };
  if (is({"acquire"})) return {{"op", op}, {"workflow", "probe"}, {"ttl", "1s"}, {"budget", "1s"}};
  if (is({"renew"})) return {{"op", op}, {"workflow", "probe"}, {"fence", nullptr}, {"ttl", "1s"}};
  if (is({"record", "rebase"}))
    return {{"op", op}, {"workflow", "probe"}, {"fence", nullptr}, {"key", "k"}, {"value", "v"}};
  if (is({"supply"})) return {{"op", op}, {"workflow", "probe"}, {"key", "k"}, {"value", "v"}};
  if (is({"append"})) return {{"op", op}, {"workflow", "probe"}, {"value", "v"}};
  if (is({"release"})) return {{"op", op}, {"workflow", "probe"}, {"fence", nullptr}};
  if (is({"load", "discard", "request_cancel", "enqueue", "cancel"})) return {{"op", op}, {"workflow", "probe"}};
  if (is({"watch"}))
    return {{"op", op}, {"workflows", json::array{{{"workflow", "probe"}, {"after", 0}}}}, {"wait", 0}};
  if (is({"receive"})) return {{"op", op}, {"lease", "1s"}};
  if (is({"extend"})) return {{"op", op}, {"receipt", "probe"}, {"lease", "1s"}};
  if (is({"snooze"})) return {{"op", op}, {"receipt", "probe"}, {"delay", "1s"}};
  if (is({"ack", "nack", "reject"})) return {{"op", op}, {"receipt", "probe"}};
  if (is({"get", "erase"})) return {{"op", op}, {"key", "probe"}};
  if (is({"put"})) return {{"op", op}, {"key", "probe"}, {"value", "v"}};
  if (is({"scan"})) return {{"op", op}, {"prefix", ""}};
  if (is({"trim"})) return {{"op", op}, {"older_than", "1d"}};
  if (is({"advance"})) return {{"op", op}, {"by", 0}};
  if (is({"prepare", "info", "stats", "list"})) return request;
  return {};
}

json::object request_needing(std::string_view capability) {
  if (capability == "one_commit")
    return {{"op", "supply"}, {"workflow", "probe"}, {"key", "k"}, {"value", "v"}, {"enqueue", true}};
  if (capability == "coupled_receive")
    return {{"op", "receive"}, {"lease", "1s"}, {"acquire", {{"ttl", "1s"}, {"budget", "1s"}}}};
  if (capability == "push_records") return harmless_request("watch");
  if (capability == "manual_clock") return harmless_request("advance");
  if (capability == "effects" || capability.starts_with("effects:")) {
    std::string_view language = capability == "effects" ? "sql" : capability.substr(8);
    json::object effect{{"language", language}, {"text", "1"}};
    return {{"op", "transact"}, {"workflow", "probe"}, {"fence", nullptr}, {"key", "k"}, {"effect", effect}};
  }
  if (capability == "render" || capability.starts_with("render:")) {
    std::string_view language = capability == "render" ? "sql" : capability.substr(7);
    return {{"op", "render"}, {"language", language}, {"say", harmless_request("enqueue")}};
  }
  return {};
}

std::optional<Outcome> absence(const Case& one, const Target& target) {
  const Facts& facts = target.facts;
  std::vector<std::string> missing;
  std::vector<json::object> questions;
  for (const std::string& capability : one.needs) {
    if (has(facts, capability)) continue;
    missing.push_back(capability);
    questions.push_back(request_needing(capability));
  }
  for (const std::string& op : one.operations) {
    if (facts.does(op) || by_capability(op)) continue;
    missing.push_back(op);
    questions.push_back(harmless_request(op));
  }
  // What leans on records, queues or effects of a store that has only documents is absent with them.
  if (missing.empty() && one.operations.count("transact") != 0 && !facts.does("record")) missing.push_back("record");
  if (missing.empty()) return std::nullopt;
  Outcome outcome{Verdict::absent, {}, {}, 1};
  for (const std::string& name : missing) outcome.text += (outcome.text.empty() ? "not declared: " : ", ") + name;
  Client client(target.open(target.fresh_namespace()));
  for (const json::object& question : questions)
    if (std::string wrong = ask(client, question); !wrong.empty()) return Outcome{Verdict::failed, wrong, {"S3"}, 1};
  return outcome;
}

}  // namespace stile::conformance

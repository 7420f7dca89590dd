// The rows of the cell table: every operation with every kind of receipt and fence that it can show.
//
// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "model/stage.hpp"

namespace stile::conformance::model {

namespace {

constexpr Time ms = 1000;
constexpr Time hour = Time{3600} * 1000 * ms;

using Text = std::optional<std::string>;
using Token = std::function<std::optional<json::value>(const Stage&, const std::string& id)>;

std::optional<json::value> maybe(const Text& text) {
  return text ? std::optional<json::value>(json::string(*text)) : std::nullopt;
}

/// The kinds of fence (A4).
std::vector<std::pair<std::string, Token>> fences() {
  auto bent = [](auto bend) {
    return [bend](const Stage& stage, const std::string& id) -> std::optional<json::value> {
      std::string fence = stage.fence(id).value_or("5." + std::string(32, '5'));
      return json::value(json::string(bend(fence_number(fence), fence_stamp(fence))));
    };
  };
  return {
      {"current", [](const Stage& stage, const std::string& id) { return maybe(stage.fence(id)); }},
      {"older", [](const Stage& stage, const std::string& id) { return maybe(stage.older_fence(id)); }},
      {"null", [](const Stage&, const std::string&) { return std::optional<json::value>(nullptr); }},
      {"lower", bent([](std::uint64_t number, const std::string& stamp) {
         return std::to_string(number > 1 ? number - 1 : 1) + "." + (number > 1 ? stamp : std::string(32, '3'));
       })},
      {"higher",
       bent([](std::uint64_t number, const std::string& stamp) { return std::to_string(number + 1) + "." + stamp; })},
      {"other_stamp", bent([](std::uint64_t number, const std::string&) {
         return std::to_string(number) + "." + std::string(32, 'd');
       })},
      {"beyond", bent([](std::uint64_t, const std::string& stamp) { return "9007199254740992." + stamp; })},
      {"malformed", [](const Stage&, const std::string&) { return std::optional<json::value>("seven"); }},
  };
}

/// The kinds of receipt (D2, C2).
std::vector<std::pair<std::string, Token>> receipts() {
  return {
      {"current", [](const Stage& stage, const std::string& id) { return maybe(stage.receipt(id)); }},
      {"older", [](const Stage& stage, const std::string& id) { return maybe(stage.older_receipt(id)); }},
      {"cancelled",
       [](const Stage& stage, const std::string& id) {
         const Workflow* workflow = stage.find(id);
         return maybe(workflow ? workflow->cancelled_receipt : std::nullopt);
       }},
      {"bent",
       [](const Stage& stage, const std::string& id) -> std::optional<json::value> {
         Text text = stage.receipt(id) ? stage.receipt(id) : stage.older_receipt(id);
         if (!text) return {};
         text->back() = text->back() == '0' ? '1' : '0';
         return maybe(text);
       }},
      {"forged",
       [](const Stage&, const std::string& id) { return std::optional<json::value>(json::string("1." + id)); }},
      {"garbage", [](const Stage&, const std::string&) { return std::optional<json::value>("\x01 \" \xc3\xa4"); }},
      {"empty", [](const Stage&, const std::string&) { return std::optional<json::value>(""); }},
      {"long", [](const Stage&, const std::string&) { return std::optional<json::value>(json::string(1025, 'r')); }},
  };
}

json::value fill(const json::value& value, const std::string& id) {
  if (value.is_string()) return value.get_string() == "$id" ? json::value(json::string(id)) : value;
  if (value.is_object()) return filled(value.get_object(), id);
  if (!value.is_array()) return value;
  json::array out;
  for (const json::value& each : value.get_array()) out.push_back(fill(each, id));
  return out;
}

/// In a language of the store; in none where it has none (E6).
json::object effect(const Stage& stage, bool fails) {
  const std::vector<EffectText>& known = stage.effects();
  EffectText text = known.empty() ? EffectText{"klingon", "x", "x"} : known.front();
  return {{"language", text.language}, {"text", fails ? text.fails : text.gives}};
}

Cell plain(const json::object& request) {
  return {name_of(request), [request](const Stage& stage, const std::string& id) -> std::optional<json::object> {
            json::object made = filled(request, id);
            std::string op = Said(made).op();
            static const std::set<std::string> of_the_store = {"receive", "watch", "list", "stats"};
            if (of_the_store.count(op) == 0) made["workflow"] = id;
            if (made.contains("effect")) made["effect"] = effect(stage, made.at("gives").is_null());
            return made;
          }};
}

/// With a token of each kind in one member.
void add_with(std::vector<Cell>& out, const json::object& request, const std::string& member,
              const std::vector<std::pair<std::string, Token>>& kinds) {
  for (const auto& [kind, token] : kinds) {
    Cell base = plain(request);
    out.push_back(
        {base.name + " " + member + "=" + kind,
         [base, token = token, member](const Stage& stage, const std::string& id) -> std::optional<json::object> {
           std::optional<json::value> value = token(stage, id);
           std::optional<json::object> made = base.make(stage, id);
           if (!value || !made) return {};
           (*made)[member] = *value;
           return made;
         }});
  }
}

void add_unguarded(std::vector<Cell>& out) {
  const json::object now;
  const json::object lease{{"ttl", hour}, {"budget", hour}};
  const std::vector<json::object> all = {
      {{"op", "acquire"}, {"ttl", hour}, {"budget", 2 * hour}},
      {{"op", "acquire"}, {"ttl", 2 * hour}, {"budget", hour}},
      {{"op", "acquire"}, {"ttl", hour}, {"budget", hour}, {"force", true}},
      {{"op", "acquire"}, {"ttl", 0}, {"budget", hour}},
      {{"op", "acquire"}, {"ttl", hour}, {"budget", end_of_time}},
      {{"op", "load"}},
      {{"op", "load"}, {"key", "a"}},
      {{"op", "load"}, {"key", "absent"}},
      {{"op", "load"}, {"after", 1}, {"limit", 1}},
      {{"op", "load"}, {"max_bytes", 1}},
      {{"op", "load"}, {"max_bytes", 0}},
      {{"op", "supply"}, {"key", "new"}, {"value", "v"}},
      {{"op", "supply"}, {"key", "a"}, {"value", "va"}},
      {{"op", "supply"}, {"key", "a"}, {"value", "other"}},
      {{"op", "supply"}, {"key", "new"}, {"value", "v"}, {"enqueue", now}},
      {{"op", "supply"},
       {"key", "a"},
       {"value", "other"},
       {"enqueue", json::object{{"delay", hour}, {"queue", "$id"}}}},
      {{"op", "supply"}, {"key", "inbox:1"}, {"value", "v"}},
      {{"op", "append"}, {"value", "v"}},
      {{"op", "append"}, {"message_id", "m1"}, {"value", "other"}},
      {{"op", "append"}, {"message_id", "new"}, {"value", json::object{{"b64", "AP8="}}}, {"enqueue", now}},
      {{"op", "append"}, {"message_id", "m1"}, {"value", "v"}, {"enqueue", json::object{{"delay", 5}}}},
      {{"op", "discard"}},
      {{"op", "discard"}, {"cancel", true}},
      {{"op", "request_cancel"}},
      {{"op", "enqueue"}},
      {{"op", "enqueue"}, {"at", 5}},
      {{"op", "enqueue"}, {"delay", hour}},
      {{"op", "enqueue"}, {"delay", 1}, {"queue", "elsewhere"}},
      {{"op", "enqueue"}, {"delay", 3 * hour}, {"queue", "elsewhere"}},
      {{"op", "enqueue"}, {"revive", true}, {"queue", "elsewhere"}},
      {{"op", "enqueue"}, {"revive", true}, {"delay", hour}},
      {{"op", "enqueue"}, {"delay", -1}},
      {{"op", "enqueue"}, {"at", end_of_time}},
      {{"op", "enqueue"}, {"at", end_of_time + 1}},
      {{"op", "enqueue"}, {"delay", end_of_time}},
      {{"op", "cancel"}},
      {{"op", "receive"}, {"queues", json::array{"$id"}}, {"lease", hour}},
      {{"op", "receive"},
       {"queues", json::array{"$id"}},
       {"lease", hour},
       {"max", 5},
       {"load", json::object{{"limit", 1}}}},
      {{"op", "receive"}, {"queues", json::array{"$id"}}, {"lease", hour}, {"acquire", lease}},
      {{"op", "receive"}, {"queues", json::array{"$id"}}, {"lease", hour}, {"acquire", lease}, {"load", now}},
      {{"op", "receive"}, {"queues", json::array{"no such queue"}}, {"lease", hour}},
      {{"op", "receive"}, {"queues", json::array{}}, {"lease", hour}},
      {{"op", "receive"}, {"queues", json::array{"$id"}}, {"lease", 0}},
      {{"op", "receive"}, {"queues", json::array{"$id"}}, {"lease", end_of_time}},
      {{"op", "receive"}, {"queues", json::array{"$id"}}, {"lease", hour}, {"again", true}},
      {{"op", "watch"}, {"wait", 0}, {"workflows", json::array{json::object{{"workflow", "$id"}, {"after", 0}}}}},
      {{"op", "stats"}, {"queue", "$id"}},
      {{"op", "list"}, {"prefix", "$id"}, {"state", "idle"}},
      {{"op", "list"}, {"prefix", "$id"}, {"state", "delayed"}},
      {{"op", "list"}, {"prefix", "$id"}, {"queue", "$id"}},
      {{"op", "list"}, {"prefix", "$id"}, {"idle_for", 0}},
  };
  for (const json::object& each : all) out.push_back(plain(each));
}

void add_fenced(std::vector<Cell>& out) {
  const json::object some;  // filled in by what the store speaks
  const std::vector<json::object> all = {
      {{"op", "renew"}, {"ttl", 3 * hour}},
      {{"op", "renew"}, {"ttl", 1}, {"budget", 1}},
      {{"op", "renew"}, {"ttl", 3 * hour}, {"budget", 3 * hour}},
      {{"op", "release"}},
      {{"op", "record"}, {"key", "new"}, {"value", "v"}},
      {{"op", "record"}, {"key", "a"}, {"value", "va"}},
      {{"op", "record"}, {"key", "a"}, {"value", "other"}},
      {{"op", "rebase"}, {"key", "a"}, {"value", "v"}},
      {{"op", "rebase"}, {"key", "new"}, {"value", "v"}, {"inbox_after", "inbox:99999999999999999999"}},
      {{"op", "transact"}, {"key", "new"}, {"effect", some}, {"gives", "given"}},
      {{"op", "transact"}, {"key", "a"}, {"effect", some}, {"gives", "given"}},
      {{"op", "transact"}, {"key", "new"}, {"effect", some}, {"gives", nullptr}},
  };
  for (const json::object& each : all) add_with(out, each, "fence", fences());
}

/// An answer: the current receipt with every kind of fence, every other receipt with a current fence and without one.
void add_answers(std::vector<Cell>& out) {
  const std::vector<json::object> all = {
      {{"op", "extend"}, {"lease", 2 * hour}},
      {{"op", "ack"}},
      {{"op", "ack"}, {"finished", true}},
      {{"op", "snooze"}, {"delay", hour}},
      {{"op", "snooze"}, {"at", 5}},
      {{"op", "nack"}},
      {{"op", "nack"}, {"delay", 2 * hour}, {"error", "e2"}},
      {{"op", "reject"}, {"error", "e3"}},
      {{"op", "reject"}},
  };
  for (const json::object& each : all) {
    std::vector<Cell> shown;
    add_with(shown, each, "receipt", receipts());
    for (const Cell& cell : shown) {
      auto without = cell.make;
      auto answer = [without](const Stage& stage, const std::string& id) {
        std::optional<json::object> made = without(stage, id);
        if (made) made->erase("workflow");
        return made;
      };
      out.push_back({cell.name, answer});
      bool extends = Said(each).op() == "extend";
      bool current = cell.name.ends_with("receipt=current");
      for (const auto& [kind, token] : fences()) {
        if (!current && kind != "current" && kind != "other_stamp") continue;
        for (bool more : {false, true}) {
          out.push_back({cell.name + " fence=" + kind + (more ? (extends ? " budget" : " release") : ""),
                         [=, token = token](const Stage& stage, const std::string& id) -> std::optional<json::object> {
                           std::optional<json::object> made = answer(stage, id);
                           std::optional<json::value> fence = token(stage, id);
                           if (!made || !fence) return {};
                           (*made)["fence"] = *fence;
                           if (extends) (*made)["ttl"] = 3 * hour;
                           if (more && extends) (*made)["budget"] = 4 * hour;
                           if (more && !extends) (*made)["release"] = true;
                           return made;
                         }});
        }
      }
      if (!extends) {
        out.push_back({cell.name + " release", [answer](const Stage& stage, const std::string& id) {
                         std::optional<json::object> made = answer(stage, id);
                         if (made) (*made)["release"] = true;
                         return made;
                       }});
      }
    }
  }
}

}  // namespace

std::string name_of(const json::object& request) {
  std::string out;
  for (const auto& member : request) {
    const json::value& value = member.value();
    if (!out.empty()) out += " " + std::string(member.key()) + "=";
    std::string text = value.is_string() ? std::string(value.get_string()) : json::serialize(value);
    out += text.size() > 40 ? text.substr(0, 10) + "..." : text;
  }
  return out;
}

json::object filled(const json::object& request, const std::string& id) {
  json::object out;
  for (const auto& member : request) out[member.key()] = fill(member.value(), id);
  return out;
}

void add_again(std::vector<Cell>& out) {
  for (std::size_t back = 0; back < 6; ++back) {
    auto sent = [back](const Stage& stage, const std::string& id) -> std::optional<json::object> {
      const std::vector<json::object>& writes = stage.tokens(id).writes;
      if (back >= writes.size()) return {};
      json::object made = writes[writes.size() - 1 - back];
      if (Said(made).op() == "receive") made["again"] = true;
      return made;
    };
    out.push_back({"again " + std::to_string(back), sent});
    out.push_back({"op_id of another " + std::to_string(back),
                   [sent](const Stage& stage, const std::string& id) -> std::optional<json::object> {
                     static const std::map<std::string, std::string> other = {
                         {"record", "supply"}, {"supply", "record"}, {"ack", "nack"}, {"nack", "ack"},
                         {"snooze", "ack"},    {"put", "erase"},     {"erase", "put"}};
                     std::optional<json::object> made = sent(stage, id);
                     if (!made) return {};
                     auto place = other.find(Said(*made).op());
                     if (place == other.end()) return {};
                     (*made)["op"] = json::string(place->second);
                     made->erase("delay");
                     made->erase("error");
                     made->erase("finished");
                     if (place->second == "supply") made->erase("fence");
                     if (place->second == "record") {
                       made->erase("enqueue");
                       (*made)["fence"] = json::string(stage.fence(id).value_or("1." + std::string(32, '1')));
                     }
                     return made;
                   }});
  }
}

const std::vector<Cell>& cells(Of of) {
  static const std::vector<Cell> of_workflows = [] {
    std::vector<Cell> out;
    add_unguarded(out);
    add_fenced(out);
    add_answers(out);
    add_again(out);
    return out;
  }();
  static const std::vector<Cell> of_documents = document_cells();
  return of == Of::document ? of_documents : of_workflows;
}

}  // namespace stile::conformance::model

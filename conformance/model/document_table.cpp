// The states of a document, and every operation on it with every condition and ttl.
//
// SPDX-License-Identifier: Apache-2.0
#include "model/stage.hpp"

namespace stile::conformance::model {

namespace {

constexpr Time an_hour = Time{3600} * 1000 * 1000;
constexpr Time moment = 40 * 1000;
constexpr Time a_while = 80 * 1000;

Step say(const json::object& request, Time then_pass = 0) {
  return {[request](const Stage&, const std::string& id) -> std::optional<json::object> {
            json::object made(request);
            made["key"] = json::string(id);
            return made;
          },
          then_pass};
}

Step put_step(json::object more = {}, Time then_pass = 0) {
  json::object request{{"op", "put"}, {"value", "v"}};
  for (const auto& member : more) request[member.key()] = member.value();
  return say(request, then_pass);
}

using Version = std::optional<std::string> (*)(const Stage&, const std::string& key);

/// With each kind of condition.
void add_with_conditions(std::vector<Cell>& out, const json::object& request) {
  auto with = [&](const std::string& kind, const Version& version) {
    out.push_back({name_of(request) + " if=" + kind,
                   [request, version](const Stage& stage, const std::string& id) -> std::optional<json::object> {
                     json::object made(request);
                     made["key"] = json::string(id);
                     std::optional<std::string> shown = version(stage, id);
                     if (!shown) return {};
                     made["if"] = json::string(*shown);
                     return made;
                   }});
  };
  with("any", [](const Stage&, const std::string&) { return std::optional<std::string>("any"); });
  with("absent", [](const Stage&, const std::string&) { return std::optional<std::string>("absent"); });
  with("current", [](const Stage& stage, const std::string& key) { return stage.version(key); });
  with("older", [](const Stage& stage, const std::string& key) { return stage.older_version(key); });
  with("forged", [](const Stage&, const std::string&) { return std::optional<std::string>("no such version"); });
}

Cell of_one_document(const json::object& request) {
  return {name_of(request), [request](const Stage&, const std::string& id) -> std::optional<json::object> {
            json::object made = filled(request, id);
            if (!made.contains("prefix")) made["key"] = json::string(id);
            return made;
          }};
}

}  // namespace

std::vector<State> document_states() {
  const Step erase = say({{"op", "erase"}});
  std::vector<Step> many{put_step()};
  for (int i = 0; i < 7; ++i) many.push_back(put_step({{"value", std::to_string(i)}}));
  std::vector<State> all = {
      {"document_never", "K2", {}, {}},
      {"document_live", "K1", {put_step()}, {}},
      {"document_overwritten", "K2", {put_step(), put_step({{"value", "w"}})}, {}},
      {"document_with_ttl", "K4", {put_step({{"ttl", an_hour}})}, {}},
      {"document_kept", "K5", {put_step({{"ttl", an_hour}}), put_step({{"ttl", "keep"}, {"value", "w"}})}, {}},
      {"document_expired", "K4", {put_step({{"ttl", moment}}, a_while)}, {}},
      {"document_expired_anew",
       "K4 K2",
       {put_step({{"ttl", moment}}, a_while), put_step({{"if", "absent"}, {"value", "w"}})},
       {}},
      {"document_erased", "K6", {put_step(), erase}, {}},
      {"document_erased_anew", "K2 K3", {put_step(), erase, put_step({{"value", "w"}})}, {}},
      {"document_eight_writes", "K3", many, {}},
  };
  for (State& each : all) each.of = Of::document;
  return all;
}

std::vector<Cell> document_cells() {
  std::vector<Cell> out;
  add_with_conditions(out, {{"op", "put"}, {"value", "new"}});
  add_with_conditions(out, {{"op", "put"}, {"value", json::object{{"b64", "AP8="}}}, {"ttl", 2 * an_hour}});
  add_with_conditions(out, {{"op", "put"}, {"value", ""}, {"ttl", "keep"}});
  add_with_conditions(out, {{"op", "put"}, {"value", "new"}, {"ttl", 0}});
  add_with_conditions(out, {{"op", "put"}, {"value", "new"}, {"ttl", end_of_time}});
  add_with_conditions(out, {{"op", "erase"}});
  for (const json::object& each : std::vector<json::object>{
           {{"op", "get"}},
           {{"op", "put"}, {"value", "new"}},
           {{"op", "put"}, {"value", "new"}, {"ttl", -2}},
           {{"op", "put"}, {"value", "new"}, {"ttl", 1}},
           {{"op", "erase"}},
           {{"op", "scan"}, {"prefix", "$id"}},
           {{"op", "scan"}, {"prefix", "c"}, {"limit", 1}, {"after", "$id"}},
       }) {
    out.push_back(of_one_document(each));
  }
  add_again(out);
  return out;
}

}  // namespace stile::conformance::model

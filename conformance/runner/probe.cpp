// The first look at a store: does it open, who is it, what does it answer at all.
//
// SPDX-License-Identifier: Apache-2.0
#include "runner/probe.hpp"

#include "dialogue/absence.hpp"
#include "runner/results.hpp"
#include "runner/schedule.hpp"

namespace stile::conformance {
namespace {

std::string look_inside(const Target& target) {
  json::object said;
  try {
    auto backend = target.open(target.fresh_namespace());
    Client client(backend);
    json::object info = client.call({{"op", "info"}});
    if (info.at("status") != "ok") return json::serialize(json::object{{"error", "info: " + json::serialize(info)}});
    const auto& plugin = backend->plugin();
    said["plugin"] = {{"name", plugin.name},
                      {"version", plugin.version},
                      {"license", plugin.license},
                      {"path", plugin.path},
                      {"build_id", plugin.build_id},
                      {"abi", plugin.abi},
                      {"schemes", json::value_from(plugin.schemes)}};
    said["config"] = backend->config();
    said["info"] = std::move(info);
    json::array operations{"prepare", "info"};
    auto ask = [&](std::string_view op) {
      if (client.call(harmless_request(op)).at("status") != "unsupported") operations.push_back(json::value_from(op));
    };
    for (const auto& group : operation_groups())
      for (std::string_view op : group) ask(op);
    for (std::string_view op : {"watch", "advance"}) ask(op);
    said["operations"] = std::move(operations);
  } catch (const Error& error) {
    said = {{"error", name_of(error.status()) + ": " + error.what()}, {"status", static_cast<int>(error.status())}};
  } catch (const std::exception& error) {
    // What the store said of itself may be no text, no list, no length at all.
    said = {{"error", std::string("exception: ") + error.what() + "; it was " + said_at()}};
  }
  return readable(json::serialize(said));
}

/// A part is all of its operations; what is there of a part that is not whole is judged and found wanting (S3).
Part part_of(const std::set<std::string>& operations) {
  auto any = [&](const std::vector<std::string_view>& group) {
    for (std::string_view op : group)
      if (operations.count(std::string(op)) != 0) return true;
    return false;
  };
  auto groups = operation_groups();
  if (any(groups[2])) return Part::all;
  if (any(groups[1])) return Part::documents_and_records;
  if (any(groups[0])) return Part::documents;
  return Part::nothing;
}

Facts facts_from(const json::object& said) {
  Facts facts;
  const json::object& plugin = said.at("plugin").as_object();
  facts.plugin.name = json::value_to<std::string>(plugin.at("name"));
  facts.plugin.version = json::value_to<std::string>(plugin.at("version"));
  facts.plugin.license = json::value_to<std::string>(plugin.at("license"));
  facts.plugin.path = json::value_to<std::string>(plugin.at("path"));
  facts.plugin.build_id = json::value_to<std::string>(plugin.at("build_id"));
  facts.plugin.abi = plugin.at("abi").to_number<std::uint32_t>();
  facts.plugin.schemes = json::value_to<std::vector<std::string>>(plugin.at("schemes"));
  facts.config = json::value_to<std::string>(said.at("config"));
  facts.info = said.at("info").as_object();
  if (const json::value* list = facts.info.if_contains("capabilities"))
    for (const auto& one : json::value_to<std::vector<std::string>>(*list)) facts.capabilities.insert(one);
  for (const auto& one : json::value_to<std::vector<std::string>>(said.at("operations"))) facts.operations.insert(one);
  facts.part = part_of(facts.operations);
  facts.plugin.capabilities.assign(facts.capabilities.begin(), facts.capabilities.end());
  return facts;
}

}  // namespace

Look look_at(const Target& target) {
  Ended ended = run_child([&] { return look_inside(target); }, std::chrono::seconds{30}, interrupted_by);
  if (!ended.complete) {
    std::string error = "the store cannot be looked at: the process that opened it was " + ended.how();
    if (ended.timed_out)
      error = "the store cannot be looked at: opening it and asking each operation once took too long";
    if (!ended.at.empty()) error += "; it was " + readable(ended.at);
    if (!ended.noise.empty()) error += "; it wrote:\n" + readable(ended.noise);
    return {std::nullopt, error, std::nullopt};
  }
  try {
    json::object said = json::parse(ended.said).as_object();
    if (const json::value* error = said.if_contains("error")) {
      std::optional<Status> status;
      if (const json::value* number = said.if_contains("status"))
        status = static_cast<Status>(number->to_number<int>());
      return {std::nullopt, json::value_to<std::string>(*error), status};
    }
    return {facts_from(said), {}, std::nullopt};
  } catch (const std::exception& error) {
    return {std::nullopt, std::string("what the store says of itself cannot be read: ") + error.what(), std::nullopt};
  }
}

Target store_with_all() {
  Target target;
  target.driver = "any";
  Facts& facts = target.facts;
  facts.config = "any:";
  facts.part = Part::all;
  for (const char* capability :
       {"one_commit", "coupled_receive", "push_wakeups", "push_records", "manual_clock", "cross_process", "durable",
        "replicated", "effects:sql", "effects:lua", "render:sql", "render:lua"})
    facts.capabilities.insert(capability);
  for (const auto& group : operation_groups()) facts.operations.insert(group.begin(), group.end());
  for (const char* op : {"prepare", "info", "watch", "advance", "transact", "render"}) facts.operations.insert(op);
  return target;
}

}  // namespace stile::conformance

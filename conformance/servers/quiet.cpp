// After the last fault: the store is drained, and what was done to it is judged by the ledger and by the history.
//
// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "judge/judge.hpp"
#include "servers/scene.hpp"

namespace stile::conformance::servers {
namespace {

constexpr Duration draining = std::chrono::seconds{30};  // leases of the crowd last 1.2 s at most

json::object ask_ok(CallerProcess& reader, const json::object& operation) {
  json::object answer = reader.ask(operation, std::chrono::seconds{10});
  if (answer.at("status") != "ok")
    throw Fault("with every fault healed: " + json::serialize(operation) + " was answered " + json::serialize(answer));
  return answer;
}

std::string text_of(const json::value& value) { return json::value_to<std::string>(value); }

std::string unpadded(const std::string& value) { return value.substr(0, value.find('~')); }

/// Whole lines of every history there is, in one file; what a killed process had not finished is left out.
std::string joined_history(const std::string& folder) {
  const std::string path = folder + "/history.jsonl";
  std::ofstream out(path, std::ios::binary);
  for (const auto& entry : std::filesystem::directory_iterator(folder + "/callers")) {
    if (entry.path().extension() != ".jsonl") continue;
    std::ifstream file(entry.path(), std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(file), {}};
    const std::size_t end = text.rfind('\n');
    if (end != std::string::npos) out << text.substr(0, end + 1);
  }
  out.close();
  if (!out) throw std::runtime_error(path + ": cannot be written");
  return path;
}

}  // namespace

void Scene::read_all(CallerProcess& reader, Found& found) {
  json::object list{{"op", "list"}};
  for (bool more = true; more;) {
    json::object page = ask_ok(reader, list);
    for (const json::value& one : page.at("workflows").as_array()) {
      const std::string workflow = text_of(one.at("workflow"));
      json::object load{{"op", "load"}, {"workflow", workflow}};
      for (bool rest = true; rest;) {
        json::object records = ask_ok(reader, load);
        for (const json::value& record : records.at("records").as_array()) {
          const std::string key = text_of(record.at("key"));
          const bool inbox = key.starts_with("inbox:");
          const std::string name = inbox ? unpadded(text_of(record.at("value"))) : key;
          ++found.there[std::string(inbox ? kind::append : kind::record) + " " + workflow + " " + name];
          load["after"] = record.at("position");
        }
        rest = records.at("more").as_bool();
      }
    }
    more = page.contains("next");
    if (more) list["after"] = page.at("next");
  }
  json::object scan{{"op", "scan"}, {"prefix", ""}};
  for (bool more = true; more;) {
    json::object page = ask_ok(reader, scan);
    for (const json::value& one : page.at("documents").as_array())
      ++found.there[std::string(kind::document) + " " + text_of(one.at("key"))];
    more = page.contains("next");
    if (more) scan["after"] = page.at("next");
  }
}

void Scene::drain(Found& found) {
  auto reader = caller();
  const Deadline end = std::chrono::steady_clock::now() + draining;
  for (bool empty = false; !empty;) {
    json::object got =
        ask_ok(*reader, {{"op", "receive"}, {"queues", {"jobs"}}, {"max", 16}, {"lease", "60s"}, {"wait", "100ms"}});
    for (const json::value& one : got.at("deliveries").as_array()) {
      found.drained.insert(text_of(one.at("workflow")));
      ask_ok(*reader, {{"op", "ack"}, {"receipt", one.at("receipt")}});
    }
    const json::object stats = ask_ok(*reader, {{"op", "stats"}});
    empty = true;
    for (std::string_view state : {"ready", "delayed", "in_flight"}) empty = empty && stats.at(state) == 0;
    if (!empty && std::chrono::steady_clock::now() > end)
      throw Fault("30 s after the last fault there are wakeups that nobody is given: " + json::serialize(stats),
                  {"W1"});
  }
  read_all(*reader, found);
  reader->stop();
}

void Scene::judge_history() {
  namespace checker = conformance::judge;
  outcome_.history = joined_history(folder_);
  const std::string path = outcome_.history;
  const checker::History history = checker::read_history({&path, 1});
  const checker::Verdict verdict = checker::judge(history);
  if (verdict.accepted()) {
    outcome_.history.clear();
    return;
  }
  outcome_.judged = checker::verdict_json(verdict, history);
  std::vector<std::string> ids;
  for (const checker::Finding& finding : verdict.findings) {
    std::istringstream words(finding.ids);
    for (std::string id; words >> id;)
      if (id != "undecided" && std::find(ids.begin(), ids.end(), id) == ids.end()) ids.push_back(id);
  }
  throw Fault("the history is refused:\n" + checker::verdict_text(verdict, history), ids);
}

void Scene::judge(bool history) {
  stop_crowd();
  if (const std::uint64_t strange = heard(&Counters::strange); strange != 0) {
    std::string told;
    for (const auto& entry : std::filesystem::directory_iterator(folder_ + "/callers"))
      if (entry.path().extension() == ".errors" && told.size() < 2000) {
        std::ifstream file(entry.path());
        told.append(std::istreambuf_iterator<char>(file), {});
      }
    throw Fault(std::to_string(strange) + " calls were answered as no fault explains:\n" + told.substr(0, 2000),
                {"R2"});
  }
  if (const std::uint64_t late = heard(&Counters::late); late != 0)
    throw Fault(std::to_string(late) + " calls returned more than 6 s after their deadline", {"R4"});
  const Judgement judgement = settle();
  outcome_.counted += judgement.acknowledged;
  bit("acknowledged_writes", judgement.acknowledged);
  bit("writes_in_doubt", judgement.in_doubt);
  if (!judgement.accepted()) {
    outcome_.history = joined_history(folder_);
    throw Fault("the ledger of the callers and the store do not agree:\n" + judgement.text(),
                judgement.lost.empty() ? std::vector<std::string>{} : std::vector<std::string>{"B8"});
  }
  if (history) judge_history();
}

Judgement Scene::settle() {
  Found found;
  drain(found);
  return judge_ledger(read_ledgers(folder_ + "/callers"), found);
}

}  // namespace stile::conformance::servers

// Workers, where they meet, and the judgement on what they did.
//
// SPDX-License-Identifier: Apache-2.0
#include "faults/worker.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "judge/judge.hpp"

namespace stile::conformance::faults {

std::shared_ptr<store::Backend> Site::open() const {
  const std::string file = folder + "/history-" + std::to_string(getpid()) + ".jsonl";
  return target.open_recorded(ns, file);
}

Site make_site(const Target& target, const std::string& name) {
  std::string folder = target.folder.empty() ? std::filesystem::temp_directory_path().string() : target.folder;
  folder += "/" + name + "-" + Id::random().text().substr(0, 8);
  std::filesystem::create_directories(folder);
  const bool manual = target.facts.can("manual_clock");
  return {target, target.fresh_namespace(), folder, manual ? Duration{std::chrono::hours{1}} : Duration{150'000}};
}

Worker::Worker(const Site& site, std::shared_ptr<store::Backend> store, std::string who)
    : site_(site), client_(std::move(store)), ledger_(site.ledger()), who_(std::move(who)) {}

json::object Worker::request(std::size_t step, const std::string& workflow) {
  const std::string_view op = pass_steps[step];
  const auto lease = site_.lease.count();
  json::object made{{"op", op}};
  const std::string value = who_ + "." + std::to_string(++values_);
  if (op == "receive") {
    made["queues"] = json::array{workflow};
    made["lease"] = lease;
    made["wait"] = wait_.count();
    made["acquire"] = json::object{{"ttl", lease}, {"budget", "10h"}};
    return made;
  }
  if (op == "ack") {
    made["receipt"] = delivery_.at("receipt");
    made["fence"] = delivery_.at("fence");
    made["release"] = true;
    return made;
  }
  made["workflow"] = workflow;
  if (op == "enqueue") made["queue"] = workflow;
  if (op == "record") made["fence"] = delivery_.at("fence");
  if (op == "record" || op == "supply")
    made["key"] = std::string(op) + "-" + std::to_string(values_ / pass_steps.size() % 3);
  if (op == "append") made["message_id"] = value;
  if (op != "enqueue") made["value"] = value;
  return made;
}

bool Worker::pass(const std::string& workflow, const Gate& gate) {
  bool done = false;
  for (std::size_t step = 0; step < pass_steps.size(); ++step) {
    if (gate) gate(step, false);
    json::object answer = call(request(step, workflow));
    if (gate) gate(step, true);
    if (pass_steps[step] == "receive") {
      if (answer.at("status") != "ok" || answer.at("deliveries").as_array().empty()) return false;
      delivery_ = answer.at("deliveries").as_array().front().as_object();
    }
    done = pass_steps[step] == "ack" && answer.at("status") == "ok";
  }
  return done;
}

namespace {

std::vector<std::string> histories(const Site& site) {
  std::vector<std::string> files;
  for (const auto& each : std::filesystem::directory_iterator(site.folder))
    if (each.path().filename().string().starts_with("history-")) files.push_back(each.path().string());
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

Outcome judge_site(const Site& site, const Held& held) {
  Outcome outcome;
  const std::vector<Entry> ledger = read_ledger(site.ledger());
  outcome.counted = ledger.size();
  for (const Entry& entry : ledger) {
    const std::string status = entry.status();
    if (status == "unanswered") ++outcome.faults["died_in_a_call"];
    if (status == "fenced" || status == "stale" || status == "cancelled") ++outcome.faults["refused_as_superseded"];
  }
  auto fail = [&](std::string text, std::vector<std::string> ids) {
    outcome.verdict = Verdict::failed;
    outcome.text += text;
    outcome.ids.insert(outcome.ids.end(), ids.begin(), ids.end());
    outcome.history = histories(site).empty() ? "" : histories(site).front();
  };
  if (std::string wrong = contradictions(ledger, held); !wrong.empty())
    fail("the ledger and the store contradict each other:\n" + wrong, {"R2", "B8"});
  for (const auto& [workflow, state] : held.states)
    if (state != "idle") fail(workflow + " did not come to rest: it is " + state + "\n", {"W1"});
  const judge::History history = judge::read_history(histories(site));
  const judge::Verdict verdict = judge::judge(history);
  if (verdict.accepted()) return outcome;
  fail(judge::verdict_text(verdict, history), {});
  for (const judge::Finding& finding : verdict.findings) {
    std::string ids = finding.ids;
    for (std::size_t blank; (blank = ids.find(' ')) != std::string::npos; ids.erase(0, blank + 1))
      outcome.ids.push_back(ids.substr(0, blank));
    if (ids != "undecided") outcome.ids.push_back(ids);
  }
  outcome.judged = judge::verdict_json(verdict, history);
  return outcome;
}

}  // namespace stile::conformance::faults

// The ledger, and holding a store to it.
//
// SPDX-License-Identifier: Apache-2.0
#include "faults/ledger.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <system_error>

#include "dialogue/match.hpp"

namespace stile::conformance::faults {
namespace {

/// Bytes of an answer or a request; what is no text stays as JSON.
std::string text_of(const json::value& value) {
  return value.is_string() ? std::string(value.get_string()) : json::serialize(value);
}

}  // namespace

Ledger::Ledger(const std::string& path) : file_(open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644)) {
  if (file_ < 0) throw std::system_error(errno, std::generic_category(), path);
}

Ledger::~Ledger() { close(file_); }

void Ledger::append(const json::object& line) {
  const std::string text = json::serialize(line) + "\n";
  // One write: lines of others do not come between, and a process that is killed leaves whole lines.
  if (write(file_, text.data(), text.size()) != static_cast<ssize_t>(text.size()) || fsync(file_) != 0)
    throw std::system_error(errno, std::generic_category(), "the ledger");
}

json::object Ledger::call(Client& client, std::string_view who, const json::object& request) {
  static std::atomic<std::uint64_t> asked{0};
  const std::string number = std::to_string(getpid()) + "." + std::to_string(++asked);
  append({{"number", number}, {"who", who}, {"asked", request}});
  json::object answer = client.call(request);
  append({{"number", number}, {"answered", answer}});
  return answer;
}

std::string Entry::text(std::string_view member) const {
  const json::value* value = request.if_contains(member);
  return value ? text_of(*value) : std::string();
}

std::string Entry::status() const {
  return answer.empty() ? "unanswered" : std::string(answer.at("status").as_string());
}

bool Entry::in_doubt() const {
  const std::string is = status();
  return is == "unanswered" || is == "unknown" || is == "internal";
}

std::vector<Entry> read_ledger(const std::string& path) {
  std::ifstream in(path);
  std::vector<Entry> entries;
  std::map<std::string, std::size_t> places;
  for (std::string line; std::getline(in, line);) {
    json::object told = json::parse(line).as_object();
    const std::string number(told.at("number").as_string());
    if (told.contains("asked")) {
      places[number] = entries.size();
      entries.push_back({std::string(told.at("who").as_string()), told.at("asked").as_object(), {}});
    } else {
      entries.at(places.at(number)).answer = told.at("answered").as_object();
    }
  }
  return entries;
}

Held read_held(Client& client) {
  auto ask = [&](const json::object& request) {
    json::object answer = client.call(request);
    if (answer.at("status") != "ok") throw Error(Status::internal, brief(request) + " answered " + brief(answer));
    return answer;
  };
  Held held;
  json::object page{{"op", "list"}};
  for (;;) {
    json::object answer = ask(page);
    for (const json::value& each : answer.at("workflows").as_array()) {
      const json::object& row = each.as_object();
      held.states[text_of(row.at("workflow"))] = text_of(row.at("state"));
    }
    if (!answer.contains("next")) break;
    page["after"] = answer.at("next");
  }
  for (const auto& [workflow, state] : held.states) {
    json::object load{{"op", "load"}, {"workflow", workflow}};
    std::int64_t after = 0;
    for (bool more = true; more;) {
      json::object answer = ask(load);
      const std::int64_t before = after;
      for (const json::value& each : answer.at("records").as_array()) {
        const json::object& record = each.as_object();
        held.records[workflow].push_back({text_of(record.at("key")), text_of(record.at("value"))});
        after = record.at("position").to_number<std::int64_t>();
      }
      load["after"] = after;
      more = answer.at("more").as_bool();
      if (more && after <= before)
        throw Error(Status::internal, "load says more, and goes no further (B6): " + brief(answer));
    }
  }
  return held;
}

namespace {

std::string contradiction(const Entry& entry, const Held& held) {
  const std::string op = entry.text("op");
  if (op != "record" && op != "supply" && op != "append") return {};
  const std::string workflow = entry.text("workflow"), value = entry.text("value");
  std::size_t times = 0;
  std::string stands;  // under its key
  if (auto found = held.records.find(workflow); found != held.records.end()) {
    for (const Held::Record& record : found->second) {
      times += record.value == value;
      if (op != "append" && record.key == entry.text("key")) stands = record.value;
    }
  }
  const std::string found = ", and is there " + std::to_string(times) + " times";
  if (entry.in_doubt()) return times <= 1 ? "" : "nobody knows whether it happened" + found;
  if (!entry.ok()) return times == 0 ? "" : "it was refused" + found;
  if (op == "append" || entry.answer.at("first") == true) return times == 1 ? "" : "it was acknowledged" + found;
  const std::string told = text_of(entry.answer.at("value"));
  return told == stands ? "" : "it was told that \"" + told + "\" had won, and \"" + stands + "\" is there";
}

}  // namespace

std::string contradictions(const std::vector<Entry>& ledger, const Held& held) {
  std::string text;
  for (const Entry& entry : ledger) {
    const std::string wrong = contradiction(entry, held);
    if (wrong.empty()) continue;
    text += "  " + entry.who + ": " + brief(entry.request) + "\n    answered " +
            (entry.answer.empty() ? "nothing" : brief(entry.answer)) + "\n    " + wrong + "\n";
  }
  return text;
}

}  // namespace stile::conformance::faults

// The driver of a store, from the suite's side of the protocol.
//
// SPDX-License-Identifier: Apache-2.0
#include "servers/driver.hpp"

#include <filesystem>

namespace stile::conformance::servers {
namespace {

constexpr Duration patience = std::chrono::seconds{30};  // for every word
constexpr Duration last_patience = std::chrono::seconds{10};

std::string text_of(const json::object& answer, std::string_view member) {
  const json::value* value = answer.if_contains(member);
  return value && value->is_string() ? std::string(value->get_string()) : std::string();
}

}  // namespace

Driver::Driver(const std::string& command, const std::string& folder, int slowness) : slowness_(slowness) {
  std::filesystem::create_directories(folder);
  program_ = std::make_unique<Program>(name_, std::vector<std::string>{"/bin/sh", "-c", command},
                                       std::map<std::string, std::string>{}, folder + ".errors", false);
  json::object hello = order("hello", {{"protocol", 1}, {"folder", folder}});
  if (std::string name = text_of(hello, "driver"); !name.empty()) name_ = name;
  if (const json::value* value = hello.if_contains("embedded")) embedded_ = value->is_bool() && value->get_bool();
  const json::value* can = hello.if_contains("can");
  if (!can || !can->is_array()) throw Misbehaved("the driver: hello was answered without a list of what it can");
  for (const json::value& word : can->get_array()) {
    if (!word.is_string()) throw Misbehaved("the driver: what it can is no list of words: " + json::serialize(*can));
    can_.emplace(word.get_string());
  }
}

json::object Driver::order(std::string_view word, json::object with) {
  with["do"] = word;
  json::object answer = program_->ask(with, word, patience * slowness_);
  const json::value* ok = answer.if_contains("ok");
  if (ok && ok->is_bool() && ok->get_bool()) return answer;
  std::string why = text_of(answer, "error");
  throw Misbehaved("the driver could not do " + std::string(word) + ": " +
                   (why.empty() ? json::serialize(answer) : why));
}

Started Driver::start(const Wanted& wanted) {
  json::object answer = order("start", {{"for", json::value_from(wanted.faults)}, {"durable", wanted.durable}});
  Started started;
  started.config = text_of(answer, "config");
  if (started.config.empty()) throw Misbehaved("the driver: start was answered without a config string");
  const json::value* environment = answer.if_contains("environment");
  if (!environment) return started;
  if (!environment->is_object()) throw Misbehaved("the driver: start was answered with an environment of no names");
  for (const auto& [name, value] : environment->get_object()) {
    if (!value.is_string()) throw Misbehaved("the driver: environment: " + std::string(name) + " is no text");
    started.environment[std::string(name)] = std::string(value.get_string());
  }
  return started;
}

void Driver::end() {
  if (!program_) return;
  program_->close_input();
  const bool ended = program_->ended(last_patience);
  program_.reset();
  if (!ended) throw Misbehaved("the driver: it did not end after the end of its input");
}

}  // namespace stile::conformance::servers

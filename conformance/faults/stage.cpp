// Making two playings of one script comparable.
//
// SPDX-License-Identifier: Apache-2.0
#include "faults/stage.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "dialogue/match.hpp"
#include "dialogue/requests.hpp"

namespace stile::conformance::faults {
namespace {

constexpr std::string_view inbox = "inbox:";

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// The member that an operation's first word, where it has no name, is.
std::string_view first_member(std::string_view op) {
  return is_one_of(op, {"get", "put", "erase"}) ? "key" : "workflow";
}

/// Puts a.b=v where it belongs.
void put(json::object& object, std::string_view name, json::value value) {
  std::size_t dot = name.find('.');
  if (dot == std::string_view::npos) {
    object[name] = std::move(value);
    return;
  }
  json::value& inner = object[name.substr(0, dot)];
  if (!inner.is_object()) inner.emplace_object();
  put(inner.get_object(), name.substr(dot + 1), std::move(value));
}

std::int64_t inbox_position(std::string_view key) {
  std::int64_t position = 0;
  key.remove_prefix(inbox.size());
  std::from_chars(key.data(), key.data() + key.size(), position);
  return position;
}

}  // namespace

Stage::Stage(const Target& target, std::string lease) : target_(target), lease_(std::move(lease)) {}

json::value Stage::argument(std::string_view text) const {
  if (text == "$giving" || text == "$failing") {
    const std::string language = effect_language(target_.facts);
    const bool sql = language == "sql";
    json::object effect{{"language", language}};
    if (text == "$giving")
      effect["text"] = sql ? "SELECT 'given'" : "return 'given'";
    else
      effect["text"] = sql ? "SELECT NULL" : "return nil";
    return effect;
  }
  std::size_t dollar = text.find('$');
  if (dollar != std::string_view::npos) {
    std::string_view name = text.substr(dollar + 1);
    if (name == "L") return json::value(lease_);
    const bool older = name.starts_with("older_");
    if (older) name.remove_prefix(6);
    auto found = told_.find(std::string(name));
    const std::size_t back = older ? 2 : 1;
    if (found == told_.end() || found->second.size() < back)
      throw std::logic_error("a script shows " + std::string(text) + " before it was told one");
    return json::value(found->second[found->second.size() - back]);
  }
  boost::system::error_code error;
  json::value value = json::parse(text, error);
  return error ? json::value(text) : value;
}

json::object Stage::request(const Line& line) {
  json::object made;
  std::string_view rest = line;
  auto word = [&rest] {
    std::size_t blank = std::min(rest.find(' '), rest.size());
    std::string_view next = rest.substr(0, blank);
    rest.remove_prefix(std::min(blank + 1, rest.size()));
    return next;
  };
  const std::string_view op = word();
  made["op"] = op;
  while (!rest.empty()) {
    std::string_view next = word();
    std::size_t equals = next.find('=');
    if (equals == std::string_view::npos)
      made[first_member(op)] = next;
    else
      put(made, next.substr(0, equals), argument(next.substr(equals + 1)));
  }
  if (takes_op_id(op)) {
    std::string id = std::to_string(++sent_);
    made["op_id"] = std::string("5711e000") + std::string(24 - id.size(), '0') + id;
  }
  return made;
}

void Stage::told(std::string_view name, const std::string& token) {
  std::vector<std::string>& all = told_[std::string(name)];
  if (std::find(all.begin(), all.end(), token) == all.end()) all.push_back(token);
}

void Stage::learn(const json::value& value) {
  if (const json::array* list = value.if_array()) {
    for (const json::value& each : *list) learn(each);
    return;
  }
  const json::object* object = value.if_object();
  if (!object) return;
  for (const auto& [name, member] : *object) {
    if (is_one_of(name, {"fence", "receipt", "version"}) && member.is_string())
      told(name, std::string(member.get_string()));
    else if (name == "key" && member.is_string() && std::string_view(member.get_string()).starts_with(inbox))
      told("inbox", std::string(member.get_string()));
    else
      learn(member);
  }
}

void Stage::note(const json::object& request, const json::object& answer, std::string_view how) {
  learn(answer);
  transcript_ += "    " + brief(request) + (how.empty() ? "" : "   [" + std::string(how) + "]") + "\n      -> " +
                 brief(answer) + "\n";
}

void Stage::note(std::string_view what) { transcript_ += "    -- " + std::string(what) + "\n"; }

json::value Stage::numbered(const char* kind, const std::string& token) {
  auto& known = seen_[kind];
  return json::value(kind + std::to_string(known.emplace(token, known.size() + 1).first->second));
}

json::value Stage::position(std::int64_t number) {
  if (number == 0) return 0;
  if (first_position_ == 0) first_position_ = number;
  return number - first_position_ + 1;
}

json::value Stage::replaced(std::string_view member, const json::value& value) {
  if (value.is_int64() || value.is_uint64()) {
    const auto number = value.to_number<std::int64_t>();
    if (member == "position") return position(number);
    if (member == "fence_number") return number == 0 ? json::value(0) : numbered("fence ", std::to_string(number));
    if (is_one_of(member, {"live_until", "budget_until", "written_at", "visible_at", "due_at", "expires_at",
                           "finished_at", "last_written_at", "store_time", "next_due_at"})) {
      if (number == 0 || !target_.facts.can("manual_clock")) return json::value(number != 0);
      return number - begun_.time_since_epoch().count();
    }
    if (member == "oldest_ready_age" && !target_.facts.can("manual_clock")) return json::value("an age");
    return value;
  }
  if (!value.is_string()) return comparable(value);
  const std::string text(value.get_string());
  if (member == "fence") return numbered("fence ", text.substr(0, text.find('.')));
  if (member == "receipt") return numbered("receipt ", text);
  if (member == "version") return numbered("version ", text);
  if (member == "key" && text.starts_with(inbox))
    return json::value(std::string(inbox) + json::serialize(position(inbox_position(text))));
  return value;
}

json::value Stage::comparable(const json::value& value) {
  if (const json::array* list = value.if_array()) {
    json::array out;
    // Deliveries of one call may come in any order (W7): by their workflows, then.
    std::vector<const json::value*> order;
    for (const json::value& each : *list) order.push_back(&each);
    auto workflow = [](const json::value* each) {
      const json::object* object = each->if_object();
      return object && object->contains("workflow") ? json::serialize(object->at("workflow")) : std::string();
    };
    std::stable_sort(order.begin(), order.end(), [&](auto* a, auto* b) { return workflow(a) < workflow(b); });
    for (const json::value* each : order) out.push_back(comparable(*each));
    return out;
  }
  const json::object* object = value.if_object();
  if (!object) return value;
  json::object out;
  for (const auto& [name, member] : *object) {
    if (is_one_of(name, {"error", "native", "retry_after", "stored_bytes", "approximate", "epoch"})) continue;
    out[name] = replaced(name, member);
  }
  return out;
}

json::object dump(const Say& say, const Target& target, Stage& stage) {
  json::object all;
  auto take = [&](const char* name, const json::object& request) {
    json::object answer = say(request);
    all[name] = stage.comparable(answer);
    return answer;
  };
  auto load = [&](std::string_view workflow) {
    json::object answer = say({{"op", "load"}, {"workflow", workflow}});
    all[std::string("load ") + std::string(workflow)] = stage.comparable(answer);
  };
  if (target.facts.part == Part::all || target.facts.does("list")) {
    take("list", {{"op", "list"}});
    take("stats", {{"op", "stats"}});
  }
  if (target.facts.does("load"))
    for (const char* workflow : {"w", "v"}) load(workflow);
  if (!target.facts.does("scan")) return all;
  const json::object documents = take("scan", {{"op", "scan"}, {"prefix", ""}});
  for (const json::value& each : documents.at("documents").as_array()) {
    const std::string key(each.as_object().at("key").as_string());
    json::object answer = say({{"op", "get"}, {"key", key}});
    all["get " + key] = stage.comparable(answer);
  }
  return all;
}

}  // namespace stile::conformance::faults

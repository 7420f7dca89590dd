// Reading the judge's JSON, and following who held what.
//
// SPDX-License-Identifier: Apache-2.0
#include "report/moments.hpp"

#include <algorithm>

namespace stile::conformance::report {
namespace {

const json::value* member(const json::object& object, const char* name) { return object.if_contains(name); }

std::optional<std::int64_t> number(const json::object& object, const char* name) {
  const json::value* value = member(object, name);
  if (!value || !value->is_number()) return std::nullopt;
  boost::system::error_code error;
  auto read = value->to_number<std::int64_t>(error);
  // Differences of what is left do not overflow.
  constexpr std::int64_t most = std::int64_t{1} << 60;
  if (error || read < -most || read > most) return std::nullopt;
  return read;
}

std::string text_of(const json::object& object, const char* name) {
  const json::value* value = member(object, name);
  return value ? said(*value) : std::string();
}

bool flag(const json::object& object, const char* name) {
  const json::value* value = member(object, name);
  return value && value->is_bool() && value->get_bool();
}

json::object object_in(const json::object& object, const char* name) {
  const json::value* value = member(object, name);
  return value && value->is_object() ? value->get_object() : json::object();
}

std::optional<Happened> read(const json::value& value) {
  if (!value.is_object()) return std::nullopt;
  const json::object& event = value.get_object();
  auto begin = number(event, "invoke");
  if (!begin) return std::nullopt;
  Happened one;
  one.client = text_of(event, "client");
  one.begin = *begin;
  one.end = number(event, "return");
  if (one.end && *one.end < one.begin) one.end = one.begin;
  one.asked = object_in(event, "asked");
  one.answered = object_in(event, "answered");
  return one;
}

const json::array& list(const json::object& object, const char* name) {
  static const json::array none;
  const json::value* value = member(object, name);
  return value && value->is_array() ? value->get_array() : none;
}

/// Follows the operations one by one.
class Following {
 public:
  explicit Following(std::vector<Held>& all) : all_(all) {}

  void take(const Happened& one) {
    if (!one.end || one.status() != "ok") return;
    std::string op = one.text("op"), workflow = one.text("workflow");
    if (op == "acquire") grant(one, workflow, one.answered);
    if (op == "receive") receive(one);
    if (op == "release") end(false, one.text("fence"), *one.end);
    if (op == "discard") end_all(workflow, false, *one.end);
    if (op == "cancel") end_all(workflow, true, *one.end);
    if (op == "ack" || op == "snooze" || op == "nack" || op == "reject") {
      end(true, one.text("receipt"), *one.end);
      if (flag(one.asked, "release")) end(false, one.text("fence"), *one.end);
    }
    if (auto until = number(one.answered, "live_until"); until && op != "acquire") prolong(one.text("fence"), *until);
    if (auto until = number(one.answered, "visible_at"); until && op == "extend") prolong(one.text("receipt"), *until);
  }

 private:
  void grant(const Happened& one, const std::string& workflow, const json::object& answer) {
    std::string fence = text_of(answer, "fence");
    if (fence.empty()) return;
    for (Held& old : all_)
      if (!old.delivery && old.workflow == workflow && old.name != fence && !old.over)
        old.over = std::max(old.from, *one.end);
    all_.push_back({false, fence, workflow, one.client, *one.end, number(answer, "live_until"), std::nullopt, 0});
  }

  void receive(const Happened& one) {
    for (const json::value& each : list(one.answered, "deliveries")) {
      if (!each.is_object()) continue;
      const json::object& delivery = each.get_object();
      std::string workflow = text_of(delivery, "workflow");
      end_all(workflow, true, *one.end);
      all_.push_back({true, text_of(delivery, "receipt"), workflow, one.client, *one.end,
                      number(delivery, "visible_at"), std::nullopt,
                      static_cast<int>(number(delivery, "delivery_count").value_or(0))});
      grant(one, workflow, delivery);
    }
  }

  void prolong(const std::string& name, std::int64_t until) {
    for (Held& one : all_)
      if (one.name == name && !name.empty()) one.until = std::max(one.until.value_or(until), until);
  }

  void end(bool delivery, const std::string& name, std::int64_t at) {
    for (Held& one : all_)
      if (one.delivery == delivery && one.name == name && !one.over) one.over = std::max(one.from, at);
  }

  void end_all(const std::string& workflow, bool deliveries, std::int64_t at) {
    for (Held& one : all_)
      if (one.delivery == deliveries && one.workflow == workflow && !one.over) one.over = std::max(one.from, at);
  }

  std::vector<Held>& all_;
};

}  // namespace

std::string said(const json::value& value) {
  if (value.is_string()) return std::string(value.get_string());
  if (value.is_object() && value.get_object().contains("b64")) return "b64:" + said(value.get_object().at("b64"));
  return json::serialize(value);
}

std::string Happened::text(const char* member) const { return text_of(asked, member); }

std::string Happened::status() const { return text_of(answered, "status"); }

bool Happened::in_doubt() const {
  std::string said = status();
  return said.empty() || said == "unknown" || said == "internal";
}

std::vector<Happened> happened(const json::object& finding, std::size_t& left_out) {
  std::vector<Happened> all;
  const json::array& events = list(finding, "events");
  std::size_t over = events.size() > most_happened ? events.size() - most_happened : 0;
  left_out = over;
  for (std::size_t i = 0; i < events.size(); ++i) {
    bool middle = i >= most_happened / 2 && i < most_happened / 2 + over;
    auto one = middle ? std::nullopt : read(events[i]);
    if (!one) continue;
    one->number = static_cast<int>(i) + 1;
    all.push_back(std::move(*one));
  }
  const json::array& beside = list(finding, "beside");
  for (std::size_t i = 0; i < std::min(beside.size(), most_happened); ++i)
    if (auto one = read(beside[i])) all.push_back(std::move(*one));
  std::stable_sort(all.begin(), all.end(), [](const Happened& a, const Happened& b) { return a.begin < b.begin; });
  return all;
}

std::optional<std::int64_t> clock_offset(const json::object& verdict) {
  json::object clock = object_in(verdict, "clock");
  const json::array& offset = list(clock, "offset");
  if (flag(clock, "contradicts") || offset.size() != 2) return std::nullopt;
  auto least = number({{"is", offset[0]}}, "is"), most = number({{"is", offset[1]}}, "is");
  if (!least || !most) return std::nullopt;
  return *least + (*most - *least) / 2;
}

std::int64_t beginning(const json::object& verdict) { return number(verdict, "begin").value_or(0); }

std::vector<Held> held(const std::vector<Happened>& all) {
  std::vector<const Happened*> answered;
  for (const Happened& one : all)
    if (one.end) answered.push_back(&one);
  std::stable_sort(answered.begin(), answered.end(),
                   [](const Happened* a, const Happened* b) { return *a->end < *b->end; });
  std::vector<Held> out;
  Following following(out);
  for (const Happened* one : answered) following.take(*one);
  return out;
}

}  // namespace stile::conformance::report

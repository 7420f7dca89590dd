// One answer made wrong, in ways that nothing else in a history can explain.
//
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>

#include "lawful.hpp"

namespace stile::conformance::judge {
namespace {

using Calls = std::vector<Call>;
using Way = std::function<bool(Calls&, Random&)>;

std::string_view text(const json::object& object, std::string_view name) {
  const json::value* value = object.if_contains(name);
  return value && value->is_string() ? std::string_view(value->get_string()) : std::string_view();
}

bool is(const Call& call, std::string_view op) { return call.ok() && text(call.asked, "op") == op; }

/// All calls that a way can spoil, one of them drawn.
Call* draw(Calls& calls, Random& random, const std::function<bool(Call&)>& fits) {
  std::vector<Call*> found;
  for (Call& call : calls)
    if (fits(call)) found.push_back(&call);
  return found.empty() ? nullptr : found[random() % found.size()];
}

bool lacks(const Calls& calls, std::string_view op) {
  return std::none_of(calls.begin(), calls.end(), [&](const Call& call) { return text(call.asked, "op") == op; });
}

json::array* records_of(Call& call) {
  if (!is(call, "load")) return nullptr;
  auto& records = call.answered.at("records").as_array();
  return records.empty() ? nullptr : &records;
}

bool value_nobody_wrote(Calls& calls, Random& random) {
  Call* call = draw(calls, random, [](Call& each) { return records_of(each) != nullptr; });
  if (!call) return false;
  auto& records = *records_of(*call);
  records[random() % records.size()].as_object()["value"] = "nobody wrote this";
  return true;
}

bool order_of_a_page(Calls& calls, Random& random) {
  Call* call = draw(calls, random, [](Call& each) { return records_of(each) && records_of(each)->size() > 1; });
  if (!call) return false;
  auto& records = *records_of(*call);
  std::swap(records.front(), records.back());
  return true;
}

bool record_lost(Calls& calls, Random& random) {
  if (!lacks(calls, "discard") || !lacks(calls, "trim")) return false;
  Call* call = draw(calls, random, [&](Call& each) {
    if (!records_of(each) || each.answered.at("more").as_bool() || each.asked.contains("key")) return false;
    std::int64_t last = records_of(each)->back().at("position").to_number<std::int64_t>();
    return std::any_of(calls.begin(), calls.end(), [&](const Call& other) {
      return (is(other, "record") || is(other, "append")) && other.before(each) &&
             text(other.asked, "workflow") == text(each.asked, "workflow") &&
             other.answered.at("position").to_number<std::int64_t>() == last;
    });
  });
  if (!call) return false;
  records_of(*call)->pop_back();
  return true;
}

bool fence_granted_twice(Calls& calls, Random& random) {
  Call* call = draw(calls, random, [&](Call& each) { return is(each, "acquire"); });
  if (!call) return false;
  Call* other = draw(calls, random, [&](Call& each) {
    return is(each, "acquire") && text(each.asked, "workflow") == text(call->asked, "workflow") &&
           text(each.asked, "op_id") != text(call->asked, "op_id");
  });
  if (!other) return false;
  call->answered["fence"] = other->answered.at("fence");
  return true;
}

bool receipt_given_twice(Calls& calls, Random& random) {
  auto hands_out = [](Call& each) { return is(each, "receive") && !each.answered.at("deliveries").as_array().empty(); };
  Call* call = draw(calls, random, hands_out);
  Call* other = draw(calls, random, hands_out);
  if (!call || text(call->asked, "op_id") == text(other->asked, "op_id")) return false;
  auto delivery = [](Call& each) -> json::object& { return each.answered.at("deliveries").as_array()[0].as_object(); };
  delivery(*call)["receipt"] = delivery(*other).at("receipt");
  return true;
}

bool delivery_counted_wrong(Calls& calls, Random& random) {
  Call* call = draw(calls, random, [](Call& each) {
    return is(each, "receive") && !each.answered.at("deliveries").as_array().empty();
  });
  if (!call) return false;
  auto& delivery = call->answered.at("deliveries").as_array()[0].as_object();
  delivery["delivery_count"] = delivery.at("delivery_count").to_number<int>() + 1000;
  return true;
}

bool first_turned(Calls& calls, Random& random) {
  Call* call = draw(calls, random, [](Call& each) { return is(each, "record") || is(each, "supply"); });
  if (!call) return false;
  call->answered["first"] = !call->answered.at("first").as_bool();
  return true;
}

bool written_by_a_superseded(Calls& calls, Random& random) {
  auto number = [](const json::object& object) { return std::stoll("0" + std::string(text(object, "fence"))); };
  Call* call = draw(calls, random, [&](Call& each) {
    if (text(each.asked, "op") != "record" || text(each.answered, "status") != "fenced") return false;
    return std::any_of(calls.begin(), calls.end(), [&](const Call& other) {
      return is(other, "acquire") && other.before(each) && number(each.asked) > 0 &&
             text(other.asked, "workflow") == text(each.asked, "workflow") &&
             number(other.answered) > number(each.asked);
    });
  });
  if (!call) return false;
  call->answered = {{"status", "ok"},
                    {"value", call->asked.at("value")},
                    {"first", true},
                    {"position", 9999},
                    {"written_at", call->at}};
  return true;
}

bool version_given_twice(Calls& calls, Random& random) {
  Call* call = draw(calls, random, [](Call& each) { return is(each, "put"); });
  Call* other = draw(calls, random, [&](Call& each) {
    return is(each, "put") && text(each.asked, "key") == text(call->asked, "key") &&
           text(each.asked, "op_id") != text(call->asked, "op_id");
  });
  if (!call || !other) return false;
  call->answered["version"] = other->answered.at("version");
  return true;
}

bool document_nobody_put(Calls& calls, Random& random) {
  Call* call = draw(calls, random, [](Call& each) { return is(each, "get"); });
  if (!call) return false;
  call->answered["value"] = "nobody put this";
  return true;
}

/// The answers of two writes, one of which was over before the other began.
bool answers_swapped(Calls& calls, Random& random) {
  auto writes = [](const Call& each) { return is(each, "append") && !each.answered.at("duplicate").as_bool(); };
  std::map<std::int64_t, int> told;
  for (const Call& each : calls)
    if (each.ok() && each.answered.contains("position")) ++told[each.answered.at("position").to_number<std::int64_t>()];
  auto position = [](const Call& each) { return each.answered.at("position").to_number<std::int64_t>(); };
  Call* first = draw(calls, random, [&](Call& each) { return writes(each) && told[position(each)] == 1; });
  if (!first) return false;
  Call* second = draw(calls, random, [&](Call& each) {
    return writes(each) && first->before(each) && text(each.asked, "workflow") == text(first->asked, "workflow") &&
           !each.asked.contains("enqueue") && told[position(each)] == 1;
  });
  if (!second || first->asked.contains("enqueue")) return false;
  std::swap(first->answered, second->answered);
  return true;
}

const std::vector<std::pair<std::string, Way>>& ways() {
  static const std::vector<std::pair<std::string, Way>> all{
      {"value_nobody_wrote", value_nobody_wrote},
      {"order_of_a_page", order_of_a_page},
      {"record_lost", record_lost},
      {"fence_granted_twice", fence_granted_twice},
      {"receipt_given_twice", receipt_given_twice},
      {"delivery_counted_wrong", delivery_counted_wrong},
      {"first_turned", first_turned},
      {"written_by_a_superseded", written_by_a_superseded},
      {"version_given_twice", version_given_twice},
      {"document_nobody_put", document_nobody_put},
      {"answers_swapped", answers_swapped},
  };
  return all;
}

}  // namespace

std::optional<std::string> spoil(std::vector<Call>& calls, Random& random) {
  std::size_t first = random() % ways().size();
  for (std::size_t i = 0; i < ways().size(); ++i) {
    const auto& [name, way] = ways()[(first + i) % ways().size()];
    if (way(calls, random)) return name;
  }
  return std::nullopt;
}

}  // namespace stile::conformance::judge

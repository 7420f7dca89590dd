// From the lines of a case to requests in the JSON of CALL.md.
//
// SPDX-License-Identifier: Apache-2.0
#include "dialogue/requests.hpp"

#include "codec/op.hpp"

namespace stile::conformance {

std::string effect_language(const Facts& facts) {
  for (const char* language : {"sql", "lua"})
    if (facts.can("effects:" + std::string(language))) return language;
  return {};
}

std::string render_language(const Facts& facts) {
  constexpr std::string_view prefix = "render:";
  for (const std::string& capability : facts.capabilities)
    if (capability.starts_with(prefix)) return capability.substr(prefix.size());
  return {};
}

Scope new_scope(const Facts& facts) {
  Scope scope;
  scope.effect_language = effect_language(facts);
  scope.variables["effect_language"] = json::value_from(scope.effect_language);
  scope.variables["render_language"] = json::value_from(render_language(facts));
  if (const json::value* limits = facts.info.if_contains("limits"); limits && limits->is_object())
    for (const auto& [name, value] : limits->get_object()) {
      boost::system::error_code error;
      auto number = value.to_number<std::int64_t>(error);
      if (!error) scope.variables["limit_" + std::string(name)] = number;
    }
  return scope;
}

json::object make_request(const Request& request, Scope& scope) {
  json::object object{{"op", request.op}};
  for (const auto& [name, term] : request.members) object[name] = evaluate(term, scope);
  if (request.after_ok) object["after_ok"] = true;
  return object;
}

std::int64_t number_of(const Term& term, Scope& scope) {
  json::value value = evaluate(term, scope);
  try {
    return codec::duration_from_json(value, "number");
  } catch (const codec::BadRequest& bad) {
    throw Unplayable(term.place, bad.text);
  }
}

Duration deadline_of(const Request& request, Scope& scope) {
  if (!request.deadline) return std::chrono::seconds{20};
  return Duration{number_of(*request.deadline, scope)};
}

}  // namespace stile::conformance

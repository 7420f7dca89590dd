// Reading the members of a request.
//
// SPDX-License-Identifier: Apache-2.0
#include "model/said.hpp"

#include "codec/op.hpp"

namespace stile::conformance::model {

bool Said::flag(std::string_view name) const {
  const json::value* value = find(name);
  return value && (value->is_object() || (value->is_bool() && value->get_bool()));
}

std::string Said::bytes(std::string_view name) const {
  const json::value* value = find(name);
  return value && !value->is_null() ? codec::bytes_from_json(*value, name) : std::string();
}

Time Said::duration(std::string_view name, Time otherwise) const {
  const json::value* value = find(name);
  return value ? codec::duration_from_json(*value, name) : otherwise;
}

std::int64_t Said::number(std::string_view name, std::int64_t otherwise) const {
  const json::value* value = find(name);
  if (!value) return otherwise;
  boost::system::error_code inexact;
  auto number = value->to_number<std::int64_t>(inexact);
  return inexact ? otherwise : number;
}

std::optional<std::string> Said::fence() const {
  const json::value* value = find("fence");
  if (!value || !value->is_string()) return {};
  return std::string(value->get_string());
}

When Said::when() const {
  if (has("at")) return {true, number("at")};
  return {false, duration("delay")};
}

std::vector<std::string> Said::list(std::string_view name) const {
  std::vector<std::string> out;
  const json::value* value = find(name);
  if (!value || !value->is_array()) return out;
  for (const json::value& element : value->get_array()) out.push_back(codec::bytes_from_json(element, name));
  return out;
}

std::vector<Said> Said::objects(std::string_view name) const {
  std::vector<Said> out;
  const json::value* value = find(name);
  if (!value || !value->is_array()) return out;
  for (const json::value& element : value->get_array()) {
    if (element.is_object()) out.emplace_back(element.get_object());
  }
  return out;
}

Said Said::group(std::string_view name) const {
  static const json::object none;
  const json::value* value = find(name);
  return value && value->is_object() ? Said(value->get_object()) : Said(none);
}

}  // namespace stile::conformance::model

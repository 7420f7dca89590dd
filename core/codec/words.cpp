// From words to the object of an operation.
//
// SPDX-License-Identifier: Apache-2.0
#include "codec/words.hpp"

#include <charconv>
#include <optional>

#include "codec/decode.hpp"
#include "codec/fields.hpp"
#include "codec/line.hpp"

namespace stile::codec {
namespace {

bool named(const Field& field, std::string_view name) {
  std::string_view rest = field.name;
  for (auto bar = rest.find('|'); bar != std::string_view::npos; bar = rest.find('|')) {
    if (rest.substr(0, bar) == name) return true;
    rest.remove_prefix(bar + 1);
  }
  return rest == name;
}

// The form of what a dotted name means in a struct; nothing when it means nothing there.
std::optional<Form> form_in(const Struct& description, std::string_view name) {
  for (const Field& field : description.fields) {
    if (field.form == Form::answer || field.form == Form::enqueue_inline) {
      const Struct& beside = field.form == Form::answer ? answer_struct : enqueue_struct;
      if (auto form = form_in(beside, name)) return form;
    }
    if (field.name.empty()) continue;
    if (named(field, name)) return field.form;
    bool inside = name.starts_with(field.name) && name.substr(field.name.size(), 1) == ".";
    if (inside && field.form == Form::enqueue) return form_in(enqueue_struct, name.substr(field.name.size() + 1));
    if (inside && field.form == Form::effect) return form_in(effect_struct, name.substr(field.name.size() + 1));
  }
  return std::nullopt;
}

json::value number_or_text(std::string_view text) {
  const char* end = text.data() + text.size();
  std::int64_t whole = 0;
  if (auto read = std::from_chars(text.data(), end, whole); read.ec == std::errc() && read.ptr == end) return whole;
  std::uint64_t large = 0;
  if (auto read = std::from_chars(text.data(), end, large); read.ec == std::errc() && read.ptr == end) return large;
  return json::value(text);
}

json::value flag_or_text(std::string_view text) {
  if (text == "true") return true;
  if (text == "false") return false;
  return json::value(text);
}

json::value value_of(std::optional<Form> form, std::string_view name, std::string_view text) {
  if (text.starts_with('[') || text.starts_with('{')) {
    try {
      return parse_line(text);
    } catch (const BadLine& bad) {
      refuse(name, std::string("begins as JSON and is none: ") + bad.what());
    }
  }
  switch (form.value_or(Form::text)) {
    case Form::count:
    case Form::number:
    case Form::position:
    case Form::duration:
    case Form::ttl:
    case Form::instant:
    case Form::when: return number_or_text(text);
    case Form::flag:
    case Form::enqueue: return flag_or_text(text);
    case Form::fence: return text == "null" ? json::value(nullptr) : json::value(text);
    default: return json::value(text);
  }
}

std::optional<Form> form_of(std::string_view op, std::string_view name, std::span<const std::string> words) {
  if (name == "after_ok" || name == "again") return Form::flag;
  if (name == "s") return Form::count;
  if (name.starts_with("say.")) {
    for (const std::string& word : words)
      if (word.starts_with("say.op=")) return form_of(std::string_view(word).substr(7), name.substr(4), {});
    return std::nullopt;
  }
  const Struct* request = request_of(op_kind(op));
  return request ? form_in(*request, name) : std::nullopt;
}

void put(json::object& object, std::string_view name, std::string_view path, json::value value) {
  auto dot = name.find('.');
  if (dot == std::string_view::npos) {
    if (!object.emplace(name, std::move(value)).second) refuse(path, "is said twice");
    return;
  }
  json::value& inner = object.emplace(name.substr(0, dot), json::object()).first->value();
  if (!inner.is_object()) refuse(path, "is said twice");
  put(inner.get_object(), name.substr(dot + 1), path, std::move(value));
}

}  // namespace

json::object object_from_words(std::string_view op, std::span<const std::string> words) {
  json::object object;
  object["op"] = op;
  for (const std::string& word : words) {
    auto equals = word.find('=');
    if (equals == std::string::npos || equals == 0) refuse("\"" + word + "\"", "is no name=value");
    std::string_view name = std::string_view(word).substr(0, equals);
    std::string_view text = std::string_view(word).substr(equals + 1);
    put(object, name, name, value_of(form_of(op, name, words), name, text));
  }
  return object;
}

}  // namespace stile::codec

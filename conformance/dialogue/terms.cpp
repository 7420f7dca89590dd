// Making values of terms while a case is played.
//
// SPDX-License-Identifier: Apache-2.0
#include "dialogue/terms.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "codec/op.hpp"

namespace stile::conformance {
namespace {

const json::value& variable(const std::string& name, const Place& place, Scope& scope) {
  auto found = scope.variables.find(name);
  if (found == scope.variables.end()) throw Unplayable(place, "$" + name + " has no value yet");
  return found->second;
}

std::string bytes_of(const json::value& value, const Place& place) {
  if (value.is_int64()) return std::to_string(value.get_int64());
  if (value.is_uint64()) return std::to_string(value.get_uint64());
  try {
    return codec::bytes_from_json(value, "text");
  } catch (const codec::BadRequest& bad) {
    throw Unplayable(place, bad.text);
  }
}

json::value text_value(const Term& term, Scope& scope) {
  std::string once;
  for (const Term::Piece& piece : term.pieces) {
    if (piece.variable.empty()) {
      once += piece.bytes;
      continue;
    }
    std::string inserted = bytes_of(variable(piece.variable, term.place, scope), term.place);
    std::size_t width = static_cast<std::size_t>(piece.width);
    if (inserted.size() < width) once.append(width - inserted.size(), '0');
    once += inserted;
  }
  if (term.times == 1) return codec::bytes_json(once);
  std::string all;
  all.reserve(once.size() * term.times);
  for (std::uint64_t i = 0; i < term.times; ++i) all += once;
  return codec::bytes_json(all);
}

std::int64_t integer_of(const json::value& value, const Place& place) {
  if (value.is_int64()) return value.get_int64();
  if (value.is_uint64()) return static_cast<std::int64_t>(value.get_uint64());
  if (value.is_string()) {
    try {
      return codec::duration_from_json(value, "duration");
    } catch (const codec::BadRequest& bad) {
      throw Unplayable(place, bad.text);
    }
  }
  throw Unplayable(place, "expected a number or a duration, there is " + json::serialize(value));
}

json::value variable_value(const Term& term, Scope& scope) {
  const json::value& value = variable(term.name, term.place, scope);
  if (term.sums.empty()) return value;
  std::int64_t sum = integer_of(value, term.place);
  for (const auto& [sign, operand] : term.sums) sum += sign * integer_of(evaluate(operand, scope), operand.place);
  return sum;
}

Fence fence_of(const Term& term, Scope& scope) {
  json::value value = evaluate(term, scope);
  auto fence = value.is_string() ? Fence::parse(std::string_view(value.get_string())) : std::nullopt;
  if (!fence) throw Unplayable(term.place, "this is no fence: " + json::serialize(value));
  return *fence;
}

std::string tampered(std::string text) {
  // The last character stands for bits of a nonce in every encoding; the first may only name a format.
  if (text.empty()) return "x";
  text.back() = text.back() == 'a' ? 'b' : 'a';
  return text;
}

/// What an effect is written in, by what it should do. $1 is understood by every SQL we know of.
json::object effect(std::string_view does, json::array args, const Term& term, const Scope& scope) {
  struct Form {
    std::string_view does, sql, lua;
  };
  static constexpr std::array<Form, 5> forms{{
      {"giving", "SELECT CAST($1 AS TEXT)", "return ARGV[1]"},
      {"giving_null", "SELECT NULL", "return false"},
      {"giving_number", "SELECT 41 + 1", "return 42"},
      {"giving_nothing", "SELECT 'x' WHERE 1 = 0", "return {}"},
      {"failing", "SELECT no_such_column FROM no_such_table", "error('the suite asked for it')"},
  }};
  for (const Form& form : forms) {
    if (form.does != does) continue;
    std::string_view text = scope.effect_language == "sql" ? form.sql : form.lua;
    return {{"language", scope.effect_language}, {"text", text}, {"args", std::move(args)}};
  }
  throw Unplayable(term.place, "there is no " + std::string(does) + "()");
}

json::value many(const Term& term, Scope& scope) {
  std::int64_t count = integer_of(evaluate(term.items.at(0), scope), term.place);
  json::array list;
  auto saved = scope.variables;
  for (std::int64_t n = 1; n <= count; ++n) {
    scope.variables["n"] = n;
    list.push_back(evaluate(term.items.at(1), scope));
  }
  scope.variables = std::move(saved);
  return list;
}

json::value numbered(const Term& term, Scope& scope) {
  Fence fence = fence_of(term.items[0], scope);
  fence.number += static_cast<std::uint64_t>(integer_of(evaluate(term.items[1], scope), term.place));
  return json::value_from(fence.text());
}

json::value restamped(const Term& term, Scope& scope) {
  Fence fence = fence_of(term.items[0], scope);
  fence.stamp.bytes[0] ^= 1;
  return json::value_from(fence.text());
}

json::value number(const Term& term, Scope& scope) {
  return static_cast<std::int64_t>(fence_of(term.items[0], scope).number);
}

json::value tampered_value(const Term& term, Scope& scope) {
  return codec::bytes_json(tampered(bytes_of(evaluate(term.items[0], scope), term.place)));
}

json::value byte_range(const Term& term, Scope& scope) {
  std::int64_t first = integer_of(evaluate(term.items[0], scope), term.place);
  std::int64_t last = integer_of(evaluate(term.items[1], scope), term.place);
  std::string bytes;
  for (std::int64_t b = first; b <= last; ++b) bytes += static_cast<char>(b);
  return codec::bytes_json(bytes);
}

json::value length(const Term& term, Scope& scope) {
  json::value value = evaluate(term.items[0], scope);
  if (value.is_array()) return static_cast<std::int64_t>(value.get_array().size());
  return static_cast<std::int64_t>(bytes_of(value, term.place).size());
}

/// A receipt's alphabet: printable ASCII without quotes or blanks (B9).
json::value printable(const Term& term, Scope& scope) {
  std::string bytes = bytes_of(evaluate(term.items[0], scope), term.place);
  return std::all_of(bytes.begin(), bytes.end(),
                     [](char c) { return c > 0x20 && c < 0x7F && c != '"' && c != '\'' && c != '`'; });
}

/// The least number of rising sequences that a list can be split into, by a member of its elements: the length of the
/// longest sequence that does not rise. What P ordered sources put out together cannot need more than P.
json::value rising_parts(const Term& term, Scope& scope) {
  json::value list = evaluate(term.items[0], scope);
  std::string member = bytes_of(evaluate(term.items[1], scope), term.place);
  if (!list.is_array()) throw Unplayable(term.place, "this is no list");
  std::vector<std::string> names;
  std::vector<std::int64_t> longest;
  std::int64_t most = 0;
  for (const json::value& element : list.get_array()) {
    names.push_back(bytes_of(element.at(member), term.place));
    longest.push_back(1);
    for (std::size_t i = 0; i + 1 < names.size(); ++i)
      if (names[i] >= names.back()) longest.back() = std::max(longest.back(), longest[i] + 1);
    most = std::max(most, longest.back());
  }
  return most;
}

json::value call_value(const Term& term, Scope& scope) {
  struct Function {
    std::string_view name;
    std::size_t arguments;
    json::value (*run)(const Term&, Scope&);
  };
  static constexpr std::array<Function, 9> functions{{
      {"numbered", 2, numbered},
      {"restamped", 1, restamped},
      {"number", 1, number},
      {"tampered", 1, tampered_value},
      {"bytes", 2, byte_range},
      {"length", 1, length},
      {"many", 2, many},
      {"printable", 1, printable},
      {"rising_parts", 2, rising_parts},
  }};
  for (const Function& function : functions) {
    if (function.name != term.name) continue;
    if (function.arguments != term.items.size())
      throw Unplayable(term.place, term.name + "() takes " + std::to_string(function.arguments) + " arguments");
    return function.run(term, scope);
  }
  json::array args;
  for (const Term& item : term.items) args.push_back(evaluate(item, scope));
  return effect(term.name, std::move(args), term, scope);
}

}  // namespace

json::value evaluate(const Term& term, Scope& scope) {
  switch (term.kind) {
    case Term::Kind::literal: return term.literal;
    case Term::Kind::text: return text_value(term, scope);
    case Term::Kind::variable: return variable_value(term, scope);
    case Term::Kind::op_id: {
      // The same name is the same id within a case, and another one in every other run.
      auto& id = scope.op_ids[term.name];
      if (id.empty()) id = Id::random().text();
      return json::value_from(id);
    }
    case Term::Kind::list: {
      json::array list;
      for (const Term& item : term.items) list.push_back(evaluate(item, scope));
      return list;
    }
    case Term::Kind::object: {
      json::object object;
      for (const auto& [name, member] : term.members) object[name] = evaluate(member, scope);
      return object;
    }
    case Term::Kind::call: return call_value(term, scope);
  }
  return {};
}

}  // namespace stile::conformance

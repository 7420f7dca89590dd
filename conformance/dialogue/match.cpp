// Comparing what a store answered with what a case expects.
//
// SPDX-License-Identifier: Apache-2.0
#include "dialogue/match.hpp"

#include <algorithm>
#include <compare>

#include "codec/op.hpp"

namespace stile::conformance {
namespace {

using Test = Expected::Test;

/// A store's clock may tick in milliseconds (W7).
constexpr Duration resolution = std::chrono::milliseconds{2};

std::string_view sign_of(Test test) {
  switch (test) {
    case Test::equal: return "=";
    case Test::not_equal: return "!=";
    case Test::less: return "<";
    case Test::at_most: return "<=";
    case Test::more: return ">";
    case Test::at_least: return ">=";
    case Test::about: return "~";
  }
  return "?";
}

/// A number, where a duration is one too.
std::optional<std::int64_t> number_of(const json::value& value) {
  if (value.is_int64()) return value.get_int64();
  if (value.is_uint64()) return static_cast<std::int64_t>(value.get_uint64());
  if (!value.is_string()) return std::nullopt;
  try {
    return codec::duration_from_json(value, "duration");
  } catch (const codec::BadRequest&) {
    return std::nullopt;
  }
}

std::optional<std::string> bytes_of(const json::value& value) {
  try {
    return codec::bytes_from_json(value, "bytes");
  } catch (const codec::BadRequest&) {
    return std::nullopt;
  }
}

bool is_number(const json::value& value) { return value.is_int64() || value.is_uint64(); }

/// Numbers and durations by size, fences by number, other bytes byte by byte.
std::partial_ordering order(const json::value& left, const json::value& right) {
  if (is_number(left) || is_number(right)) {
    auto a = number_of(left), b = number_of(right);
    if (!a || !b) return std::partial_ordering::unordered;
    return *a <=> *b;
  }
  auto a = bytes_of(left), b = bytes_of(right);
  if (!a || !b) return std::partial_ordering::unordered;
  auto one = Fence::parse(*a), two = Fence::parse(*b);
  if (one && two) return one->number <=> two->number;
  int compared = a->compare(*b);
  return compared <=> 0;
}

bool equal(const json::value& left, const json::value& right) {
  if (left == right) return true;
  if (is_number(left) && right.is_string()) return order(left, right) == std::partial_ordering::equivalent;
  return false;
}

bool holds(Test test, const json::value& left, const json::value& right, Duration slack) {
  switch (test) {
    case Test::equal: return equal(left, right);
    case Test::not_equal: return !equal(left, right);
    case Test::less: return order(left, right) == std::partial_ordering::less;
    case Test::more: return order(left, right) == std::partial_ordering::greater;
    case Test::at_most: {
      auto ordering = order(left, right);
      return ordering == std::partial_ordering::less || ordering == std::partial_ordering::equivalent;
    }
    case Test::at_least: {
      auto ordering = order(left, right);
      return ordering == std::partial_ordering::greater || ordering == std::partial_ordering::equivalent;
    }
    case Test::about: {
      auto a = number_of(left), b = number_of(right);
      return a && b && *a >= *b - resolution.count() && *a <= *b + slack.count() + resolution.count();
    }
  }
  return false;
}

std::optional<std::string> member_mismatch(const Expected& expected, const json::object& object, Matching matching) {
  const json::value* value = object.if_contains(expected.member);
  if (expected.absent) {
    if (!value) return std::nullopt;
    return expected.member + " should be left out, it is " + brief(*value);
  }
  if (!value) return expected.member + " is missing";
  for (const auto& [test, shape] : expected.tests) {
    std::optional<std::string> differs;
    if (test == Test::equal)
      differs = mismatch(shape, *value, matching);
    else
      differs = mismatch(test, *value, evaluate(shape.term, matching.scope), matching.slack);
    if (differs) return expected.member + ": " + *differs;
  }
  return std::nullopt;
}

std::optional<std::string> object_mismatch(const std::vector<Expected>& members, const json::value& value,
                                           Matching matching) {
  if (!value.is_object()) return "expected an object, there is " + brief(value);
  for (const Expected& member : members)
    if (auto differs = member_mismatch(member, value.get_object(), matching)) return differs;
  return std::nullopt;
}

/// Tries shapes from `shape` on against values from `at` on; captures are kept only where all of it fits.
bool fits_in_order(const Shape& list, std::size_t shape, const json::array& values, std::size_t at, Matching matching) {
  if (shape == list.items.size()) return at == values.size();
  auto saved = matching.scope.variables;
  if (list.items[shape].kind == Shape::Kind::rest) {
    for (std::size_t skip = at; skip <= values.size(); ++skip) {
      if (fits_in_order(list, shape + 1, values, skip, matching)) return true;
      matching.scope.variables = saved;
    }
    return false;
  }
  if (at < values.size() && !mismatch(list.items[shape], values[at], matching) &&
      fits_in_order(list, shape + 1, values, at + 1, matching))
    return true;
  matching.scope.variables = std::move(saved);
  return false;
}

bool fits_any_order(const Shape& list, std::size_t shape, const json::array& values, std::vector<bool>& used, bool rest,
                    Matching matching) {
  if (shape == list.items.size()) return rest || std::all_of(used.begin(), used.end(), [](bool one) { return one; });
  if (list.items[shape].kind == Shape::Kind::rest) return fits_any_order(list, shape + 1, values, used, true, matching);
  auto saved = matching.scope.variables;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (used[i]) continue;
    if (!mismatch(list.items[shape], values[i], matching)) {
      used[i] = true;
      if (fits_any_order(list, shape + 1, values, used, rest, matching)) return true;
      used[i] = false;
    }
    matching.scope.variables = saved;
  }
  return false;
}

std::optional<std::string> list_mismatch(const Shape& list, const json::value& value, Matching matching) {
  if (!value.is_array()) return "expected a list, there is " + brief(value);
  const json::array& values = value.get_array();
  auto is_rest = [](const Shape& item) { return item.kind == Shape::Kind::rest; };
  bool open = std::any_of(list.items.begin(), list.items.end(), is_rest);
  std::size_t wanted = list.items.size() - (open ? 1 : 0);
  if (!open && values.size() != wanted)
    return "expected " + std::to_string(wanted) + " elements, there are " + std::to_string(values.size()) + ": " +
           brief(value);
  if (!open && !list.any_order) {
    for (std::size_t i = 0; i < values.size(); ++i)
      if (auto differs = mismatch(list.items[i], values[i], matching))
        return "element " + std::to_string(i + 1) + ": " + *differs;
    return std::nullopt;
  }
  std::vector<bool> used(values.size(), false);
  bool fits = list.any_order ? fits_any_order(list, 0, values, used, false, matching)
                             : fits_in_order(list, 0, values, 0, matching);
  if (fits) return std::nullopt;
  return "the elements do not fit: " + brief(value);
}

std::string shortened(std::string_view text) {
  constexpr std::size_t most = 160;
  if (text.size() <= most) return std::string(text);
  // Cut between characters: the middle of one would be no UTF-8.
  auto boundary = [&](std::size_t at) {
    while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) ++at;
    return at;
  };
  std::size_t head = boundary(most / 2), tail = boundary(text.size() - 20);
  return std::string(text.substr(0, head)) + "...(" + std::to_string(text.size()) + " bytes)..." +
         std::string(text.substr(tail));
}

json::value shorten(const json::value& value) {
  if (value.is_string()) return json::value_from(shortened(value.get_string()));
  if (value.is_object()) {
    json::object out;
    for (const auto& [key, member] : value.get_object()) out[key] = shorten(member);
    return out;
  }
  if (value.is_array()) {
    constexpr std::size_t most = 12;
    json::array out;
    const json::array& in = value.get_array();
    for (std::size_t i = 0; i < in.size() && i < most; ++i) out.push_back(shorten(in[i]));
    if (in.size() > most) out.push_back(json::value_from("... " + std::to_string(in.size()) + " elements"));
    return out;
  }
  return value;
}

}  // namespace

std::string brief(const json::value& value) { return json::serialize(shorten(value)); }

std::optional<std::string> mismatch(Expected::Test test, const json::value& left, const json::value& right,
                                    Duration slack) {
  if (holds(test, left, right, slack)) return std::nullopt;
  std::string text = brief(left) + " is not " + std::string(sign_of(test)) + " " + brief(right);
  if (test == Test::about) text += " (at most " + std::to_string((slack + resolution).count()) + "us above it)";
  return text;
}

std::optional<std::string> mismatch(const Shape& shape, const json::value& value, Matching matching) {
  switch (shape.kind) {
    case Shape::Kind::any:
    case Shape::Kind::rest: return std::nullopt;
    case Shape::Kind::capture: {
      auto [known, taken] = matching.scope.variables.try_emplace(shape.name, value);
      if (taken) return std::nullopt;
      return mismatch(Test::equal, value, known->second, matching.slack);
    }
    case Shape::Kind::term: return mismatch(Test::equal, value, evaluate(shape.term, matching.scope), matching.slack);
    case Shape::Kind::list: return list_mismatch(shape, value, matching);
    case Shape::Kind::object: return object_mismatch(shape.members, value, matching);
  }
  return std::nullopt;
}

std::optional<std::string> mismatch(const Expectation& expect, const json::object& answer, Matching matching) {
  const json::value* status = answer.if_contains("status");
  std::string wanted;
  bool found = false;
  for (Status one : expect.statuses) {
    wanted += (wanted.empty() ? "" : " or ") + name_of(one);
    found = found || (status && status->is_string() && status->get_string() == name_of(one));
  }
  if (!found) return "expected status " + wanted;
  for (const Expected& member : expect.members)
    if (auto differs = member_mismatch(member, answer, matching)) return differs;
  return std::nullopt;
}

}  // namespace stile::conformance

// Judging an answer, member by member.
//
// SPDX-License-Identifier: Apache-2.0
#include "model/reply.hpp"

#include <algorithm>

#include "codec/op.hpp"

namespace stile::conformance::model {

namespace {

std::string shown(const json::object& object, std::string_view name) {
  const json::value* value = object.if_contains(name);
  return value ? json::serialize(*value) : "left out";
}

std::string text_of(Moment moment) {
  std::string text = std::to_string(moment.at);
  if (moment.slack != 0) text += " give or take " + std::to_string(moment.slack);
  return text;
}

}  // namespace

std::vector<std::string> split_ids(std::string_view ids) {
  std::vector<std::string> out;
  while (!ids.empty()) {
    std::size_t end = std::min(ids.find(' '), ids.size());
    if (end != 0) out.emplace_back(ids.substr(0, end));
    ids.remove_prefix(std::min(end + 1, ids.size()));
  }
  return out;
}

void Reply::differ(std::string_view ids, std::string text) {
  differences_.push_back({split_ids(ids), std::move(text)});
}

bool Reply::must_be(std::string_view expected, std::string_view ids) {
  rests_on_ = split_ids(ids);
  if (status() == expected) return true;
  std::string text = "answered " + status() + ", must be " + std::string(expected);
  if (std::string error = said_.bytes("error"); !error.empty()) text += " (the store says: " + error + ")";
  differ(ids, text);
  return false;
}

bool Reply::one_of(const std::vector<std::string_view>& statuses, std::string_view ids) {
  rests_on_ = split_ids(ids);
  std::string choices;
  for (std::string_view each : statuses) {
    if (status() == each) return true;
    choices += (choices.empty() ? "" : " or ") + std::string(each);
  }
  differ(ids, "answered " + status() + ", must be " + choices);
  return false;
}

void Reply::number(std::string_view name, std::int64_t expected, std::string_view ids) {
  if (said_.number(name) == expected) return;
  differ(ids, std::string(name) + " is " + shown(answer_, name) + ", must be " + std::to_string(expected));
}

void Reply::flag(std::string_view name, bool expected, std::string_view ids) {
  if (said_.flag(name) == expected) return;
  differ(ids, std::string(name) + " is " + shown(answer_, name) + ", must be " + (expected ? "true" : "false"));
}

void Reply::bytes(std::string_view name, std::string_view expected, std::string_view ids) {
  if (said_.bytes(name) == expected) return;
  differ(ids, std::string(name) + " is " + shown(answer_, name) + ", must be " +
                  json::serialize(codec::bytes_json(expected)));
}

void Reply::moment(std::string_view name, Moment& expected, std::string_view ids) {
  moment_of(name, {expected}, expected, ids);
}

void Reply::moment_of(std::string_view name, std::vector<Moment> choices, Moment& learned, std::string_view ids) {
  Time given = said_.number(name);
  bool fits = std::any_of(choices.begin(), choices.end(), [&](Moment each) { return can_be(each, given); });
  if (fits && answer_.contains(name)) {
    learned = {given, 0};
    return;
  }
  std::string text;
  for (Moment each : choices) text += (text.empty() ? "" : " or ") + text_of(each);
  differ(ids, std::string(name) + " is " + shown(answer_, name) + ", must be " + text);
}

void Reply::absent(std::string_view name, std::string_view ids) {
  if (!answer_.contains(name)) return;
  differ(ids, std::string(name) + " is " + shown(answer_, name) + ", must be left out");
}

void Reply::demand(bool holds, std::string_view ids, const std::string& text) {
  if (!holds) differ(ids, text);
}

}  // namespace stile::conformance::model

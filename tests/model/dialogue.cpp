// Telling the model what was said and answered, and what it must say to it.
//
// SPDX-License-Identifier: Apache-2.0
#include "dialogue.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace stile::conformance::model {

namespace {

json::object parse(std::string_view text) {
  std::string quoted(text);
  std::replace(quoted.begin(), quoted.end(), '\'', '"');
  return json::parse(quoted).as_object();
}

std::string said(const Ruling& ruling) {
  std::string out;
  for (const Difference& each : ruling.differences) out += describe(each) + "\n";
  return out;
}

}  // namespace

Dialogue::Dialogue(std::set<std::string> capabilities)
    : model_([&] {
        Terms terms;
        terms.capabilities = std::move(capabilities);
        terms.queues = 4;
        return terms;
      }()) {}

void Dialogue::lawful(std::string_view request, std::string_view answer) {
  Ruling ruling = model_.apply(parse(request), parse(answer), time());
  EXPECT_TRUE(ruling.fine()) << request << "\n" << said(ruling);
  EXPECT_FALSE(ruling.open) << request;
}

void Dialogue::broken(std::string_view id, std::string_view request, std::string_view answer) {
  Model copy(model_);
  Ruling ruling = copy.apply(parse(request), parse(answer), time());
  bool named = std::any_of(ruling.differences.begin(), ruling.differences.end(), [&](const Difference& each) {
    return std::find(each.ids.begin(), each.ids.end(), id) != each.ids.end();
  });
  EXPECT_TRUE(named) << id << " is not named for " << request << "\n" << answer << "\n" << said(ruling);
}

void Dialogue::open(std::string_view request) { EXPECT_FALSE(model_.determines(parse(request), time())) << request; }

std::string op(char digit) { return std::string(32, digit); }
std::string fence(int number, char digit) { return std::to_string(number) + "." + op(digit); }

}  // namespace stile::conformance::model

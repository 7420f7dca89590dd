// One line of JSON, read strictly.
//
// SPDX-License-Identifier: Apache-2.0
#include "codec/line.hpp"

#include <gtest/gtest.h>

namespace {

using stile::codec::BadLine;
using stile::codec::parse_line;

std::size_t column(std::string_view text) {
  try {
    parse_line(text);
  } catch (const BadLine& bad) {
    EXPECT_EQ(std::string(bad.what()).find("column " + std::to_string(bad.column) + ": "), 0u) << bad.what();
    return bad.column;
  }
  return 0;
}

TEST(Line, ReadsJson) {
  EXPECT_EQ(boost::json::serialize(parse_line(" {\"a\": [1, -2, 9007199254740993, \"\\u00e4\\ud834\\udd1e\"]} ")),
            "{\"a\":[1,-2,9007199254740993,\"ä𝄞\"]}");
  EXPECT_EQ(parse_line("18446744073709551615").as_uint64(), UINT64_MAX);
}

TEST(Line, RefusesWithTheColumn) {
  EXPECT_GE(column(R"({"a":1,"a":2})"), 8u);
  EXPECT_GE(column(R"({"b":{"a":1,"c":0,"\u0061":2}})"), 18u);
  EXPECT_NE(column(R"({"a":"\ud800"})"), 0u);
  EXPECT_NE(column(R"({"a":"\udc00"})"), 0u);
  EXPECT_NE(column(R"({"a":"\ud800\u0041"})"), 0u);
  EXPECT_NE(column("\"\xED\xA0\x80\""), 0u);
  EXPECT_NE(column("\"\xFF\""), 0u);
  EXPECT_EQ(column(R"({"a":NaN})"), 6u);
  EXPECT_EQ(column("[Infinity]"), 2u);
  EXPECT_NE(column("[1e999]"), 0u);
  EXPECT_NE(column("[01]"), 0u);
  EXPECT_NE(column("[1,]"), 0u);
  EXPECT_NE(column("{'a':1}"), 0u);
  EXPECT_NE(column("// x"), 0u);
  EXPECT_NE(column(""), 0u);
  EXPECT_NE(column("\"a\tb\""), 0u);
  EXPECT_EQ(column("[1,2] x"), 7u);
  EXPECT_EQ(column(std::string_view("\0", 1)), 1u);
}

TEST(Line, CountsCharacters) { EXPECT_EQ(column("[\"äöü\" x]"), 8u); }

TEST(Line, HasABottom) {
  auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_EQ(column(nested(stile::codec::deepest_line)), 0u);
  EXPECT_NE(column(nested(stile::codec::deepest_line + 1)), 0u);
  EXPECT_NE(column(std::string(1 << 20, '[')), 0u);
}

TEST(Line, TakesTheSameMemberInDifferentObjects) { EXPECT_EQ(column(R"([{"a":1},{"a":{"a":2},"b":{"a":3}}])"), 0u); }

}  // namespace

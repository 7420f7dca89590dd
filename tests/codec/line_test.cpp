// One line of JSON, read strictly.
//
// SPDX-License-Identifier: Apache-2.0
#include "codec/line.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

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

TEST(Line, ReadsNumbersExactly) {
  for (const char* text : {"0.1", "-1.824860584217201e-124", "1e300", "1.7976931348623157e308", "0.30000000000000004",
                           "123456789012345678901234567890", "-0.0", "1e-400", "9007199254740993.5"}) {
    double read = parse_line(text).as_double();
    EXPECT_EQ(read, std::strtod(text, nullptr)) << text;
    EXPECT_EQ(std::signbit(read), text[0] == '-') << text;
    EXPECT_EQ(parse_line(boost::json::serialize(boost::json::value(read))).as_double(), read) << text;
  }
  EXPECT_EQ(parse_line("[-9223372036854775808]").as_array()[0].as_int64(), INT64_MIN);
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

// Text for people, units, strict JSON.
//
// SPDX-License-Identifier: Apache-2.0
#include "types/text.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "types/strict_json.hpp"
#include "types/units.hpp"

namespace {

using namespace stile::types;

TEST(Printable, ShowsWhatCanBeSeen) {
  EXPECT_EQ(printable("a b\u00fc\u65e5\U0001f600"), "a b\u00fc\u65e5\U0001f600");
  EXPECT_EQ(printable("a\nb\tc\x1b[0m\x7f\\"), "a\\nb\\tc\\x1b[0m\\x7f\\\\");
  EXPECT_EQ(printable("a\u200bb\u202ec\u00a0\ufeff"), "a\\u{200b}b\\u{202e}c\\u{a0}\\u{feff}");
  EXPECT_EQ(printable(std::string_view("\0\xff\xc3", 3)), "\\x00\\xff\\xc3");
  EXPECT_EQ(printable("\xc0\xaf\xed\xa0\x80"), "\\xc0\\xaf\\xed\\xa0\\x80") << "overlong, surrogate";
}

TEST(Nearest, FindsWhatWasMeant) {
  const std::vector<std::string> known{"memory", "namespace", "clock", "cl"};
  EXPECT_EQ(nearest("memry", known), "memory");
  EXPECT_EQ(nearest("mmeory", known), "memory");
  EXPECT_EQ(nearest("namespaces", known), "namespace");
  EXPECT_EQ(nearest("name", known), "namespace");
  EXPECT_EQ(nearest("lock", known), "clock");
  EXPECT_EQ(nearest("oracle", known), std::nullopt);
  EXPECT_EQ(nearest("", known), std::nullopt);
  EXPECT_EQ(nearest(std::string(100, 'x'), known), std::nullopt);
}

TEST(EditDistance, CountsSwapsAsOne) {
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("ab", ""), 2u);
  EXPECT_EQ(edit_distance("ab", "ba"), 1u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
}

TEST(Enumerate, ReadsAsAPersonWould) {
  EXPECT_EQ(enumerate({}), "none");
  const std::vector<std::string> words{"a", "b", "c"};
  EXPECT_EQ(enumerate(words), "a, b and c");
  EXPECT_EQ(enumerate(std::span(words).first(1)), "a");
}

TEST(Durations, AreReadExactlyAndRoundedUp) {
  EXPECT_EQ(parse_duration("200ms"), 200'000);
  EXPECT_EQ(parse_duration("1.5s"), 1'500'000);
  EXPECT_EQ(parse_duration("3d"), 259'200'000'000);
  EXPECT_EQ(parse_duration("17"), 17);
  EXPECT_EQ(parse_duration("-1.5us"), -1);
  EXPECT_EQ(parse_duration("1.5us"), 2);
  EXPECT_EQ(parse_duration("0.000001ms"), 1);
  EXPECT_EQ(parse_duration("0.1s"), 100'000);
  EXPECT_EQ(parse_duration("9223372036854775807us"), INT64_MAX);
  for (const char* bad : {"", "s", "1", "1.s", ".5s", "1.5", "1 s", "1S", "+1s", "1e3s", "1.2.3s", "--1s", "1ss",
                          "9223372036854775808us", "300000000000d", "0x1s"}) {
    EXPECT_EQ(parse_duration(bad), std::string_view(bad) == "1" ? std::optional<std::int64_t>(1) : std::nullopt) << bad;
  }
}

TEST(Sizes, HaveTwoKindsOfUnits) {
  EXPECT_EQ(parse_size("16MiB"), 16 * 1024 * 1024);
  EXPECT_EQ(parse_size("16MB"), 16'000'000);
  EXPECT_EQ(parse_size("1.5KiB"), 1536);
  EXPECT_EQ(parse_size("0"), 0);
  EXPECT_EQ(parse_size("-1"), std::nullopt);
  EXPECT_EQ(parse_size("1K"), std::nullopt);
  EXPECT_EQ(parse_size("8388608TiB"), std::nullopt);
}

TEST(Units, AreWrittenAsTheyAreRead) {
  for (std::int64_t value : {std::int64_t{0}, std::int64_t{1}, std::int64_t{1500}, std::int64_t{86'400'000'000},
                             std::int64_t{90'000'000}, INT64_MAX}) {
    EXPECT_EQ(parse_duration(duration_text(value)), value);
    EXPECT_EQ(parse_size(size_text(value)), value);
  }
  EXPECT_EQ(duration_text(90'000'000), "90s");
  EXPECT_EQ(size_text(16'777'216), "16MiB");
}

TEST(StrictJson, RefusesWhatHasTwoMeanings) {
  EXPECT_EQ(parse_json(R"({"a": [1, {"a": 2}]})").at("a").as_array().size(), 2u);
  for (const char* bad : {"", "{", "{\"a\":1,\"a\":2}", "[{\"b\":1,\"\\u0062\":2}]", "\"\\ud800\"", "nan", "1 2",
                          "{\"a\":1,}", "[1,2", "\"\xff\""}) {
    EXPECT_THROW(parse_json(bad), BadJson) << bad;
  }
  EXPECT_THROW(parse_json("[[[[1]]]]", 3), BadJson);
}

TEST(StrictJson, SaysWhere) {
  const char* text = "{\n \"a\": 1,\n \"a\": 2}";
  try {
    parse_json(text);
    ADD_FAILURE() << "a duplicate member was taken";
  } catch (const BadJson& bad) {
    EXPECT_EQ(bad.place(text).rfind("line 3", 0), 0u) << bad.place(text);
  }
}

}  // namespace

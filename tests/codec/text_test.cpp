// Bytes, base64, durations and names as the JSON form writes them.
//
// SPDX-License-Identifier: Apache-2.0
#include "codec/text.hpp"

#include <gtest/gtest.h>

#include "codec/op.hpp"

namespace {

using namespace stile::codec;
namespace json = boost::json;

TEST(Utf8, IsStrict) {
  for (std::string_view good : {"", "abc", "ä€𝄞", "\x7f", "\xED\x9F\xBF", "\xEE\x80\x80", "\xF4\x8F\xBF\xBF"})
    EXPECT_TRUE(is_utf8(good)) << good;
  EXPECT_TRUE(is_utf8(std::string_view("a\0b", 3)));
  for (std::string_view bad :
       {"\x80", "\xC3", "\xC0\x80", "\xC1\xBF", "\xE0\x80\x80", "\xED\xA0\x80", "\xF0\x80\x80\x80", "\xF4\x90\x80\x80",
        "\xF5\x80\x80\x80", "\xFF", "abcdefgh\xE2\x82", "abcdefg\xC3(", "\xE2\x28\xA1"})
    EXPECT_FALSE(is_utf8(bad));
}

TEST(Base64, RoundTripsEveryLengthAndByte) {
  std::string bytes;
  for (int i = 0; i < 300; ++i) {
    EXPECT_EQ(from_base64(to_base64(bytes)), bytes);
    bytes += static_cast<char>(i * 7);
  }
  EXPECT_EQ(to_base64("f"), "Zg==");
  EXPECT_EQ(to_base64("fo"), "Zm8=");
  EXPECT_EQ(to_base64("foo"), "Zm9v");
}

TEST(Base64, TakesNothingElse) {
  for (std::string_view bad :
       {"Zg", "Zg=", "Zg===", "=", "====", "Z===", "Zm9v\n", "Zh==", "Zm9=", "Zm 9", "Zg==Zg==", "Zm-_"})
    EXPECT_FALSE(from_base64(bad)) << bad;
}

TEST(Bytes, AreTextWhereTheyCanBe) {
  EXPECT_EQ(json::serialize(bytes_json("ä\n\"")), "\"ä\\n\\\"\"");
  EXPECT_EQ(json::serialize(bytes_json("")), "\"\"");
  EXPECT_EQ(json::serialize(bytes_json("\xFF")), "{\"b64\":\"/w==\"}");
  EXPECT_EQ(bytes_from_json(json::parse("{\"b64\":\"/w==\"}"), "key"), "\xFF");
  EXPECT_EQ(bytes_from_json(json::parse("\"ä\""), "key"), "ä");
}

TEST(Bytes, NameTheMemberThatIsNone) {
  for (const char* bad :
       {"1", "null", "true", "[]", "{}", "{\"b64\":1}", "{\"b64\":\"\",\"x\":1}", "{\"b64\":\"Z\"}"}) {
    try {
      bytes_from_json(json::parse(bad), "key");
      ADD_FAILURE() << bad;
    } catch (const BadRequest& refused) {
      EXPECT_EQ(refused.status, stile::Status::invalid);
      EXPECT_EQ(refused.text.substr(0, 3), "key") << refused.text;
    }
  }
}

TEST(Duration, IsExactAndRoundedUp) {
  const std::pair<const char*, std::int64_t> good[] = {{"\"200ms\"", 200'000},
                                                       {"\"1.5s\"", 1'500'000},
                                                       {"\"3d\"", 259'200'000'000},
                                                       {"\"0s\"", 0},
                                                       {"7", 7},
                                                       {"-5", -5},
                                                       {"\"-2m\"", -120'000'000},
                                                       {"\"1.1us\"", 2},
                                                       {"\"-1.9us\"", -1},
                                                       {"\"0.1h\"", 360'000'000},
                                                       {"1e3", 1000},
                                                       {"\"0.0000001s\"", 1}};
  for (const auto& [text, microseconds] : good)
    EXPECT_EQ(duration_from_json(json::parse(text), "ttl"), microseconds) << text;
}

TEST(Duration, RefusesOtherForms) {
  for (const char* bad :
       {"1.5", "null", "true", "\"\"", "\"5\"", "\"s\"", "\"1 s\"", "\" 1s\"", "\"1.s\"", "\".5s\"", "\"1S\"",
        "\"+1s\"", "\"--1s\"", "\"1h30m\"", "\"9999999999999d\"", "18446744073709551615", "1e300", "{}"})
    EXPECT_THROW(duration_from_json(json::parse(bad), "ttl"), BadRequest) << bad;
}

TEST(State, HasNames) {
  for (std::uint32_t state = 1; state <= STILE_STATE_REQUEUED; ++state)
    EXPECT_EQ(state_from_name(state_name(state)), state);
  EXPECT_EQ(state_name(STILE_STATE_IN_FLIGHT), "in_flight");
  EXPECT_EQ(state_name(77), "state 77");
  EXPECT_EQ(state_from_name(""), 0u);
}

}  // namespace

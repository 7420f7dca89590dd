// Config strings taken apart and put together again; what a wrong one is answered.
//
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "stile/config.hpp"
#include "stile/types.hpp"

namespace {

using stile::Config;
using stile::Host;

// The error that a text is refused with; empty when it is taken.
std::string parse_refusal(std::string_view text) {
  try {
    Config::parse(text);
    return {};
  } catch (const stile::Error& error) {
    EXPECT_EQ(error.status(), stile::Status::invalid);
    return error.what();
  }
}

TEST(Parse, SchemeAlone) {
  Config config = Config::parse("memory:");
  EXPECT_EQ(config.scheme, "memory");
  EXPECT_FALSE(config.authority);
  EXPECT_TRUE(config.hosts.empty());
  EXPECT_TRUE(config.path.empty());
}

TEST(Parse, SharedName) {
  Config config = Config::parse("memory://shared-name");
  EXPECT_EQ(config.hosts, (std::vector<Host>{{"shared-name", ""}}));
  EXPECT_TRUE(config.path.empty());
}

TEST(Parse, FilePaths) {
  EXPECT_EQ(Config::parse("file:jobs.db").path, "jobs.db");
  EXPECT_EQ(Config::parse("file:/var/lib/jobs.db").path, "/var/lib/jobs.db");
  EXPECT_EQ(Config::parse("file:///var/lib/jobs.db").path, "/var/lib/jobs.db");
  EXPECT_EQ(Config::parse("file:a:b@c,d#e.db").path, "a:b@c,d#e.db");
  EXPECT_EQ(Config::parse("file:a b%20%c3%bc%3f.db").path, "a b \u00fc?.db");
  EXPECT_EQ(Config::parse("file:\u00fcber/\u65e5\u672c.db").path, "\u00fcber/\u65e5\u672c.db");
}

TEST(Parse, EverythingAtOnce) {
  Config config = Config::parse(
      "chaos+trace+pg://us%65r:s%40c%3Aret@[::1]:5432,b.example:5433,%2Frun%2Fpg/data/base?namespace=or%00ders&"
      "prepare=never&plugin=pg2&sslmode=verify-full&chaos.lose_reply=0.1");
  EXPECT_EQ(config.layers, (std::vector<std::string>{"chaos", "trace"}));
  EXPECT_EQ(config.scheme, "pg");
  EXPECT_EQ(config.user, "user");
  EXPECT_EQ(config.secret, "s@c:ret");
  EXPECT_EQ(config.hosts, (std::vector<Host>{{"::1", "5432"}, {"b.example", "5433"}, {"/run/pg", ""}}));
  EXPECT_EQ(config.path, "/data/base");
  EXPECT_EQ(config.ns, std::string("or\0ders", 7));
  EXPECT_EQ(config.prepare, "never");
  EXPECT_EQ(config.plugin, "pg2");
  EXPECT_EQ(config.options,
            (std::vector<stile::ConfigOption>{{"sslmode", "verify-full"}, {"chaos.lose_reply", "0.1"}}));
}

TEST(Parse, UserWithoutHost) {
  Config config = Config::parse("pg://me@/db");
  EXPECT_EQ(config.user, "me");
  EXPECT_FALSE(config.secret);
  EXPECT_TRUE(config.hosts.empty());
  EXPECT_EQ(config.path, "/db");
}

TEST(Parse, EmptySecretIsOne) { EXPECT_EQ(Config::parse("pg://me:@h/").secret, ""); }

TEST(Parse, AtSignInSecret) { EXPECT_EQ(Config::parse("pg://me:p@ss@h/").secret, "p@ss"); }

TEST(Parse, ZonedAddress) { EXPECT_EQ(Config::parse("r://[fe80::1%25eth0]:6379").hosts[0].name, "fe80::1%eth0"); }

TEST(Parse, OptionsKeepTheirBytes) {
  Config config = Config::parse("x:p?a=1+1&b=a=b&c=%26&d=&e=/?:@");
  EXPECT_EQ(config.options,
            (std::vector<stile::ConfigOption>{{"a", "1+1"}, {"b", "a=b"}, {"c", "&"}, {"d", ""}, {"e", "/?:@"}}));
  EXPECT_TRUE(Config::parse("x:p?").options.empty());
}

struct BadText {
  std::string text, column, says;
};

class Refused : public testing::TestWithParam<BadText> {};

TEST_P(Refused, NamesColumnAndFault) {
  std::string said = parse_refusal(GetParam().text);
  EXPECT_NE(said.find("column " + GetParam().column + ":"), std::string::npos) << said;
  EXPECT_NE(said.find(GetParam().says), std::string::npos) << said;
}

INSTANTIATE_TEST_SUITE_P(
    Parse, Refused,
    testing::Values(BadText{"", "1", "empty"}, BadText{"jobs.db", "1", "no scheme"},
                    BadText{"/var/jobs.db", "1", "no scheme"}, BadText{":x", "1", "a scheme is missing"},
                    BadText{"chaos+:", "7", "a scheme is missing"}, BadText{"+x:", "1", "a scheme is missing"},
                    BadText{"Memory:", "1", "lower case"}, BadText{"9x:", "1", "a scheme is"},
                    BadText{"a_b:", "1", "a scheme is"}, BadText{std::string(65, 'a') + ":", "1", "at most 64"},
                    BadText{"x:a%2", "4", "two hexadecimal"}, BadText{"x:%zz", "3", "two hexadecimal"},
                    BadText{"x:%", "3", "%25"}, BadText{"x:%00", "3", "zero byte"},
                    BadText{"x:p?a=%00", "7", "zero byte"}, BadText{"x:a\nb", "4", "%0A"},
                    BadText{"x:a\x7f", "4", "%7F"}, BadText{"x://h:0", "7", "1 to 65535"},
                    BadText{"x://h:65536", "7", "1 to 65535"}, BadText{"x://h:", "7", "1 to 65535"},
                    BadText{"x://h:12a/", "7", "1 to 65535"}, BadText{"x://::1", "5", "a host is missing"},
                    BadText{"x://fe80::1", "10", "brackets"}, BadText{"x://[::1", "5", "closing ]"},
                    BadText{"x://[1.2.3.4]", "6", "IPv6"}, BadText{"x://[::1]6379", "10", "after ]"},
                    BadText{"x://[::1]:", "11", "1 to 65535"}, BadText{"x://[fe80::1%25]", "6", "IPv6"},
                    BadText{"x://a,,b", "7", "a host is missing"}, BadText{"x://a,", "7", "after the comma"},
                    BadText{"x://u:pa/ss@h/db", "7", "%2F"}, BadText{"x:p?a", "5", "has no value"},
                    BadText{"x:p?=1", "5", "an option is missing"}, BadText{"x:p?a=1&", "9", "after the &"},
                    BadText{"x:p?a=1&&b=2", "9", "an option is missing"}, BadText{"x:p?a=1&a=2", "9", "second time"},
                    BadText{"x:p?1a=1", "5", "name of an option"}, BadText{"x:p?a%20=1", "5", "name of an option"},
                    BadText{"x:p?namespace=", "15", "1 to 128 bytes"},
                    BadText{"x:p?namespace=" + std::string(129, 'n'), "15", "129 bytes"},
                    BadText{"x:p?prepare=maybe", "13", "auto, check or never"},
                    BadText{"x:p?plugin=/tmp/x.so", "12", "never a file"}, BadText{"x:p?plugin=", "12", "never a file"},
                    BadText{"x:p?chaos.seed=1", "5", "chaos+x:"},
                    BadText{"chaos+x:p?choas.seed=1", "11", "did you mean chaos.seed"}));

TEST(Parse, LongestNamespace) { EXPECT_EQ(Config::parse("x:?namespace=" + std::string(128, 'n')).ns.size(), 128u); }

TEST(Redacted, HidesTheSecretAndWhatSoundsLikeOne) {
  Config config = Config::parse(
      "pg://u:hush@h/db?password=hush&SSLPASSWORD=hush&auth_token=hush&mode=fast&pin=hush&tls_key=hush&pwd=hush");
  std::string shown = config.redacted();
  EXPECT_EQ(shown,
            "pg://u:***@h/db?password=***&SSLPASSWORD=***&auth_token=***&mode=fast&pin=hush&tls_key=***&pwd=***");
  const std::vector<std::string> secret{"pin"};
  EXPECT_EQ(config.redacted(secret).find("hush"), std::string::npos);
}

// A struct, since the names of string parameters would be printed, and brackets in them split the list of tests.
struct Broken {
  std::string text;
};
class HidesSecrets : public testing::TestWithParam<Broken> {};

TEST_P(HidesSecrets, InTheErrorOfABrokenString) {
  std::string said = parse_refusal(GetParam().text);
  EXPECT_FALSE(said.empty());
  EXPECT_EQ(said.find("hush"), std::string::npos) << said;
}

INSTANTIATE_TEST_SUITE_P(
    Parse, HidesSecrets,
    testing::Values(Broken{"pg://u:hush@h:x/db"}, Broken{"pg://u:hush/hush@h/db"}, Broken{"pg://u:hush"},
                    Broken{"pg://u:hush/db"}, Broken{"pg://u:a:hush/db?x"}, Broken{"Pg://u:hush@h"},
                    Broken{"x:p?password=hush&y"}, Broken{"x:p?token=hush%zz"}, Broken{"pg://u:%hush@h"},
                    Broken{"pg://hush:hush@[::1/db?password=hush"}, Broken{"user=u password=hush host=h"},
                    Broken{"user=u password = 'x hush' host=h"}, Broken{"passfile=/hush sslpassword=hush"},
                    Broken{"a//u:hush@h"}, Broken{"hush"}, Broken{"hush@h"}, Broken{"hush:@h\n"}, Broken{"hush/hush=="},
                    Broken{"/hush@h"}, Broken{"u:hush@h\n"}, Broken{"x:p?tls_key=hush&y"},
                    Broken{"x:p?a=1&tls_key=a&hush"}, Broken{"pg://u:1?hush&a=1@h"},
                    Broken{"x:p?token=1&hush=2&hush=3"}, Broken{"pg://u:1?hush.a=1@h"}, Broken{"@u:hush@h"}));

// What a text may still say of itself, so that one can tell which of several it was.
TEST(Unread, SaysItsSchemeAndLength) {
  EXPECT_NE(parse_refusal("x:p?a").find("(x:..., 5 bytes)"), std::string::npos) << parse_refusal("x:p?a");
  EXPECT_NE(parse_refusal("Pg://u:s@h").find("(Pg:..., 10 bytes)"), std::string::npos) << parse_refusal("Pg://u:s@h");
  EXPECT_NE(parse_refusal("u:s@h\n").find("(6 bytes)"), std::string::npos) << parse_refusal("u:s@h\n");
  EXPECT_NE(parse_refusal("x:p?a").find("the option a has no value: write a=..."), std::string::npos);
}

struct Shown {
  std::string text, redacted;
};
class Misread : public testing::TestWithParam<Shown> {};

// A string can be well formed and yet hold a secret where it was not meant to stand.
TEST_P(Misread, IsRedacted) { EXPECT_EQ(Config::parse(GetParam().text).redacted(), GetParam().redacted); }

INSTANTIATE_TEST_SUITE_P(
    Parse, Misread,
    testing::Values(Shown{"pg:u:hush@h/db", "pg:***@h/db"}, Shown{"pg:hush@h", "pg:***@h"},
                    Shown{"pg:user=u password=hush host=h", "pg:user=u%20password=***"},
                    Shown{"pg://user=u password=hush host=h/db", "pg://user=u%20password=***/db"},
                    Shown{"pg://pwd=hush@h/db", "pg://pwd=***@h/db"}, Shown{"pg://u:1/hush@h/db", "pg://***"},
                    Shown{"pg://u:a@b/hush@h/db", "pg://***"}, Shown{"pg://u:1?hush=2@h/db", "pg://***"},
                    Shown{"pg://u:hush@h:1/db?mail=a@b", "pg://u:***@h:1/db?mail=a@b"},
                    Shown{"pg://h/db?url=pg://u:hush@h/", "pg://h/db?url=***@h/"},
                    Shown{"pg://h/db?options=-c password=hush", "pg://h/db?options=-c%20password=***"},
                    Shown{"pg://h/db?namespace=u:hush@h", "pg://h/db?namespace=***@h"},
                    Shown{"file:///var/a.db", "file:///var/a.db"}, Shown{"file:///hush@b/a.db", "file://***@b/a.db"}));

TEST(Print, IsReadable) {
  for (const char* text : {"memory:", "memory://name", "file:jobs.db?namespace=orders", "file:/var/\u00fc.db",
                           "chaos+pg://u:s@[::1]:5432,b/db?prepare=auto&x=1", "pg://u@/db", "x:///abs"}) {
    EXPECT_EQ(Config::parse(text).text(), text);
  }
}

TEST(Print, EscapesWhatWouldMeanSomethingElse) {
  Config config;
  config.scheme = "x";
  config.path = "//a?b%c\n\xff\u200b";
  EXPECT_EQ(config.text(), "x:%2F/a%3Fb%25c%0A%FF%E2%80%8B");
  EXPECT_EQ(Config::parse(config.text()), config);
}

TEST(Read, DashStandsForTheEnvironment) {
  setenv("STILE_STORE", "memory:?namespace=n", 1);
  EXPECT_EQ(Config::read("-").ns, "n");
  setenv("STILE_STORE", "-", 1);
  EXPECT_THROW(Config::read("-"), stile::Error);
  unsetenv("STILE_STORE");
  try {
    Config::read("-");
    ADD_FAILURE() << "taken although STILE_STORE is not set";
  } catch (const stile::Error& error) {
    EXPECT_NE(std::string(error.what()).find("STILE_STORE"), std::string::npos);
  }
}

}  // namespace

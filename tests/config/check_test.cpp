// Options judged by the tables of a plugin, and what the plugin is given.
//
// SPDX-License-Identifier: Apache-2.0
#include "config/check.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "stile/types.hpp"

namespace {

using stile::Config;
using stile::config::Checked;
using stile::config::Rules;

stile_option option(const char* name, std::uint32_t type, std::uint32_t flags = 0, const char* otherwise = "",
                    const char* allowed = "", std::int64_t min = 0, std::int64_t max = 0) {
  auto text = [](const char* word) { return stile_text{word, std::char_traits<char>::length(word)}; };
  return {sizeof(stile_option), type, flags, 0, text(name), text(otherwise), text(allowed), text("its help"), min, max};
}

const stile_option sync = option("sync", STILE_OPTION_BOOL);
const stile_option limit = option("limit", STILE_OPTION_INTEGER, 0, "5", "", -3, 10);
const stile_option wait_time = option("wait", STILE_OPTION_DURATION, 0, "200ms", "", 1000, 60'000'000);
const stile_option cache = option("cache", STILE_OPTION_SIZE, 0, "", "", 0, 1 << 30);
const stile_option label = option("label", STILE_OPTION_TEXT);
const stile_option clock_kind = option("clock", STILE_OPTION_CHOICE, 0, "system", "system|manual");
const stile_option key = option("key", STILE_OPTION_TEXT, STILE_OPTION_SECRET);
const stile_option pin = option("pin", STILE_OPTION_INTEGER, STILE_OPTION_SECRET, "", "", 1, 9);
const stile_option old = option("old", STILE_OPTION_TEXT, STILE_OPTION_DEPRECATED);
const stile_option must = option("must", STILE_OPTION_TEXT, STILE_OPTION_REQUIRED);
const stile_option* const table[] = {&sync, &limit, &wait_time, &cache, &label, &clock_kind, &key, &pin, &old};
const stile_option* const strict[] = {&must};

Rules rules() { return {"toy", table, false, false, false, "prog"}; }

std::map<std::string, std::string> pairs(const stile_pair* first, std::uint64_t count) {
  std::map<std::string, std::string> out;
  for (std::uint64_t i = 0; i < count; ++i) {
    out[std::string(first[i].key.ptr, first[i].key.len)] = std::string(first[i].value.ptr, first[i].value.len);
  }
  return out;
}

std::map<std::string, std::string> given(const std::string& text, const Rules& by = rules()) {
  auto checked = Checked::check(Config::parse(text), by);
  return pairs(checked->view().options, checked->view().n_options);
}

std::string check_refusal(const std::string& text, const Rules& by = rules()) {
  try {
    Checked::check(Config::parse(text), by);
    return {};
  } catch (const stile::Error& error) {
    EXPECT_EQ(error.status(), stile::Status::invalid);
    return error.what();
  }
}

bool says(const std::string& text, const std::string& what) {
  bool found = text.find(what) != std::string::npos;
  EXPECT_TRUE(found) << "\"" << text << "\" does not say \"" << what << "\"";
  return found;
}

TEST(Check, DefaultsAreFilledIn) {
  auto options = given("x:");
  EXPECT_EQ(options, (std::map<std::string, std::string>{
                         {"limit", "5"}, {"wait", "200000"}, {"clock", "system"}, {"prepare", "auto"}}));
}

TEST(Check, ValuesAreMadeUniform) {
  auto options = given("x:?wait=1.5s&cache=16MiB&limit=-3&sync=true&label=%20&clock=manual");
  EXPECT_EQ(options["wait"], "1500000");
  EXPECT_EQ(options["cache"], "16777216");
  EXPECT_EQ(options["limit"], "-3");
  EXPECT_EQ(options["sync"], "true");
  EXPECT_EQ(options["label"], " ");
  EXPECT_EQ(options["clock"], "manual");
}

TEST(Check, WrongValuesSayWhatIsAllowed) {
  says(check_refusal("x:?sync=yes"), "sync takes true or false, not \"yes\"");
  says(check_refusal("x:?limit=11"), "limit takes a whole number from -3 to 10, not \"11\"");
  says(check_refusal("x:?limit=1.5"), "a whole number");
  says(check_refusal("x:?limit="), "a whole number");
  says(check_refusal("x:?wait=999us"), "from 1ms to 1m, not \"999us\"");
  says(check_refusal("x:?wait=2m"), "from 1ms to 1m");
  says(check_refusal("x:?wait=soon"), "a duration such as 200ms");
  says(check_refusal("x:?cache=2GiB"), "from 0 to 1GiB");
  says(check_refusal("x:?cache=many"), "a size such as");
  says(check_refusal("x:?clock=manuel"), "one of system and manual, not \"manuel\": did you mean manual?");
}

TEST(Check, UnknownOptionNamesTheNearest) {
  says(check_refusal("x:?clok=manual"), "toy has no option clok: did you mean clock?");
  says(check_refusal("x:?namespcae=n"), "did you mean namespace?");
  std::string far = check_refusal("x:?zzzzz=1");
  says(far, "toy has no option zzzzz (its options: namespace, prepare, plugin, sync,");
  EXPECT_EQ(far.find("did you mean"), std::string::npos);
}

TEST(Check, UnknownOptionsPassThroughWhereThePluginAsks) {
  Rules by = rules();
  by.passthrough = true;
  auto checked = Checked::check(Config::parse("x:?sslmode=on&limit=1"), by);
  EXPECT_EQ(pairs(checked->view().passthrough, checked->view().n_passthrough),
            (std::map<std::string, std::string>{{"sslmode", "on"}}));
  EXPECT_EQ(pairs(checked->view().options, checked->view().n_options).count("sslmode"), 0u);
}

TEST(Check, OptionsOfLayersAreNotThePlugins) { EXPECT_EQ(given("chaos+x:?chaos.seed=1").count("chaos.seed"), 0u); }

TEST(Check, SecretsAreNeverShown) {
  auto checked = Checked::check(Config::parse("x://u:hush@h?key=hush"), rules());
  EXPECT_EQ(checked->redacted(), "x://u:***@h?key=***");
  std::string said = check_refusal("x:?pin=1234");
  says(said, "pin takes a whole number from 1 to 9, not what is given");
  EXPECT_EQ(said.find("1234"), std::string::npos);
  EXPECT_EQ(check_refusal("x:?tls_key=hush").find("hush"), std::string::npos);
  EXPECT_EQ(check_refusal("x:?clock=pg://u:hush@h").find("hush"), std::string::npos);
  EXPECT_EQ(check_refusal("x:?limit=password=hush").find("hush"), std::string::npos);
}

TEST(Check, DeprecatedIsWarnedAboutOnce) {
  auto checked = Checked::check(Config::parse("x:?old=1"), rules());
  ASSERT_EQ(checked->warnings().size(), 1u);
  says(checked->warnings()[0], "old is deprecated: its help");
}

TEST(Check, RequiredOption) {
  Rules by = rules();
  by.options = strict;
  says(check_refusal("x:", by), "toy needs the option must: its help");
  EXPECT_EQ(given("x:?must=1", by)["must"], "1");
}

TEST(Check, RequiredNamespaceSuggestsTheProgram) {
  Rules by = rules();
  by.namespace_required = true;
  says(check_refusal("x://h/p", by), "add ?namespace=prog");
  says(check_refusal("x://h/p?limit=1", by), "add &namespace=prog");
  by.program = "a b";
  says(check_refusal("x://h/p", by), "add ?namespace=stile");
  auto checked = Checked::check(Config::parse("x://h/p?namespace=a%00b"), by);
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(checked->view().ns.ptr), checked->view().ns.len),
            std::string("a\0b", 3));
}

TEST(Check, PrepareDefaultsAsThePluginSays) {
  EXPECT_EQ(given("x:")["prepare"], "auto");
  Rules by = rules();
  by.prepare_check = true;
  EXPECT_EQ(given("x:", by)["prepare"], "check");
  EXPECT_EQ(given("x:?prepare=never", by)["prepare"], "never");
}

TEST(Check, PathsAsThePluginSeesThem) {
  auto path = [](const std::string& text, bool server) {
    Rules by = rules();
    by.namespace_required = server;
    auto checked = Checked::check(Config::parse(text + (server ? "?namespace=n" : "")), by);
    return std::string(reinterpret_cast<const char*>(checked->view().path.ptr), checked->view().path.len);
  };
  EXPECT_EQ(path("x:a.db", false), "a.db");
  EXPECT_EQ(path("x:/a.db", false), "/a.db");
  EXPECT_EQ(path("x:///a.db", false), "/a.db");
  EXPECT_EQ(path("x://h/db", false), "db");
  EXPECT_EQ(path("x://h//db", false), "/db");
  EXPECT_EQ(path("x:///db", true), "db");
  EXPECT_EQ(path("x://u@/db", true), "db");
  EXPECT_EQ(path("x://h", true), "");
}

TEST(Check, HostsAndUserArrive) {
  auto checked = Checked::check(Config::parse("x://u:s@[::1]:1,%2Frun/p"), rules());
  const stile_config& view = checked->view();
  EXPECT_EQ(view.struct_size, sizeof(stile_config));
  ASSERT_EQ(view.n_hosts, 2u);
  EXPECT_EQ(std::string(view.hosts[0].key.ptr, view.hosts[0].key.len), "::1");
  EXPECT_EQ(std::string(view.hosts[0].value.ptr, view.hosts[0].value.len), "1");
  EXPECT_EQ(std::string(view.hosts[1].key.ptr, view.hosts[1].key.len), "/run");
  EXPECT_EQ(std::string(view.user.ptr, view.user.len), "u");
  EXPECT_EQ(std::string(view.secret.ptr, view.secret.len), "s");
}

}  // namespace

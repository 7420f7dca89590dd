// The JSON form of a config.
//
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "stile/config.hpp"
#include "stile/types.hpp"

namespace {

using stile::Config;
namespace fs = std::filesystem;

std::string json_refusal(const std::string& text) {
  try {
    Config::from_json(text, "f.json");
    return {};
  } catch (const stile::Error& error) {
    EXPECT_EQ(error.status(), stile::Status::invalid);
    std::string said = error.what();
    EXPECT_EQ(said.rfind("config file f.json: ", 0), 0u) << said;
    return said;
  }
}

// A folder of its own for one test.
class Folder {
 public:
  Folder() {
    std::string pattern = (fs::temp_directory_path() / "stile-config-XXXXXX").native();
    path_ = mkdtemp(pattern.data());
  }
  ~Folder() { fs::remove_all(path_); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
    return (path_ / name).native();
  }

 private:
  fs::path path_;
};

TEST(Json, EveryMember) {
  Config config = Config::from_json(R"({
    "scheme": "pg", "layers": ["chaos"], "user": "u", "secret": "s@/",
    "hosts": ["a:1", "[::1]:2", "b", {"host": "/run/x y", "port": 3}, {"host": "c", "port": "4"}],
    "path": "db", "namespace": "or\u0000ders", "prepare": "check", "plugin": "pg2",
    "options": {"text": "t", "number": 5, "half": 0.1, "yes": true, "chaos": {"lose_reply": 0.25}}})",
                                    "f.json");
  EXPECT_EQ(config.text(),
            "chaos+pg://u:s%40%2F@a:1,[::1]:2,b,%2Frun%2Fx%20y:3,c:4/db?namespace=or%00ders&prepare=check&plugin=pg2&"
            "text=t&number=5&half=0.1&yes=true&chaos.lose_reply=0.25");
  EXPECT_EQ(Config::parse(config.text()), config);
}

TEST(Json, CompletesAConfigString) {
  Config config = Config::from_json(
      R"({"config": "pg://u@h/db?a=1&b=2", "secret": "s", "namespace": "n", "options": {"b": "3", "c": "4"}})", "f");
  EXPECT_EQ(config.text(), "pg://u:s@h/db?namespace=n&a=1&b=3&c=4");
}

TEST(Json, PlainPathNeedsNoSlashes) {
  EXPECT_EQ(Config::from_json(R"({"scheme": "file", "path": "/var/a b.db"})", "f").text(), "file:/var/a%20b.db");
}

TEST(Json, SecretsFromElsewhere) {
  Folder folder;
  folder.write("secret", "hush\n");
  std::string file = folder.write("c.json", R"({"scheme": "pg", "secret_file": "secret"})");
  EXPECT_EQ(Config::read("@" + file).secret, "hush");
  setenv("STILE_TEST_SECRET", "hush2", 1);
  EXPECT_EQ(Config::from_json(R"({"scheme": "pg", "secret_env": "STILE_TEST_SECRET"})", "f").secret, "hush2");
  unsetenv("STILE_TEST_SECRET");
  EXPECT_NE(json_refusal(R"({"scheme": "pg", "secret_env": "STILE_TEST_SECRET"})").find("not set"), std::string::npos);
  EXPECT_NE(json_refusal(R"({"scheme": "pg", "secret_file": "none"})").find("No such file"), std::string::npos);
}

struct BadJson {
  std::string text, says;
};
class JsonRefused : public testing::TestWithParam<BadJson> {};

TEST_P(JsonRefused, NamesThePlace) {
  std::string said = json_refusal(GetParam().text);
  EXPECT_NE(said.find(GetParam().says), std::string::npos) << said;
}

INSTANTIATE_TEST_SUITE_P(
    Json, JsonRefused,
    testing::Values(BadJson{"", "line 1, column 1"}, BadJson{"[]", "one JSON object"},
                    BadJson{"{}", "\"config\" and \"scheme\""}, BadJson{"{\n  \"scheme\": x}", "line 2, column 1"},
                    BadJson{"{\"scheme\": \"a\"} x", "line 1"},
                    BadJson{"{\"scheme\": \"a\", \"scheme\": \"b\"}", "\"scheme\" stands here twice"},
                    BadJson{"{\"scheme\": \"a\", \"options\": {\"x\": 1, \"x\": 2}}", "\"x\" stands here twice"},
                    BadJson{"{\"scheme\": \"A\"}", "member \"scheme\""}, BadJson{"{\"scheme\": 1}", "is a string"},
                    BadJson{"{\"shceme\": \"a\"}", "did you mean \"scheme\""},
                    BadJson{"{\"scheme\": \"a\", \"zz\": 1}", "\"zz\": is unknown"},
                    BadJson{"{\"config\": \"@other.json\"}", "not a file"},
                    BadJson{"{\"config\": \"x://h:x\"}", "column 7"},
                    BadJson{"{\"scheme\": \"a\", \"hosts\": \"h\"}", "is an array"},
                    BadJson{"{\"scheme\": \"a\", \"hosts\": [\"h:0\"]}", "1 to 65535"},
                    BadJson{"{\"scheme\": \"a\", \"hosts\": [\"::1\"]}", "a host is missing"},
                    BadJson{"{\"scheme\": \"a\", \"hosts\": [\"[::1\"]}", "closing ]"},
                    BadJson{"{\"scheme\": \"a\", \"hosts\": [{\"port\": 1}]}", "a host is missing"},
                    BadJson{"{\"scheme\": \"a\", \"hosts\": [{\"host\": \"h\", \"port\": 70000}]}", "1 to 65535"},
                    BadJson{"{\"scheme\": \"a\", \"hosts\": [{\"host\": \"h\", \"prot\": 1}]}", "not \"prot\""},
                    BadJson{"{\"scheme\": \"a\", \"namespace\": \"\"}", "1 to 128 bytes"},
                    BadJson{"{\"scheme\": \"a\", \"prepare\": \"x\"}", "auto, check or never"},
                    BadJson{"{\"scheme\": \"a\", \"plugin\": \"/x.so\"}", "never a file"},
                    BadJson{"{\"scheme\": \"a\", \"path\": \"a\\u0000\"}", "zero byte"},
                    BadJson{"{\"scheme\": \"a\", \"options\": {\"chaos\": {\"seed\": 1}}}", "not in layers"},
                    BadJson{"{\"scheme\": \"a\", \"options\": {\"namespace\": \"n\"}}", "beside options"},
                    BadJson{"{\"scheme\": \"a\", \"options\": {\"x\": null}}", "a string, a number, true or false"},
                    BadJson{"{\"scheme\": \"a\", \"options\": {\"x y\": 1}}", "no name of an option"},
                    BadJson{"{\"scheme\": \"a\", \"layers\": [\"B\"]}", "names of layers"},
                    BadJson{"{\"scheme\": \"a\", \"secret\": \"s\", \"secret_file\": \"f\"}", "only one of"},
                    BadJson{"{\"scheme\": \"\xff\"}", "line 1"}));

struct Hush {
  std::string text;
};
class JsonHides : public testing::TestWithParam<Hush> {};

TEST_P(JsonHides, WhatCouldBeASecret) {
  std::string said = json_refusal(GetParam().text);
  EXPECT_FALSE(said.empty());
  EXPECT_EQ(said.find("hush"), std::string::npos) << said;
}

INSTANTIATE_TEST_SUITE_P(Json, JsonHides,
                         testing::Values(Hush{R"({"config": "user=u password=hush host=h"})"},
                                         Hush{R"({"config": "a//u:hush@h"})"}, Hush{R"({"config": "pg://u:hush"})"},
                                         Hush{R"({"u:hush@h": 1})"}, Hush{R"({"scheme": "u:hush@h"})"},
                                         Hush{R"({"scheme": "a", "password=hush": 1})"},
                                         Hush{R"({"u:hush@h": 1, "u:hush@h": 1})"},
                                         Hush{R"({"scheme": "a", "options": {"tls_key=hush": 1}})"},
                                         Hush{R"({"scheme": "a", "options": {"tls_key": ["hush"]}})"},
                                         Hush{R"({"scheme": "a", "hosts": ["u:hush@h"]})"},
                                         Hush{R"({"scheme": "a", "hosts": [{"u:hush@h": 1}]})"},
                                         Hush{R"({"scheme": "a", "secret_env": "hush"})"},
                                         Hush{R"({"scheme": "a", "secret_file": "/hush/hush"})"},
                                         Hush{"user=u password=hush"}, Hush{R"({"scheme": "pg", "secret": hush})"}));

TEST(Json, RedactedAsAConfigStringIs) {
  Config config = Config::from_json(
      R"({"scheme": "pg", "user": "u", "secret": "hush", "hosts": ["h"], "path": "db",
          "options": {"tls_key": "hush", "client_auth": "hush", "a": {"pwd": "hush"}}, "layers": ["a"]})",
      "f");
  EXPECT_EQ(config.redacted(), "a+pg://u:***@h/db?tls_key=***&client_auth=***&a.pwd=***");
}

TEST(Json, FilesThatCannotBeRead) {
  Folder folder;
  for (const std::string& file : {std::string("/nonexistent/c.json"), fs::temp_directory_path().native()}) {
    EXPECT_THROW(Config::read("@" + file), stile::Error) << file;
  }
  std::string large = folder.write("large.json", std::string(1024 * 1024 + 1, ' '));
  try {
    Config::read("@" + large);
    ADD_FAILURE() << "a file over the limit was taken";
  } catch (const stile::Error& error) {
    EXPECT_NE(std::string(error.what()).find("larger than"), std::string::npos);
  }
}

TEST(Json, DepthIsBounded) {
  std::string deep = R"({"scheme": )";
  for (int i = 0; i < 10'000; ++i) deep += '[';
  EXPECT_FALSE(json_refusal(deep).empty());
}

}  // namespace

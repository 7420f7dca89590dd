// From a script to a history.
//
// SPDX-License-Identifier: Apache-2.0
#include "script.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <sstream>

namespace stile::conformance::judge {
namespace {

std::string line(const std::string& client, int call, const std::string& place, const std::string& when,
                 const std::string& moment, const std::string& object) {
  return "{\"client\":\"" + client + "\",\"call\":" + std::to_string(call) + ",\"place\":" + place + ",\"" + when +
         "\":" + moment + "," + object.substr(1) + "\n";
}

}  // namespace

std::string lines_of(std::string_view script) {
  std::istringstream in{std::string(script)};
  std::map<std::string, int> calls;
  std::string out;
  for (std::string text; std::getline(in, text);) {
    std::istringstream words(text);
    std::string client, invoke, end, rest;
    if (!(words >> client >> invoke >> end)) continue;
    std::getline(words >> std::ws, rest);
    std::string place = "0";
    if (auto slash = client.find('/'); slash != std::string::npos) {
      place = client.substr(slash + 1);
      client.resize(slash);
    } else {
      ++calls[client];
    }
    auto arrow = rest.find(" -> ");
    out += line(client, calls[client], place, "invoke", invoke, rest.substr(0, arrow));
    if (arrow != std::string::npos) out += line(client, calls[client], place, "return", end, rest.substr(arrow + 4));
  }
  return out;
}

std::string judged(std::string_view script, const Options& options) {
  History history = history_from(lines_of(script));
  Verdict verdict = judge(history, options);
  std::string ids;
  std::set<std::string> said;
  for (const Finding& finding : verdict.findings) {
    EXPECT_FALSE(finding.what.empty());
    if (said.insert(finding.ids).second) ids += (ids.empty() ? "" : ", ") + finding.ids;
  }
  EXPECT_EQ(verdict_json(verdict, history).at("accepted").as_bool(), ids.empty());
  EXPECT_FALSE(verdict_text(verdict, history).empty());
  return ids;
}

std::string passed(std::string_view script) {
  Options options;
  options.search = false;
  return judged(script, options);
}

std::string searched(std::string_view script) {
  Options options;
  options.passes = false;
  return judged(script, options);
}

}  // namespace stile::conformance::judge

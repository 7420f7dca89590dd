// Which checks are asked for, and the list of them.
//
// SPDX-License-Identifier: Apache-2.0
#include "runner/choice.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json.hpp>
#include <set>

#include "runner/explained.hpp"
#include "runner/registry.hpp"

namespace stile::conformance {
namespace {

/// `lease.free_is_granted`, with dashes too; `lease.*`; `A4`, of the levels asked for.
bool matches(const Check& check, std::string wanted, int level) {
  for (const std::string& id : check.ids)
    if (id == wanted) return check.level <= level;
  std::replace(wanted.begin(), wanted.end(), '-', '_');
  std::string name = check.suite + "." + check.name;
  std::size_t star = wanted.find('*');
  if (star == std::string::npos) return name == wanted || check.suite == wanted;
  return name.starts_with(wanted.substr(0, star)) && name.ends_with(wanted.substr(star + 1));
}

}  // namespace

bool choose(const Options& options, std::vector<const Check*>& chosen) {
  std::set<std::string> fitting;
  for (const auto& check : all_checks()) {
    bool wanted = options.only.empty() && check->level <= options.level;
    for (const std::string& one : options.only)
      if (matches(*check, one, options.level)) wanted = true, fitting.insert(one);
    if (wanted) chosen.push_back(check.get());
  }
  for (const std::string& one : options.only)
    if (fitting.count(one) == 0) {
      const std::string near = meant(one);
      complain(options, "--only " + one + ": no contract id and no case is called so; " +
                            (near.empty() ? "see --list" : near.substr(1)));
      return false;
    }
  return true;
}

std::string list_text(const std::vector<const Check*>& chosen) {
  std::string text;
  for (const Check* check : chosen) {
    text += check->suite + "." + check->name + "  ";
    for (const std::string& id : check->ids) text += " " + id;
    text += "\n    " + check->about + "\n";
  }
  return text + std::to_string(chosen.size()) + " cases\n";
}

std::string list_json(const std::vector<const Check*>& chosen) {
  json::object told;
  json::array& cases = told["cases"].emplace_array();
  for (const Check* check : chosen)
    cases.push_back(json::object{
        {"name", check->suite + "." + check->name}, {"ids", json::value_from(check->ids)}, {"about", check->about}});
  return json::serialize(told) + "\n";
}

void filter(const std::vector<const Check*>& chosen) {
  std::string names;
  for (const Check* check : chosen) names += (names.empty() ? "" : ":") + check->suite + "." + check->name;
  const std::string given = testing::GTEST_FLAG(filter);
  testing::GTEST_FLAG(filter) = names + (given.starts_with('-') ? given : "");
}

}  // namespace stile::conformance

// The SQL that is embedded: in the schema that was asked for, and none of it without use.
//
// SPDX-License-Identifier: Apache-2.0
#include "texts.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace stile::postgres {
namespace {

std::set<std::string> names_of(const std::string& text, const std::string& before) {
  std::set<std::string> names;
  for (std::size_t at = text.find(before); at != std::string::npos; at = text.find(before, at + 1)) {
    const std::size_t first = at + before.size();
    names.insert(text.substr(first, text.find_first_not_of("abcdefghijklmnopqrstuvwxyz_0123456789", first) - first));
  }
  return names;
}

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t found = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
  return found;
}

std::string statements(const Texts& texts) {
  std::string all;
  for (std::size_t i = 0; i < static_cast<std::size_t>(Sql::count); ++i) all += texts[static_cast<Sql>(i)].text;
  return all;
}

TEST(Texts, EverythingIsInTheSchemaThatWasAskedFor) {
  const Texts texts("orders_7");
  EXPECT_EQ(count(texts.create() + statements(texts), "stile."), 0U + count(statements(texts), "'stile."));
  EXPECT_NE(texts.create().find("CREATE TABLE orders_7.workflow"), std::string::npos);
}

TEST(Texts, NoFunctionIsWithoutUse) {
  const Texts texts("stile");
  const std::string all = texts.create() + statements(texts);
  const std::set<std::string> for_people = {"start", "signal", "send", "enqueue", "cancel"};
  for (const std::string& name : names_of(texts.create(), "CREATE FUNCTION stile.")) {
    const std::size_t calls = count(all, "stile." + name + "(") - 1;  // that it is made is none
    EXPECT_TRUE(calls > 0 || for_people.count(name) != 0) << name;
  }
}

TEST(Texts, EveryFunctionThatIsCalledFromOutsideFixesWhereItLooks) {
  const Texts texts("stile");
  const std::string made = texts.create();
  for (const std::string& name : names_of(statements(texts), "stile.")) {
    const std::size_t at = made.find("CREATE FUNCTION stile." + name + "(");
    if (at == std::string::npos) continue;  // a table
    const std::string head = made.substr(at, made.find("$$", at) - at);
    EXPECT_NE(head.find("SET search_path = pg_catalog, pg_temp"), std::string::npos) << name;
  }
}

}  // namespace
}  // namespace stile::postgres

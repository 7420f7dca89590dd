// The table of mutants: how it reads, what is said about one that is not right, and that the committed ones are enough.
//
// SPDX-License-Identifier: Apache-2.0
#include "mutants/table.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <stdexcept>

namespace stile::conformance::mutants {
namespace {

Mutant mutant(const std::string& name, std::vector<std::string> breaks, const std::string& level) {
  Mutant made;
  made.name = name;
  made.breaks = std::move(breaks);
  made.level = level;
  made.slip = "either\nthis | or that";
  return made;
}

Row row(const Mutant& of, std::vector<std::string> checks, std::uint64_t seeds) {
  Row made = row_of(of);
  made.checks = std::move(checks);
  made.seeds = seeds;
  return made;
}

const Mutant one = mutant("one", {"B10", "A4"}, ""), two = mutant("two", {"B2"}, ""),
             many = mutant("many", {"A1"}, "2");

std::string text() {
  return table_text("# Title",
                    {row(many, {"Concurrent.leases"}, 7), row(one, {"a.b", "c.d"}, 1), row(two, {"e.f"}, 1)});
}

TEST(MutantTable, ReadsAsItIsWritten) {
  const Table table = read_table(text(), "t.md");
  EXPECT_EQ(table.title, "# Title");
  ASSERT_EQ(table.rows.size(), 3u);
  EXPECT_EQ(table.rows[0].mutant, "two") << "sorted by level and promise, B2 before B10";
  EXPECT_EQ(table.rows[1].checks, (std::vector<std::string>{"a.b", "c.d"}));
  EXPECT_EQ(table.rows[1].slip, "either this \\| or that");
  EXPECT_EQ(table.find("many")->level, 2);
  EXPECT_EQ(table.find("many")->seeds, 7u);
  EXPECT_EQ(table.find("none"), nullptr);
  EXPECT_EQ(table_text(table.title, table.rows), text());
  EXPECT_NE(text().find("3 mutants: 2 of level 1, 1 of level 2."), std::string::npos);
}

TEST(MutantTable, IsComparedWithTheEntries) {
  const Table table = read_table(text(), "t.md");
  EXPECT_EQ(differences(table, {one, two, many}), "");
  EXPECT_EQ(differences(table, {one, two}), "many: there is no such mutant\n");
  EXPECT_EQ(differences(table, {one, two, many, mutant("new", {"A1"}, "")}), "new: has no row\n");
  Mutant other = one;
  other.breaks = {"A4"};
  EXPECT_EQ(differences(table, {other, two, many}), "one: level, promises or slip are not those of its entry\n");
}

TEST(MutantTable, WhatIsNoTableIsRefused) {
  EXPECT_THROW(read_table("# Title\n", "t.md"), std::runtime_error);
  const std::string head = "# Title\n|---|---|---|---|---|---|\n";
  EXPECT_TRUE(read_table(head, "t.md").rows.empty());
  EXPECT_THROW(read_table(head + "| 1 | one | A4 | `a` |\n", "t.md"), std::runtime_error);
  EXPECT_THROW(read_table(head + "| 1 | one | A4 B1 | `a` | 1 | why |\n", "t.md"), std::runtime_error);
  EXPECT_THROW(read_table(head + "| 1 | one | A4 | `a` | 0 | why |\n", "t.md"), std::runtime_error);
}

TEST(MutantTable, MediansMayDiffer) {
  EXPECT_TRUE(median_holds(1, 8));
  EXPECT_FALSE(median_holds(1, 9));
  EXPECT_TRUE(median_holds(10, 1));
}

/// What the committed tables must show at least: mutants of each level, and of every chapter of the contract.
TEST(MutantTable, ThereAreEnoughOfThem) {
  std::map<int, unsigned> levels;
  std::set<char> chapters;
  unsigned all = 0;
  for (const char* path :
       {"conformance/mutants", "tests/mutants/sqlite", "tests/mutants/network", "tests/mutants/core"}) {
    const std::string file = std::string(STILE_SOURCE) + "/" + path + "/TABLE.md";
    for (const Row& each : read_table(read_file(file), file).rows) {
      ++levels[each.level];
      ++all;
      for (const std::string& id : each.ids) chapters.insert(id[0]);
    }
  }
  EXPECT_GE(all, 160u);
  EXPECT_GE(levels[1], 60u);
  EXPECT_GE(levels[2], 14u);
  EXPECT_GE(levels[3], 8u);
  EXPECT_GE(levels[4], 5u);
  for (const char chapter : std::string("ABCDEIKRSTW")) EXPECT_TRUE(chapters.count(chapter)) << chapter;
}

}  // namespace
}  // namespace stile::conformance::mutants

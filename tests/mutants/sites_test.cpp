// What a source looks like with a switch at each mutant.
//
// SPDX-License-Identifier: Apache-2.0
#include "mutants/sites.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace stile::conformance::mutants {
namespace {

std::string switched(std::string_view source, const std::vector<Change>& changes) {
  std::vector<Mutant> mutants(changes.size());
  std::vector<Numbered> numbered;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    mutants[i].name = "m" + std::to_string(i);
    numbered.push_back({&mutants[i], &changes[i], static_cast<int>(i)});
  }
  return with_switches(source, numbered);
}

std::string complaint(std::string_view source, const std::vector<Change>& changes) {
  try {
    return switched(source, changes);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

TEST(MutantSites, ExpressionsAndStatements) {
  EXPECT_EQ(switched("return a < b;", {{"f", "", "a < b", "a <= b"}}),
            "return (stile_mutant(0) ? (a <= b) : (a < b));");
  EXPECT_EQ(switched("x = 1; y = 2;", {{"f", "", "y = 2;", ""}}), "x = 1; if (stile_mutant(0)) {  } else { y = 2; }");
}

TEST(MutantSites, LayoutDoesNotMatter) {
  EXPECT_EQ(switched("f(a,\n  b);", {{"f", "", "a, b", "c"}}), "f((stile_mutant(0) ? (c) : (a,\n  b)));");
}

TEST(MutantSites, ThePlaceIsFoundByWhatSurroundsIt) {
  EXPECT_EQ(switched("f(1); g(1);", {{"f", "g(1)", "1", "2"}}), "f(1); g((stile_mutant(0) ? (2) : (1)));");
}

TEST(MutantSites, MayBeTheSameOrLieInEachOther) {
  EXPECT_EQ(switched("a", {{"f", "", "a", "b"}, {"f", "", "a", "c"}}),
            "(stile_mutant(0) ? (b) : ((stile_mutant(1) ? (c) : (a))))");
  EXPECT_EQ(switched("a + b;", {{"f", "", "b", "c"}, {"f", "", "a + b;", "d;"}}),
            "if (stile_mutant(1)) { d; } else { a + (stile_mutant(0) ? (c) : (b)); }");
}

TEST(MutantSites, NothingIsGuessed) {
  EXPECT_EQ(complaint("a + a", {{"x.hpp", "", "a", "b"}}), "mutant m0: its `was` occurs 2 times in x.hpp, not once");
  EXPECT_EQ(complaint("aaa", {{"x.hpp", "", "aa", "b"}}), "mutant m0: its `was` occurs 2 times in x.hpp, not once");
  EXPECT_EQ(complaint("c", {{"x.hpp", "", "a", "b"}}), "mutant m0: its `was` occurs 0 times in x.hpp, not once");
  EXPECT_EQ(complaint("a; a;", {{"x.hpp", "a;", "a", "b"}}), "mutant m0: its `in` occurs 2 times in x.hpp, not once");
  EXPECT_EQ(complaint("a", {{"x.hpp", "", "a", ""}}), "mutant m0: an expression cannot become nothing");
  EXPECT_NE(complaint("a+b+c", {{"x.hpp", "", "a+b", "1"}, {"x.hpp", "", "b+c", "2"}}).find("overlaps"),
            std::string::npos);
}

}  // namespace
}  // namespace stile::conformance::mutants

// How an entry of the mutants reads, and what is said about one that does not.
//
// SPDX-License-Identifier: Apache-2.0
#include "mutants/entries.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace stile::conformance::mutants {
namespace {

std::string complaint(std::string_view text) {
  try {
    read_mutants(text, "list.txt");
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "none";
}

constexpr std::string_view head = "mutant one\nbreaks A1\nslip why\n";

TEST(MutantEntries, AreParagraphs) {
  const auto mutants = read_mutants(
      "# a comment\n\nmutant one\nbreaks A4 B6\nslip why\n  it is wrong\nfile sdk/a.hpp\nin f(x) + g(x)\n"
      "was f(x)\nnow h(x)\n# another\n\n\nmutant two\nbreaks T1\nslip why\nstore other:\nlevel 2\ncheck Many.one\nfile "
      "b.hpp\nwas x;\nnow\n",
      "list.txt");
  ASSERT_EQ(mutants.size(), 2u);
  EXPECT_EQ(mutants[0].name, "one");
  EXPECT_EQ(mutants[0].breaks, (std::vector<std::string>{"A4", "B6"}));
  EXPECT_EQ(mutants[0].slip, "why\nit is wrong");
  EXPECT_EQ(mutants[0].line, 3);
  EXPECT_EQ(mutants[0].store, "");
  ASSERT_EQ(mutants[0].changes.size(), 1u);
  EXPECT_EQ(mutants[0].changes[0].file, "sdk/a.hpp");
  EXPECT_EQ(mutants[0].changes[0].in, "f(x) + g(x)");
  EXPECT_EQ(mutants[0].changes[0].was, "f(x)");
  EXPECT_EQ(mutants[0].changes[0].now, "h(x)");
  EXPECT_EQ(mutants[1].store, "other:");
  EXPECT_EQ(mutants[0].level + mutants[0].check, "");
  EXPECT_EQ(mutants[1].level, "2");
  EXPECT_EQ(mutants[1].check, "Many.one");
  EXPECT_EQ(mutants[1].changes[0].now, "");
}

TEST(MutantEntries, MayChangeSeveralPlaces) {
  const auto mutants = read_mutants(
      std::string(head) + "file a\nwas 1\nnow 2\nin 3 + 4\nwas 3\nnow 5\nfile b\nwas 6\nnow 7\n", "list.txt");
  ASSERT_EQ(mutants.size(), 1u);
  const auto& changes = mutants[0].changes;
  ASSERT_EQ(changes.size(), 3u);
  EXPECT_EQ(changes[1].file, "a");
  EXPECT_EQ(changes[1].in, "3 + 4");
  EXPECT_EQ(changes[1].now, "5");
  EXPECT_EQ(changes[2].file, "b");
  EXPECT_EQ(changes[2].in, "");
}

TEST(MutantEntries, AreCompleteOrComplainedOf) {
  EXPECT_EQ(complaint("slip why\n"), "list.txt:1: an entry begins with: mutant NAME");
  EXPECT_EQ(complaint(" goes on\n"), "list.txt:1: nothing above goes on with a line that begins with a blank");
  EXPECT_NE(complaint(std::string(head) + "colour red\n").find("unknown word: colour"), std::string::npos);
  EXPECT_NE(complaint(head).find("mutant one needs"), std::string::npos);
  EXPECT_NE(complaint(std::string(head) + "file a\nwas 1\n").find("mutant one needs"), std::string::npos);
  EXPECT_NE(complaint(std::string(head) + "was 1\nnow 2\n").find("never empty"), std::string::npos);
  EXPECT_NE(complaint("mutant one\nslip why\nfile a\nwas 1\nnow 2\n").find("mutant one needs"), std::string::npos);
  EXPECT_NE(complaint(std::string(head) + "slip again\n").find("slip is said twice"), std::string::npos);
  const std::string whole = std::string(head) + "file a\nwas 1\nnow 2\n";
  EXPECT_NE(complaint(whole + "\n" + whole).find("another mutant called one"), std::string::npos);
  EXPECT_EQ(complaint(whole), "none");
}

}  // namespace
}  // namespace stile::conformance::mutants

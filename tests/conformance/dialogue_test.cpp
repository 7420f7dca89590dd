// The language of the cases: what it refuses, with the place, and that every promise of the contract has a case.
//
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <set>

#include "dialogue/match.hpp"
#include "dialogue/parser.hpp"
#include "dialogue/suite.hpp"
#include "runner/child.hpp"
#include "runner/contract.hpp"
#include "runner/schedule.hpp"

namespace {

using namespace stile::conformance;

std::string error_of(const std::string& lines) {
  try {
    parse_cases("a.case", "# why  A1\ncase s.name\n" + lines + "\n");
  } catch (const SyntaxError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Dialogue, SaysWhereItIsWrong) {
  EXPECT_EQ(error_of("fly w -> ok"), "a.case:3:1: `fly` is neither an operation nor a word of this language");
  EXPECT_EQ(error_of("load w -> fine"), "a.case:3:11: there is no status `fine`");
  EXPECT_EQ(error_of("load w"), "a.case:3:7: expected `-> STATUS`");
  EXPECT_EQ(error_of("load \"w -> ok"), "a.case:3:6: this text has no closing quote");
  EXPECT_EQ(error_of("b: load w -> ok"), "a.case:3:1: the case opens no session, store or namespace called `b`");
  EXPECT_EQ(error_of("load w x -> ok"), "a.case:3:8: `load` takes no further value without a name: `x -> ok`");
}

TEST(Dialogue, DemandsAnId) {
  EXPECT_THROW(parse_cases("a.case", "# why\ncase s.name\nload w -> ok\n"), SyntaxError);
  EXPECT_THROW(parse_cases("a.case", "# why  A1\ncase s.name\n"), SyntaxError);
  EXPECT_THROW(add_cases({"a.case", "# why  Z9\ncase s.name\nload w -> ok\n"}), SyntaxError);
}

TEST(Dialogue, EveryPromiseHasACase) {
  std::set<std::string> proved;
  for (const CaseFile& file : built_in_cases())
    for (const Case& one : parse_cases(file.name, file.text)) proved.insert(one.ids.begin(), one.ids.end());
  EXPECT_EQ(promises().size(), 97u);
  for (const Promise& one : promises()) EXPECT_TRUE(proved.count(one.id)) << one.id << " has no case";
}

// Others' namespaces count in what a whole store holds, so nothing may run beside a case that looks at it.
TEST(Dialogue, KnowsWhatLooksAtTheWholeStore) {
  const std::string head = "# why  A1\ncase s.name\n";
  EXPECT_TRUE(parse_cases("a.case", head + "stats -> ok stored_bytes=$b\n").at(0).alone);
  EXPECT_TRUE(parse_cases("a.case", head + "repeat 2\n  stats -> ok stored_bytes=$b\nend\n").at(0).alone);
  EXPECT_FALSE(parse_cases("a.case", head + "stats -> ok records=0\n").at(0).alone);
}

/// What differs when this expectation meets this answer; empty = nothing.
std::string difference(const std::string& expected, const std::string& answer) {
  auto cases = parse_cases("a.case", "# why  A1\ncase s.name\nload w -> ok " + expected + "\n");
  Scope scope;
  auto differs = mismatch(*cases.at(0).lines.at(0).expect, stile::conformance::json::parse(answer).as_object(),
                          {scope, stile::Duration{0}});
  return differs.value_or("");
}

TEST(Dialogue, ExpectationsCanFail) {
  const std::string answer = R"({"status":"ok","a":5,"l":[{"k":"x"},{"k":"y"}],"s":"t"})";
  EXPECT_EQ(difference("a=5 a>4 a<=5 a!=6 s=t !z l=[{k=x} {k=y}] l=[... {k=y}] l=any_order[{k=y} {k=x}]", answer), "");
  for (const char* wrong : {"a=6", "a>5", "a<5", "s=u", "!a", "z=_", "l=[{k=x}]", "l=[{k=y} {k=x}]", "l=[... {k=x}]",
                            "l=any_order[{k=x} {k=x}]", "a=$v s=$v"})
    EXPECT_NE(difference(wrong, answer), "") << wrong;
}

Outcome verdict_on(std::function<Outcome(const Target&)> run) {
  Check check;
  check.suite = "s";
  check.name = "n";
  check.limit = std::chrono::milliseconds{500};
  check.run = std::move(run);
  Target target;
  return result_of(check, run_child([&] { return judge(check, target); }, check.limit, [] { return 0; }), check.limit)
      .outcome;
}

TEST(Children, EveryEndIsAVerdict) {
  EXPECT_EQ(verdict_on([](const Target&) { return Outcome{}; }).verdict, Verdict::passed);
  EXPECT_EQ(verdict_on([](const Target&) -> Outcome { abort(); }).verdict, Verdict::crashed);
  EXPECT_EQ(verdict_on([](const Target&) -> Outcome { _exit(0); }).verdict, Verdict::crashed);
  EXPECT_EQ(verdict_on([](const Target&) -> Outcome { throw std::runtime_error("x"); }).verdict, Verdict::failed);
  EXPECT_EQ(verdict_on([](const Target&) {
              for (volatile bool ever = true; ever;) {
              }
              return Outcome{};
            }).verdict,
            Verdict::timed_out);
  EXPECT_EQ(verdict_on([](const Target&) { return Outcome{Verdict::passed, {}, {}, 0}; }).verdict, Verdict::failed);
}

}  // namespace

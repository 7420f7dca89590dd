// What is told of failures: the order in which to mend, one line each, texts that can be read, a sanitizer's report.
//
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <deque>

#include "runner/child.hpp"
#include "runner/mending.hpp"
#include "runner/reports.hpp"
#include "runner/sanitizer.hpp"
#include "runner/schedule.hpp"
#include "runner/shorter.hpp"

namespace stile::conformance {
namespace {

class Mending : public testing::Test {
 protected:
  Mending() { run_.target = &target_; }

  void add(std::string name, std::vector<std::string> ids, Verdict verdict, std::vector<std::string> broken = {},
           int level = 1) {
    Check check;
    check.suite = "made";
    check.name = std::move(name);
    check.ids = std::move(ids);
    check.level = level;
    checks_.push_back(std::move(check));
    Outcome outcome;
    outcome.verdict = verdict;
    outcome.text = "  it differs\nmore\n";
    outcome.ids = std::move(broken);
    run_.results.push_back({&checks_.back(), outcome, Duration{1}});
  }

  Target target_;
  conformance::Run run_;
  std::deque<Check> checks_;
};

TEST_F(Mending, BasicsComeBeforeConsequences) {
  add("delivery", {"D4", "A1"}, Verdict::failed);
  add("list", {"S4"}, Verdict::failed);
  add("many", {"K1"}, Verdict::failed, {}, 2);
  add("one", {"K1"}, Verdict::crashed);
  add("fine", {"A1"}, Verdict::passed);
  add("absent", {"E1"}, Verdict::absent);
  add("table", {"R1", "R2"}, Verdict::failed, {"D9", "A2"});
  add("declared", {"S3"}, Verdict::failed);
  std::string order;
  for (const Broken& one : to_be_mended(run_))
    for (const Result* result : one.results) order += one.id + " " + result->check->name + "; ";
  EXPECT_EQ(order, "S3 declared; K1 one; K1 many; D4 delivery; S4 list; A2 table; ");
}

TEST_F(Mending, CountsWhatItLeavesOut) {
  for (int i = 0; i < 5; ++i) add("k" + std::to_string(i), {"K1"}, Verdict::failed);
  for (int i = 0; i < 100; ++i) add("d" + std::to_string(i), {"D" + std::to_string(i + 1)}, Verdict::failed);
  std::string text = mending_text(run_, false);
  EXPECT_NE(text.find("and 2 more: --only K1"), std::string::npos) << text;
  EXPECT_NE(text.find("79 more checks fail; mend these first"), std::string::npos) << text;
  EXPECT_LT(std::count(text.begin(), text.end(), '\n'), 60);
  std::string all = mending_text(run_, true);
  EXPECT_NE(all.find("made.d99: it differs"), std::string::npos) << all;
  EXPECT_EQ(all.find("mend these first"), std::string::npos);
}

TEST_F(Mending, TellsOneReason) {
  Result result;
  result.outcome.text = "killed by signal 11\n    it was asking {}\n    it wrote:\nmuch";
  EXPECT_EQ(reason_of(result), "killed by signal 11; it was asking {}");
  result.outcome.text = "a sequence differs:\n  [A4] record: is ok\nwhat was said";
  EXPECT_EQ(reason_of(result), "a sequence differs: [A4] record: is ok");
  result.outcome.reason = "A4: it landed";
  EXPECT_EQ(reason_of(result), "A4: it landed");
}

TEST_F(Mending, APartIsOfTheLevelsThatWereRun) {
  add("crowd", {"A4"}, Verdict::passed, {}, 2);
  run_.partial = true;
  EXPECT_NE(table(run_, false).find(", level 2, "), std::string::npos) << table(run_, false);
}

TEST(Shorter, KeepsBothEnds) {
  EXPECT_EQ(ends_of("a\nb\nc\n", 2, 1), "a\nb\nc\n");
  EXPECT_EQ(ends_of("a\nb\nc\nd\n", 1, 1), "a\n  ... (2 lines more)\nd\n");
}

TEST(Shorter, FoldsAndCutsForATerminal) {
  std::string line = "  12.3 ms client 1 {\"op\":\"record\"";
  for (int i = 0; i < 200; ++i) line += ",\"member\":" + std::to_string(i);
  std::string text = for_terminal(line + "\n\x1b[2Jx\n", 80);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_NE(text.find("bytes more)"), std::string::npos) << text;
  std::size_t lines = 0;
  for (std::size_t at = 0; at < text.size(); ++lines) {
    std::size_t end = text.find('\n', at);
    EXPECT_LE(end - at, 110u) << text;
    at = end + 1;
  }
  EXPECT_EQ(lines, 7u) << text;
  EXPECT_EQ(for_terminal("short\n", 80), "short\n");
  EXPECT_EQ(cut_line("abcdef", 6), "abcdef");
  EXPECT_EQ(cut_line("\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4", 7), "\xc3\xa4 ...") << "between characters";
}

TEST(Sanitizer, IsHeardInThePieces) {
  SanitizerReport report;
  for (char c : std::string("A4.case:3: get a\n==7==ERROR: AddressSanitizer: heap-use-after-free\n#0 here\n"))
    report.hear({&c, 1});
  EXPECT_EQ(report.text(), "==7==ERROR: AddressSanitizer: heap-use-after-free\n#0 here\n");
  SanitizerReport other;
  other.hear("x.c:1:2: runtime error: signed integer overflow\n");
  EXPECT_FALSE(other.text().empty());
}

TEST(Sanitizer, IsNotHeardInOtherWords) {
  SanitizerReport report;
  report.hear("ERROR: it failed\npanic: runtime error: index\n==3== Memcheck, a memory error detector\n");
  report.hear("==3==WARNING: AddressSanitizer failed to allocate 0x1 bytes\nWARNING: ThreadSanit");
  EXPECT_EQ(report.text(), "");
}

TEST(Sanitizer, FailsWhatPassed) {
  Check check;
  Ended ended;
  ended.complete = true;
  ended.said = to_text(Outcome{});
  EXPECT_EQ(result_of(check, ended, Duration{1}).outcome.verdict, Verdict::passed);
  ended.sanitizer = "WARNING: ThreadSanitizer: data race\n  Write of size 8\n";
  Result result = result_of(check, ended, Duration{1});
  EXPECT_EQ(result.outcome.verdict, Verdict::failed);
  EXPECT_NE(result.outcome.text.find("Write of size 8"), std::string::npos);
}

TEST(Sanitizer, IsNamedWhereItEndedTheProcess) {
  Ended ended;
  ended.wait_status = 66 << 8;
  ended.noise = "so far\nThreadSanitizer:DEADLYSIGNAL\n";
  EXPECT_EQ(ended.how().find("ended by ThreadSanitizer with status 66"), 0U) << ended.how();
  ended.noise = "nothing";
  EXPECT_NE(ended.how().find("the thread sanitizer does"), std::string::npos) << ended.how();
  ended.wait_status = 1 << 8;
  EXPECT_EQ(ended.how().find("ended by itself with status 1"), 0U) << ended.how();
  ended.sanitizer = "==3==ERROR: AddressSanitizer: heap-use-after-free\n#0 here\n";
  EXPECT_NE(ended.how().find("a sanitizer with status 1"), std::string::npos) << ended.how();
  EXPECT_NE(ended.how().find("heap-use-after-free"), std::string::npos) << ended.how();
  EXPECT_EQ(ended.how().find("#0"), std::string::npos) << ended.how();
}

TEST(Sanitizer, IsHeardOfTheChildOfAChild) {
  auto inner = [] {
    dprintf(2, "x.c:1:2: runtime error: shift exponent 99\n");
    return std::string("said");
  };
  auto outer = [&] { return run_child(inner, std::chrono::seconds{20}, [] { return 0; }).said; };
  Ended ended = run_child(outer, std::chrono::seconds{30}, [] { return 0; });
  EXPECT_EQ(ended.said, "said");
  EXPECT_NE(ended.sanitizer.find("shift exponent 99"), std::string::npos);
}

}  // namespace
}  // namespace stile::conformance

// What watch, list and stats say: histories that are accepted, and ones that are refused by their ids.
//
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "saying.hpp"
#include "script.hpp"

namespace stile::conformance::judge {
namespace {

std::string watched(const std::string& when, int after, int wait, const std::string& changed = "") {
  return say(when,
             R"("op":"watch","workflows":[{"workflow":"w","after":)" + std::to_string(after) + R"(}],"wait":)" +
                 std::to_string(wait),
             R"("status":"ok","changed":[)" + changed + "]");
}

std::string listing(const std::string& workflow, const std::string& state, const std::string& more = "") {
  return R"({"workflow":)" + quoted(workflow) + R"(,"queue":"","state":)" + quoted(state) +
         R"(,"delivery_count":0,"records":0,"fence_number":0,"finished":false,"cancel_requested":false)" + more + "}";
}
std::string with_records(std::string listed, int records) {
  return listed.replace(listed.find(R"("records":0)"), 11, R"("records":)" + std::to_string(records));
}
std::string listed(const std::string& when, const std::string& workflows, const std::string& asked = "",
                   const std::string& more = "") {
  return say(when, R"("op":"list")" + asked, R"("status":"ok","workflows":[)" + workflows + "]" + more);
}

TEST(Overview, AWatchTellsOfWhatWasThere) {
  std::string write = clock() + say("A 1000 1100", supplying("k", "v"), recorded("v", 1, 1001050));
  EXPECT_EQ(passed(write + watched("B 2000 7000", 0, 5000, R"("w")")), "");
  EXPECT_EQ(passed(write + watched("B 2000 7000", 1, 5000)), "");
  EXPECT_EQ(passed(write + watched("B 2000 7000", 0, 5000)), "B14") << "it was there before";
  EXPECT_EQ(passed(write + watched("B 500 9000", 0, 8000)), "B14") << "it came while the watch waited";
  EXPECT_EQ(passed(write + watched("B 500 1400", 0, 900)), "") << "it came at the end of the wait";
  EXPECT_EQ(passed(write + watched("B 500 1200", 0, 9000)), "") << "somebody ended the watch";
  EXPECT_EQ(passed(write + plain("A 1500 1600", op("discard"), R"("removed":1)") + watched("B 2000 7000", 0, 5000)), "")
      << "it is gone again";
}

TEST(Overview, PagesThatSpeakOfTooMuchAreUndecided) {
  std::string script = clock() + enqueued("A 1000 1100", "ready", 1001050) + put("A 1200 1300", "1", "v");
  std::string scanned = R"({"key":"d","version":"1"})";
  for (int page = 2; page < 6; ++page) {
    std::string when = "B " + std::to_string(page) + "000 " + std::to_string(page) + "100";
    script += listed(when, listing("w", "ready")) +
              plain(when, R"("op":"scan","prefix":"")", R"("documents":[)" + scanned + "]");
  }
  Options options;
  options.most_on_pages = 4;
  EXPECT_EQ(judged(script, options), "");
  options.most_on_pages = 3;
  EXPECT_EQ(judged(script, options), "undecided");
  History history = history_from(lines_of(script));
  Verdict verdict = judge(history, options);
  EXPECT_EQ(verdict.counts.undecided, 2u) << "of list, and of scan";
  EXPECT_EQ(verdict.findings.at(0).what.substr(0, 37), "1 answers of list were not judged: th");
}

TEST(Overview, AListSaysWhatIsThere) {
  std::string wakeup = clock() + enqueued("A 1000 1100", "ready", 1001050);
  EXPECT_EQ(searched(wakeup + listed("B 5000 5100", listing("w", "ready"))), "");
  EXPECT_EQ(searched(wakeup + listed("B 5000 5100", listing("w", "idle"))), "W1 S4");
  EXPECT_EQ(searched(wakeup + listed("B 5000 5100", listing("w", "delayed"))), "S4");
  EXPECT_EQ(searched(wakeup + listed("B 5000 5100", "")), "S4") << "a known workflow is not there";
  EXPECT_EQ(searched(wakeup + listed("B 1050 5100", "")), "") << "it may have come after the list";
  EXPECT_EQ(searched(wakeup + listed("B 5000 5100", "", R"(,"state":"dead")")), "") << "it lists others";
  EXPECT_EQ(searched(wakeup + listed("B 5000 5100", "", R"(,"prefix":"x")")), "");
  EXPECT_EQ(searched(wakeup + listed("B 5000 5100", "", R"(,"after":"w")")), "");
  EXPECT_EQ(searched(wakeup + listed("B 5000 5100", "", "", R"(,"next":"a")")), "") << "it is on the next page";
  EXPECT_EQ(searched(clock() + listed("B 5000 5100", listing("w", "idle"))), "S4 C7") << "nobody wrote it";
  std::string delivery = wakeup + delivered("A 2000 2100", "r", 1002050, 100000);
  std::string in_flight = listing("w", "in_flight");
  EXPECT_EQ(searched(delivery + listed("B 5000 5100", in_flight)), "S4 D5") << "it was delivered once";
  in_flight.replace(in_flight.find(R"("delivery_count":0)"), 18, R"("delivery_count":1)");
  EXPECT_EQ(searched(delivery + listed("B 5000 5100", in_flight)), "");
  std::string write = clock() + say("A 1000 1100", supplying("k", "v"), recorded("v", 1, 1001050));
  EXPECT_EQ(searched(write + listed("B 5000 5100", with_records(listing("w", "idle"), 1))), "");
  EXPECT_EQ(searched(write + listed("B 5000 5100", listing("w", "idle"))), "S4 B12");
}

std::string counted(const std::string& when, int ready, int workflows, int records) {
  return say(when, R"("op":"stats")",
             R"("status":"ok","ready":)" + std::to_string(ready) +
                 R"(,"delayed":0,"in_flight":0,"dead":0,"finished":0,"documents":0,"workflows":)" +
                 std::to_string(workflows) + R"(,"records":)" + std::to_string(records));
}

TEST(Overview, StatsAgreeWithList) {
  std::string write = clock() + say("A 1000 1100", supplying("k", "v"), recorded("v", 1, 1001050));
  std::string pages = listed("B 5000 5100", with_records(listing("w", "idle"), 1));
  EXPECT_EQ(passed(write + pages + counted("B 5200 5300", 0, 1, 1)), "");
  EXPECT_EQ(passed(write + pages + counted("B 5200 5300", 1, 1, 1)), "S4");
  EXPECT_EQ(passed(write + pages + counted("B 5200 5300", 0, 2, 1)), "S4");
  EXPECT_EQ(passed(write + pages + counted("B 5200 5300", 0, 1, 0)), "S4");
  EXPECT_EQ(passed(write + pages + counted("B 1050 5300", 0, 0, 0)), "") << "it may have looked before the write";
}

/// Workflows "a", "b", ... enqueued for those times, and taken one after the other in the order of `taken`.
std::string backlog(const std::vector<int>& due, const std::string& taken, int partitions) {
  std::string script =
      say("Z 0 100", R"("op":"info")",
          R"("status":"ok","store_time":1000050,"limits":{"partitions":)" + std::to_string(partitions) + "}");
  int at = 1000;
  for (std::size_t i = 0; i < due.size(); ++i, at += 1000) {
    std::string name(1, static_cast<char>('a' + i)), when = std::to_string(1000000 + due[i]);
    script += plain("A " + std::to_string(at) + " " + std::to_string(at + 100),
                    R"("op":"enqueue","workflow":")" + name + R"(","at":)" + when,
                    R"("state":"delayed","visible_at":)" + when);
  }
  for (char name : taken) {
    at += 1000;
    std::string until = std::to_string(1000000 + at + 50 + 500000);
    script +=
        plain("B " + std::to_string(at) + " " + std::to_string(at + 100), R"("op":"receive","lease":500000)",
              R"("deliveries":[{"workflow":")" + std::string(1, name) + R"(","queue":"","receipt":"r)" +
                  std::string(1, name) + R"(","delivery_count":1,"visible_at":)" + until +
                  R"(,"cancel_requested":false}],"more":false,"store_time":)" + std::to_string(1000000 + at + 50));
  }
  return script;
}

TEST(Overview, ABacklogComesEarliestFirst) {
  EXPECT_EQ(passed(backlog({2000, 4000, 6000, 8000}, "abcd", 1)), "");
  EXPECT_EQ(passed(backlog({2000, 2500, 3500, 4000}, "bacd", 1)), "") << "within a millisecond nobody is first";
  EXPECT_EQ(passed(backlog({2000, 4000, 4100, 4200}, "bacd", 1)), "W7");
  EXPECT_EQ(passed(backlog({2000, 4000, 4100, 4200}, "bacd", 2)), "") << "two partitions take turns";
  EXPECT_EQ(passed(backlog({1200, 2400, 3600, 4800}, "dcba", 2)), "W7");
  EXPECT_EQ(passed(backlog({1200, 2400, 3600, 4800}, "dcba", 0)), "") << "it does not say how many there are";
}

TEST(Overview, DeliveriesOfOneCallComeInAnyOrder) {
  auto one = [](const std::string& name) {
    return R"({"workflow":")" + name + R"(","queue":"","receipt":"r)" + name +
           R"(","delivery_count":1,"visible_at":1509050,"cancel_requested":false})";
  };
  std::string made = backlog({4000, 2000, 3000}, "", 1);
  auto taken = [&](const std::string& first, const std::string& second) {
    return plain("B 9000 9100", R"("op":"receive","lease":500000,"max":2)",
                 R"("deliveries":[)" + one(first) + "," + one(second) + R"(],"more":false,"store_time":1009050)");
  };
  EXPECT_EQ(passed(made + taken("a", "b")), "");
  EXPECT_EQ(passed(made + taken("b", "a")), "");
}

TEST(Overview, TwoDeliveriesInOneTickAreNotOutOfOrder) {
  std::string wakeups = clock() + enqueued("A 1000 1100", "ready", 1001050);
  std::string second = delivered("B 2000 2400", "r2", 1002100, 50000);
  std::string first = delivered("C 2010 2100", "r1", 1002100, 50000) + acked("C 2110 2150", "r1");
  EXPECT_EQ(passed(wakeups + second + first + enqueued("A 2120 2300", "deferred", 1002200)), "");
}

TEST(Overview, LinesOfAnyLengthAreRead) {
  std::string lines;
  const std::string value(100'000, 'x');
  for (int i = 0; i < 80; ++i)
    lines += say("A " + std::to_string(1000 + i) + " " + std::to_string(1001 + i), R"("op":"info")",
                 R"("status":"ok","store_time":1000050,"server":)" + quoted(value));
  EXPECT_EQ(history_from(lines_of(lines)).events.size(), 80u);
}

}  // namespace
}  // namespace stile::conformance::judge

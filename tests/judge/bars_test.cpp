// How fast the judge is, in processor time: a part of the amounts that are promised, or with STILE_BARS=whole all of
// them. Prints what it measured.
//
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <time.h>

#include <cstdlib>
#include <cstring>
#include <iostream>

#include "judge/judge.hpp"
#include "lawful.hpp"

namespace stile::conformance::judge {
namespace {

bool whole() {
  const char* said = std::getenv("STILE_BARS");
  return said && std::strcmp(said, "whole") == 0;
}

double processor_seconds() {
  timespec used{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) / 1e9;
}

template <class Body>
double measured(Body body) {
  double begun = processor_seconds();
  body();
  return processor_seconds() - begun;
}

/// Plain passes of many workflows: woken, delivered with a lease, written, read, answered.
std::string plain_history(int operations) {
  std::string text;
  std::int64_t at = 1'000'000;
  auto say = [&](int client, int call, const std::string& asked, const std::string& told) {
    std::string head =
        R"({"client":")" + std::to_string(client) + R"(","call":)" + std::to_string(call) + R"(,"place":0,")";
    text += head + R"(invoke":)" + std::to_string(at) + "," + asked + "}\n" + head + R"(return":)" +
            std::to_string(at + 20) + R"(,"status":"ok",)" + told + "}\n";
    at += 7;
  };
  for (int done = 0; done < operations; done += 6) {
    int pass = done / 6, client = pass % 3 + 1, call = pass / 3 * 6;
    std::string w = R"("workflow":"w)" + std::to_string(pass % 20'000) + "\"";
    std::string number = std::to_string(pass / 20'000 + 1),
                fence = R"("fence":")" + number + ".f" + std::to_string(pass) + "\"";
    std::string key = R"("key":"k)" + number + "\"", receipt = R"("receipt":"r)" + std::to_string(pass) + "\"";
    std::string now = std::to_string(at + 10), later = std::to_string(at + 1'000'000);
    std::string record = key + R"(,"value":"v")";
    say(client, ++call, R"("op":"enqueue",)" + w, R"("state":"ready","visible_at":)" + now);
    say(client, ++call, R"("op":"receive","lease":1000000,"acquire":{"ttl":1000000,"budget":1000000})",
        R"("deliveries":[{)" + w + R"(,"queue":"",)" + receipt + "," + fence + R"(,"delivery_count":1,"visible_at":)" +
            later + R"(,"live_until":)" + later + R"(,"budget_until":)" + later +
            R"(,"cancel_requested":false}],"more":false,"store_time":)" + now);
    say(client, ++call, R"("op":"record",)" + w + "," + fence + "," + record,
        R"("value":"v","first":true,"position":)" + number + R"(,"written_at":)" + now);
    say(client, ++call, R"("op":"load","after":)" + std::to_string(pass / 20'000) + "," + w,
        R"("records":[{)" + record + R"(,"position":)" + number + R"(,"written_at":)" + now + R"(}],"fence_number":)" +
            number + R"(,"cancel_requested":false,"finished":false,"more":false)");
    say(client, ++call, R"("op":"extend","lease":1000000,)" + receipt,
        R"("cancel_requested":false,"visible_at":)" + later);
    say(client, ++call, R"("op":"ack","release":true,)" + receipt + "," + fence, R"("requeued":false)");
  }
  return text;
}

TEST(Bars, AMillionOperationsInTheLinearPasses) {
  const int operations = whole() ? 1'000'000 : 60'000;
  std::string text = plain_history(operations);
  History history;
  double read = measured([&] { history = history_from(std::move(text)); });
  Options options;
  options.search = false;
  Verdict verdict;
  double judged = measured([&] { verdict = judge(history, options); });
  EXPECT_TRUE(verdict.accepted()) << verdict_text(verdict, history).substr(0, 4000);
  EXPECT_GE(verdict.counts.operations, static_cast<std::size_t>(operations) - 6);
  std::cout << verdict.counts.operations << " operations: read in " << read << " s, judged in " << judged << " s\n";
  EXPECT_LT(judged, 10.0 * operations / 1'000'000) << "more than 10 s for a million";
}

TEST(Bars, TwentyThousandConcurrentHistories) {
  const int histories = whole() ? 20'000 : 200;
  double judged = 0;
  std::size_t steps = 0, undecided = 0, in_doubt = 0;
  Shape shape;
  shape.clients = 8;
  shape.lost_in_a_hundred = 2;
  for (int seed = 1; seed <= histories; ++seed) {
    std::string text = lines_of(lawful(static_cast<std::uint64_t>(seed), shape));
    judged += measured([&] {
      History history = history_from(std::move(text));
      Verdict verdict = judge(history);
      EXPECT_TRUE(verdict.accepted()) << "seed " << seed << "\n" << verdict_text(verdict, history);
      steps += verdict.counts.steps;
      undecided += verdict.counts.undecided;
      in_doubt += verdict.counts.in_doubt;
    });
  }
  std::cout << histories << " histories of 200 operations, " << in_doubt << " operations in doubt: read and judged in "
            << judged << " s, " << steps << " steps, " << undecided << " undecided\n";
  EXPECT_LT(judged, 300.0 * histories / 20'000) << "more than 5 minutes for 20,000";
}

}  // namespace
}  // namespace stile::conformance::judge

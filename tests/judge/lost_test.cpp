// Histories that lost very many answers are judged all the same: what may have happened later, once, or never, must not
// make the search try every combination. Measured in steps, which no machine makes slower.
//
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>

#include "judge/judge.hpp"
#include "lawful.hpp"

namespace stile::conformance::judge {
namespace {

/// STILE_LOST=N judges so many times as many.
int times() {
  const char* said = std::getenv("STILE_LOST");
  return said ? std::max(1, std::atoi(said)) : 1;
}

struct Amount {
  int operations, lost_in_a_hundred, histories;
};

TEST(LostAnswers, OfOneWorkflowAreDecided) {
  for (Amount amount : {Amount{200, 0, 20}, {200, 5, 20}, {200, 10, 20}, {200, 20, 5}}) {
    std::size_t in_doubt = 0, steps = 0, most = 0;
    amount.histories *= times();
    for (int seed = 1; seed <= amount.histories; ++seed) {
      Shape shape;
      shape.workflows = 1;
      shape.clients = 8;
      shape.operations = amount.operations;
      shape.lost_in_a_hundred = amount.lost_in_a_hundred;
      History history = history_from(lines_of(lawful(static_cast<std::uint64_t>(seed), shape)));
      Verdict verdict = judge(history);
      EXPECT_TRUE(verdict.accepted()) << "seed " << seed << "\n" << verdict_text(verdict, history);
      in_doubt += verdict.counts.in_doubt;
      steps += verdict.counts.steps;
      most = std::max(most, verdict.counts.steps);
    }
    std::cout << amount.operations << " operations, " << in_doubt / static_cast<std::size_t>(amount.histories)
              << " in doubt: " << steps / static_cast<std::size_t>(amount.histories) << " steps a history, at most "
              << most << "\n";
  }
}

}  // namespace
}  // namespace stile::conformance::judge

// What callers leave for each other, across processes too.
//
// SPDX-License-Identifier: Apache-2.0
#include "workloads/board.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <map>

namespace stile::conformance::workloads {
namespace {

TEST(Board, KeepsTheLatestFencesOfEachWorkflow) {
  Board board;
  std::mt19937_64 random(1);
  EXPECT_FALSE(board.fence(3, random));
  for (std::uint64_t number = 1; number <= 9; ++number) board.keep(3, Fence{number, {}});
  EXPECT_FALSE(board.fence(2, random));
  std::map<std::uint64_t, int> seen;
  for (int i = 0; i < 1000; ++i)
    if (auto fence = board.fence(3, random)) ++seen[fence->number];
  EXPECT_EQ(seen.begin()->first, 6u) << "older ones are gone";
  EXPECT_EQ(seen.size(), 4u);
  EXPECT_GT(seen[9], 500) << "as a rule it is the latest";
}

TEST(Board, IsSharedWithProcessesForkedLater) {
  Board board;
  pid_t child = fork();
  if (child == 0) {
    board.keep(Card{7, Fence{2, {}}, "receipt"});
    board.meet(2);
    _exit(0);
  }
  board.meet(2);
  std::mt19937_64 random(1);
  std::optional<Card> card;
  for (int i = 0; i < 1000 && !card; ++i) card = board.card(random);
  ASSERT_TRUE(card);
  EXPECT_EQ(card->workflow, 7u);
  EXPECT_EQ(card->fence.number, 2u);
  EXPECT_EQ(card->receipt, "receipt");
  EXPECT_EQ(waitpid(child, nullptr, 0), child);
}

TEST(Board, KeepsNoReceiptThatNoStoreMayGive) {
  Board board;
  std::mt19937_64 random(1);
  board.keep(Card{0, {}, std::string(1025, 'r')});
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(board.card(random));
}

}  // namespace
}  // namespace stile::conformance::workloads

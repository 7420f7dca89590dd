// That a process which was frozen knows for how long.
//
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dialogue/standstill.hpp"

namespace {

using namespace stile;
using namespace stile::conformance;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds frozen_for{200};

/// In a child that is stopped in between: 0 when what it saw lies between how long it was stopped and how old it is.
int see_it() {
  Standstill standstill;
  const auto begun = Clock::now();
  raise(SIGSTOP);
  const auto thawed = Clock::now();
  const Duration seen = standstill.between(begun, thawed);
  if (seen < frozen_for / 2) return 1;
  if (seen > thawed - begun) return 2;
  // Told again it is the same, whatever came later; and nothing stood still before it began.
  if (standstill.between(begun, thawed) < frozen_for / 2) return 3;
  return standstill.between(begun - std::chrono::seconds{1}, begun) == Duration{0} ? 0 : 4;
}

TEST(Standstill, IsSeenByWhoStoodStill) {
  pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) _exit(see_it());
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, WUNTRACED), child);
  ASSERT_TRUE(WIFSTOPPED(status));
  poll(nullptr, 0, static_cast<int>(frozen_for.count()));  // this is the length that is to be seen
  kill(child, SIGCONT);
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace

// Runs the tests, or the part of one that is a process of its own.
//
// SPDX-License-Identifier: Apache-2.0
#include <csignal>
#include <cstring>

#include "support.hpp"

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  if (argc > 2 && std::strcmp(argv[1], "--child") == 0) return stile::sqlite::test::run_child(argc, argv);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}

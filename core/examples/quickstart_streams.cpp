// What every other program here does first and last in its main, done around the README's, which stays as short as it
// is.
//
// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <cstdlib>

#include "types/streams.hpp"

namespace {

// Runs while the program ends with 0 or not: only a status of its own can be put in the place of either.
void finish() {
  if (stile::types::finish_output(0) != 0) _exit(1);
}

[[maybe_unused]] const int begun = [] {
  stile::types::open_standard_streams();
  return std::atexit(finish);
}();

}  // namespace

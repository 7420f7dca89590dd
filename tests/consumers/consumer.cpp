// A program of somebody else's: opens a store by its config string and lets exactly one caller win.
//
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <stile/store.hpp>

using namespace std::chrono_literals;

int main(int argc, char** argv) {
  stile::Store store = stile::open(argc > 1 ? argv[1] : "memory:");
  const stile::Put claim{.key = "nightly/2026-11-29", .value = "me", .condition = stile::If::absent(), .ttl = 1h};
  const bool first = store.try_call(claim).ok(), second = store.try_call(claim).ok();
  std::printf("%s: first %d, second %d\n", store.info().plugin.c_str(), first, second);
  return first && !second ? 0 : 1;
}

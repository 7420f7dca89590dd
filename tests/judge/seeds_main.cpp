// Writes histories for the fuzzer to begin with: lawful ones, and the same spoilt.
//
// Usage: judge_seeds DIRECTORY
//
// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <fstream>

#include "lawful.hpp"

namespace judge = stile::conformance::judge;

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::filesystem::path folder = argv[1];
  std::filesystem::create_directories(folder);
  for (std::uint64_t seed = 1; seed <= 24; ++seed) {
    judge::Shape shape;
    shape.operations = 6 + static_cast<int>(seed) * 4;
    shape.workflows = 1 + static_cast<int>(seed % 3);
    shape.clients = 1 + static_cast<int>(seed % 6);
    shape.lost_in_a_hundred = static_cast<int>(seed % 4) * 10;
    auto calls = judge::lawful(seed, shape);
    judge::Random random(seed);
    if (seed % 2 == 0) judge::spoil(calls, random);
    std::ofstream out(folder / ("seed" + std::to_string(seed)), std::ios::binary);
    out << judge::lines_of(calls);
    if (!out.flush()) return 1;
  }
}

// Random sequences of commands against the model, shrunk when they fail.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "check.hpp"
#include "model/command.hpp"

namespace stile::conformance::model {

using Sequence = std::vector<Command>;

/// The sequence of a seed: `length` commands, biased towards what is interesting.
Sequence draw(std::uint64_t seed, std::size_t length);

/// How a sequence went on a store.
struct Played {
  std::vector<Difference> differences;  ///< empty: none
  bool ambiguous = false;               ///< given up: real time ran in a way the model cannot follow
  std::string transcript;
  std::map<std::string, std::uint64_t> met;  ///< how often each operation was answered with each status
};
Played play(const Sequence& sequence, const Target& target);

/// The smallest sequence found, within a time, that still fails; nothing shorter where none does.
Sequence shrink(std::uint64_t seed, std::size_t length, const Target& target, Duration budget);

/// Plays `count` sequences from the target's seed on, or as many as there is time for.
Outcome play_many(const Target& target, std::uint64_t block, std::size_t count, Duration budget);

}  // namespace stile::conformance::model

// Where mutants live: a source text with a switch at each of them.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mutants/entries.hpp"

namespace stile::conformance::mutants {

/// A change of a mutant and the number that switches the mutant on.
struct Numbered {
  const Mutant* mutant = nullptr;
  const Change* change = nullptr;
  int number = 0;
};

/// The source with `stile_mutant(number) ? now : was` for each expression, and an if for each statement (what ends with
/// a semicolon or a brace). Sites may lie in each other, or be the same. Throws std::runtime_error, which names mutant
/// and file, where the text does not occur exactly once.
std::string with_switches(std::string_view source, const std::vector<Numbered>& changes);

}  // namespace stile::conformance::mutants

// The judge of recorded histories: whether what a store answered to many callers at once keeps the contract.
//
// Linear passes look at a whole history for plain contradictions, each with its contract id; a search looks, for each
// workflow and each document, for one order of its operations that explains every answer. What was under way when an
// answer was lost may have happened later, once, or never. A history must begin with an empty namespace, and be of one.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "judge/history.hpp"
#include "judge/verdict.hpp"

namespace stile::conformance::judge {

struct Options {
  bool passes = true;
  bool search = true;
  std::size_t step_cap = 5'000'000;  ///< of one search; what is undecided by then is a failure
  /// Of all searches, beside a share for every operation: so that a verdict comes for whatever a file holds.
  std::size_t most_steps = 40'000'000;
  std::size_t most_on_pages = 4'000'000;  ///< of list, and of scan: subjects; the pages that are left are undecided
  std::size_t most_findings = 20;         ///< of one promise; the rest is counted in a note
  Time patience = Time{6} * 1000000;      ///< a receive that waited so long must have found what was due (W1)
};

/// Never throws for what a store did. The same history is judged the same every time.
Verdict judge(const History& history, const Options& options = {});

}  // namespace stile::conformance::judge

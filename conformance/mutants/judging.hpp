// What fails a mutant: found out anew, or by the table.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mutants/entries.hpp"
#include "mutants/suite_run.hpp"
#include "mutants/table.hpp"

namespace stile::conformance::mutants {

struct Judging {
  Suite suite;
  std::string store;  ///< config string of mutants that name none; empty = the driver's
  std::uint64_t seed = 1, seeds = 20;
  unsigned hunts = 1;
  std::vector<std::string> checks;  ///< above level 1 only these; empty = what the mutant says
  bool whole = false;               ///< runs every case of the promise, and shows what the suite says
};

struct Judged {
  Row row;            ///< checks of promises that nothing failed are missing
  std::string wrong;  ///< empty: it was failed as it must be

  bool caught() const { return wrong.empty(); }
};

/// Looks for what fails the mutant, at this level: a case of each promise at level 1, and above that seed after seed.
Judged find_out(const Judging& how, const Mutant& mutant, int level);

/// Sees that the mutant is failed by what the row says, and where it is hunted more than once, about as soon.
Judged confirm(const Judging& how, const Mutant& mutant, const Row& row);

}  // namespace stile::conformance::mutants

// One run of the suite on one mutant, in a process of its own.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace stile::conformance::mutants {

/// How the suite is called.
struct Suite {
  std::string program;
  std::string plugin;
  std::string folder;  ///< for what the run writes
};

struct SuiteRun {
  int status = -1;  ///< exit status; -1 = it ended by a signal
  boost::json::object certificate;
  std::string said;  ///< standard output and error

  /// The first check that failed and shows that the promise is broken.
  std::optional<std::string> caught_by(const std::string& id) const;
  /// Ids of which something was judged and passed.
  std::vector<std::string> judged_ids() const;
};

/// mutant empty = the store as it is. The environment's STILE_MUTANT is replaced.
SuiteRun run_suite(const Suite& suite, const std::string& mutant, const std::string& store,
                   const std::vector<std::string>& more);

}  // namespace stile::conformance::mutants

// One run of the suite on one mutant, in a process of its own.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace stile::conformance::mutants {

/// How the suite is called.
struct Suite {
  std::vector<std::string> program;  ///< with the words before its own arguments
  std::string plugin;                ///< empty = what it finds
  std::string driver;                ///< of level 4; empty = none
  std::string folder;                ///< for what the run writes
};

struct SuiteRun {
  int status = -1;  ///< exit status; -1 = it ended by a signal
  boost::json::object certificate;
  std::string said;  ///< standard output and error

  /// The first check that failed and shows that the promise is broken; of those named, where any are.
  std::optional<std::string> caught_by(const std::string& id, const std::vector<std::string>& of = {}) const;
  /// Ids of which something was judged and passed.
  std::vector<std::string> judged_ids() const;
};

/// mutant empty = the store as it is. The environment's STILE_MUTANT is replaced. store empty = the driver's.
SuiteRun run_suite(const Suite& suite, const std::string& mutant, const std::string& store,
                   const std::vector<std::string>& more, std::uint64_t seed = 1);

/// What a mutant is hunted with.
struct Hunt {
  std::string mutant, store;
  int level = 2;                    ///< of the suite
  std::vector<std::string> checks;  ///< "Concurrent.*"; empty = all that are of its promises
  std::vector<std::string> ids;     ///< its promises: one of them is enough
  std::uint64_t seed = 1;           ///< the first one
  std::uint64_t most_seeds = 20;    ///< given up after so many
};
struct Catch {
  std::string check, id;
  std::uint64_t seeds = 0;  ///< so many runs it took, the one that failed it included
};
/// Runs the suite with one seed after the other until it fails the mutant for one of its promises. Throws
/// std::runtime_error where the suite cannot be run.
std::optional<Catch> hunt(const Suite& suite, const Hunt& hunt);

}  // namespace stile::conformance::mutants

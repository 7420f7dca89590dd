// One trial of a workload on a store: the callers in their processes, the end of it, and what was recorded.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "workloads/workload.hpp"

namespace stile::conformance::workloads {

/// How the store can be shared.
struct Sharing {
  bool processes = false;  ///< it works across processes
  bool opens = false;      ///< two who open it in one process meet
};

/// Finds out in a child process. Throws Error where the store does not open.
Sharing sharing_of(const Target& target);

struct Trial {
  const Workload* workload = nullptr;
  Amount amount;
  std::uint64_t seed = 0;
  std::string history;  ///< the file to be written; must not be there

  /// What the callers asked, where the store was asked other things for it: written beside the history.
  std::string whole() const { return whole_of(history); }
  static std::string whole_of(const std::string& history) { return history + ".whole"; }
};

/// What went wrong beside what a judge may find in the history; empty text: nothing.
struct Trouble {
  std::string text;
  std::vector<std::string> ids;
};

/// Plays a trial in a namespace of its own and lets the store come to rest: everything due is taken, then all there is
/// is read. The caller must have a single thread.
Trouble play(const Trial& trial, const Target& target, const Sharing& sharing);

/// Takes what is due until nothing is left, reads everything. Answers what did not come to rest.
Trouble settle(const Store& store, const Facts& facts, const Workload& workload, const Amount& amount);

}  // namespace stile::conformance::workloads

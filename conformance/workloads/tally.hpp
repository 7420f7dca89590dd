// What happened in a history, by names that a workload can ask for: a run in which nothing late ever came proves
// nothing.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "judge/history.hpp"

namespace stile::conformance::workloads {

/// Every status by its name ("fenced", "stale"), and what no status tells ("taken over after a lapse").
using Tally = std::map<std::string, std::uint64_t>;

Tally tally(const judge::History& history);

}  // namespace stile::conformance::workloads

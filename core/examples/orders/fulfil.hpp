// The workflow of an order, and the worker process that runs it.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <string>

#include "stile/run.hpp"

namespace orders {

/// What the worker processes tell the conductor: a page that they share, so that a killed one's counts remain.
struct Board {
  std::atomic<std::uint64_t> passes{0}, taken_over{0}, waited{0}, retried{0};
};

/// Runs passes until SIGTERM; the exit status of the process.
int work(const std::string& config, const std::string& ns, const std::string& folder, Board& board);

}  // namespace orders

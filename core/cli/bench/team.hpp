// Who does a measurement: this process, or several of them that begin together.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "cli/bench/measure.hpp"
#include "cli/command.hpp"
#include "stile/store.hpp"

namespace stile::cli::bench {

/// What every process of a run is told.
struct Run {
  StoreChoice choice;
  std::string ns;  ///< the measurement's own namespace
  Settings settings;
  unsigned waiting = 64;  ///< the most callers that wait at once
};

/// The store of a run, its round trips counted.
class OpenStore {
 public:
  explicit OpenStore(const Run& run);
  const Store& store() const { return *store_; }
  const TripCounter& trips() const { return trips_; }

 private:
  TripCounter trips_;  // outlives the store
  std::unique_ptr<Store> store_;
};

class Team {
 public:
  virtual ~Team() = default;
  /// Prepares a cell everywhere, then runs it everywhere at once. Throws Error.
  virtual Measured measure(const Cell& cell, std::stop_token stop) = 0;
};

/// All in this process.
std::unique_ptr<Team> team_here(const OpenStore& open, const Run& run);
/// settings.processes processes, each with the store opened by itself.
std::unique_ptr<Team> team_of_processes(const Run& run);
/// What each of those runs: it takes its cells from standard input until that ends.
void serve(const Run& run, std::stop_token stop);

}  // namespace stile::cli::bench

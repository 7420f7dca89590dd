// One measurement in this process.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <boost/json.hpp>
#include <memory>
#include <stop_token>
#include <vector>

#include "cli/bench/costs.hpp"
#include "cli/bench/histogram.hpp"
#include "cli/bench/workload.hpp"

namespace stile::cli::bench {

/// What came of a measurement, in one process or in several.
struct Measured {
  std::uint64_t jobs = 0;
  double seconds = 0;         ///< the longest of any process
  std::vector<double> rates;  ///< jobs a second, of each process
  Histogram took;
  Costs costs;

  double rate() const;
  /// The slowest process's share of an equal share: 1 = all were as fast.
  double slowest_share() const;
  void merge(const Measured& other);

  boost::json::object told() const;
  static Measured read(const boost::json::object& told);
};

/// A cell that is prepared and then run.
class Measurement {
 public:
  Measurement(const Store& store, const TripCounter& trips, const Settings& settings, const Cell& cell);

  void prepare(std::stop_token stop);
  /// For the whole time, which stands still while the work that ran out is added to. Throws Error when a call of any
  /// caller failed.
  Measured run(std::stop_token stop);

 private:
  /// Until the time is over or a caller finds nothing more to do.
  Measured round(std::vector<Caller>& callers, Duration time, std::stop_token stop);
  void work(Caller& caller, std::uint64_t& jobs, Deadline end, std::atomic<bool>& dry, std::stop_token stop);

  const TripCounter& trips_;
  const Settings& settings_;
  Cell cell_;
  std::unique_ptr<Workload> workload_;
};

/// How often a bare loop can append bytes to a file in a directory and sync it, a second.
double append_rate(const std::string& directory, std::size_t bytes, Duration time, std::stop_token stop);

}  // namespace stile::cli::bench

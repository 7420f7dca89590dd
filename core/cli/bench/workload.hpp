// What is measured: a kind of work, done by many callers at once.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "cli/bench/histogram.hpp"
#include "stile/store.hpp"

namespace stile::cli::bench {

/// One measurement.
struct Cell {
  std::string workload;
  unsigned callers = 1;  ///< threads of each process
  unsigned batch = 1;    ///< operations a call
};

/// What all measurements of a run share.
struct Settings {
  Duration time{500'000};          ///< of each measurement
  std::size_t payload = 100;       ///< bytes of a value
  std::uint64_t records = 10'000;  ///< of the checkpoint that is loaded
  unsigned processes = 1, process = 0;
};

/// Apart in memory, each with its neighbour that a processor fetches along: what callers write all the time must not
/// lie on one line, or they are measured waiting for each other.
inline constexpr std::size_t apart = 128;

/// What one caller keeps between its calls.
struct alignas(apart) Caller {
  unsigned number = 0;
  std::uint64_t done = 0;  ///< calls so far: names what it makes
  Histogram* took = nullptr;
};

class Workload {
 public:
  Workload(const Store& store, const Settings& settings, const Cell& cell)
      : store_(store),
        settings_(settings),
        cell_(cell),
        value_(settings.payload, 'v'),
        queue_(cell.workload + "-" + std::to_string(cell.callers) + "-" + std::to_string(cell.batch)) {}
  virtual ~Workload() = default;

  /// Brings the store into the state that the measurement begins with; until then or until told to stop.
  virtual void prepare(std::stop_token stop) { (void)stop; }
  /// Adds work for so many jobs to a store that has run out of it; until then or until told to stop.
  virtual void refill(std::uint64_t count, std::stop_token stop) { (void)count, (void)stop; }
  /// What a caller needs before the clock starts.
  virtual void begin(Caller& caller) { (void)caller; }
  /// One call; how many jobs it did, nothing when there seem to be none left.
  virtual std::optional<std::uint64_t> step(Caller& caller, std::stop_token stop) = 0;
  /// Threads of this process that do it.
  virtual unsigned threads() const { return cell_.callers; }
  /// Its steps are no latencies: it measures them itself, or they are waits.
  virtual bool times_itself() const { return false; }

 protected:
  /// A name of its own for the nth thing that a caller makes.
  std::string name(const Caller& caller, std::uint64_t n) const;
  CallOptions options(std::stop_token stop) const { return {.stop = std::move(stop)}; }

  const Store& store_;
  const Settings& settings_;
  const Cell& cell_;
  const std::string value_;
  const std::string queue_;  // of this cell alone: others may have left something in theirs
};

/// A kind of work there is.
struct Kind {
  std::string_view name;
  std::string_view unit;  ///< of what is counted
  bool batched;           ///< can be done many a call
  bool usual;             ///< measured unless others are asked for
  std::string_view help;
};
std::span<const Kind> kinds();
const Kind* find_kind(std::string_view name);
std::unique_ptr<Workload> make_workload(const Store& store, const Settings& settings, const Cell& cell);

/// Removes everything of this namespace: the measurement's own.
void clean(const Store& store, std::stop_token stop);

}  // namespace stile::cli::bench

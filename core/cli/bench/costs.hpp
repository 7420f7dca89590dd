// What work costs: round trips, syncs to the disk, bytes written, time of a core. Counted for this process.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>

#include "store/link.hpp"

namespace stile::cli::bench {

struct Costs {
  std::uint64_t trips = 0;  ///< executes
  std::uint64_t syncs = 0;  ///< fsync and fdatasync: the commits of a store that keeps files
  std::uint64_t bytes = 0;  ///< given to write and its like
  std::uint64_t cpu = 0;    ///< microseconds

  Costs operator-(const Costs& before) const {
    return {trips - before.trips, syncs - before.syncs, bytes - before.bytes, cpu - before.cpu};
  }
  Costs& operator+=(const Costs& other) {
    trips += other.trips;
    syncs += other.syncs;
    bytes += other.bytes;
    cpu += other.cpu;
    return *this;
  }
};

/// Counts the executes of every link.
class TripCounter {
 public:
  /// inner, with its executes counted here. The counter must outlive it.
  std::shared_ptr<store::Backend> around(std::shared_ptr<store::Backend> inner);
  std::uint64_t trips() const;

  using Count = std::atomic<std::uint64_t>;
  /// What a new link counts in: a cache line that it shares with few others, if any.
  Count& of_link() { return counts_[links_.fetch_add(1, std::memory_order_relaxed) % counts_.size()].trips; }

 private:
  struct alignas(64) Line {
    Count trips{0};
  };
  std::array<Line, 64> counts_;
  std::atomic<std::size_t> links_{0};
};

/// Up to now.
Costs costs_so_far(const TripCounter& trips);

}  // namespace stile::cli::bench

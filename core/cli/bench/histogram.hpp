// How long calls took: counts in buckets that are one sixty-fourth of their value wide.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json.hpp>
#include <cstdint>
#include <vector>

namespace stile::cli::bench {

class Histogram {
 public:
  void add(std::uint64_t nanoseconds) {
    ++counts_[bucket(nanoseconds)];
    ++total_;
    if (nanoseconds > largest_) largest_ = nanoseconds;
  }
  void merge(const Histogram& other);

  std::uint64_t total() const { return total_; }
  std::uint64_t largest() const { return largest_; }
  /// The value that a share (0.5, 0.99) of all do not exceed, up to 1/64 too high; 0 when there is none.
  std::uint64_t quantile(double share) const;

  /// For another process: [bucket, count, bucket, count ..., largest].
  boost::json::array told() const;
  static Histogram read(const boost::json::array& told);

 private:
  // Values below 64 have a bucket each; above, every power of two has 64.
  static constexpr unsigned fine_bits = 6;
  static std::size_t bucket(std::uint64_t value);
  static std::uint64_t upper_end(std::size_t bucket);

  std::vector<std::uint64_t> counts_ = std::vector<std::uint64_t>((64 - fine_bits + 1) << fine_bits);
  std::uint64_t total_ = 0, largest_ = 0;
};

}  // namespace stile::cli::bench

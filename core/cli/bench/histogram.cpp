// How long calls took.
//
// SPDX-License-Identifier: Apache-2.0
#include "cli/bench/histogram.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace stile::cli::bench {

std::size_t Histogram::bucket(std::uint64_t value) {
  constexpr std::uint64_t fine = 1u << fine_bits;
  if (value < fine) return value;
  auto power = static_cast<unsigned>(std::bit_width(value)) - 1;  // at least fine_bits
  std::uint64_t within = (value >> (power - fine_bits)) - fine;
  return ((power - fine_bits + 1) << fine_bits) + within;
}

std::uint64_t Histogram::upper_end(std::size_t bucket) {
  constexpr std::uint64_t fine = 1u << fine_bits;
  if (bucket < fine) return bucket;
  std::size_t shift = (bucket >> fine_bits) - 1;
  std::uint64_t within = bucket & (fine - 1);
  return ((fine + within + 1) << shift) - 1;
}

void Histogram::merge(const Histogram& other) {
  for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i] += other.counts_[i];
  total_ += other.total_;
  largest_ = std::max(largest_, other.largest_);
}

std::uint64_t Histogram::quantile(double share) const {
  auto wanted = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(total_))));
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    seen += counts_[i];
    if (seen >= wanted) return std::min(upper_end(i), largest_);
  }
  return 0;
}

boost::json::array Histogram::told() const {
  boost::json::array told;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    if (counts_[i] == 0) continue;
    told.emplace_back(i);
    told.emplace_back(counts_[i]);
  }
  told.emplace_back(largest_);
  return told;
}

Histogram Histogram::read(const boost::json::array& told) {
  Histogram read;
  for (std::size_t i = 0; i + 2 < told.size(); i += 2) {
    auto count = told[i + 1].to_number<std::uint64_t>();
    read.counts_.at(told[i].to_number<std::size_t>()) = count;
    read.total_ += count;
  }
  read.largest_ = told.back().to_number<std::uint64_t>();
  return read;
}

}  // namespace stile::cli::bench

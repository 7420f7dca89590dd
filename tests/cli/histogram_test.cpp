// How stile bench counts latencies.
//
// SPDX-License-Identifier: Apache-2.0
#include "cli/bench/histogram.hpp"

#include <gtest/gtest.h>

namespace {

using stile::cli::bench::Histogram;

TEST(Histogram, IsEmptyAtFirst) {
  Histogram none;
  EXPECT_EQ(none.total(), 0u);
  EXPECT_EQ(none.quantile(0.5), 0u);
  EXPECT_EQ(none.largest(), 0u);
}

TEST(Histogram, IsExactBelowSixtyFour) {
  Histogram all;
  for (std::uint64_t i = 1; i <= 50; ++i) all.add(i);
  EXPECT_EQ(all.quantile(0.5), 25u);
  EXPECT_EQ(all.quantile(0.99), 50u);
  EXPECT_EQ(all.quantile(0), 1u);
}

TEST(Histogram, IsNeverTooLowAndLittleTooHigh) {
  for (std::uint64_t value = 1; value != 0 && value < (std::uint64_t{1} << 62); value = value * 3 + 1) {
    Histogram one;
    one.add(value);
    one.add(UINT64_MAX);
    std::uint64_t told = one.quantile(0.5);
    EXPECT_GE(told, value);
    EXPECT_LE(told, value + value / 64 + 1) << value;
    EXPECT_EQ(one.largest(), UINT64_MAX);
  }
}

TEST(Histogram, MergesAndTravels) {
  Histogram one, other;
  for (std::uint64_t i = 0; i < 1000; ++i) (i % 2 ? one : other).add(i * 1000);
  one.merge(other);
  EXPECT_EQ(one.total(), 1000u);
  Histogram read = Histogram::read(one.told());
  EXPECT_EQ(read.total(), 1000u);
  EXPECT_EQ(read.largest(), 999'000u);
  for (double share : {0.01, 0.5, 0.9, 0.99, 1.0}) EXPECT_EQ(read.quantile(share), one.quantile(share));
  EXPECT_NEAR(static_cast<double>(one.quantile(0.9)), 899'000, 899'000 / 60.0);
}

}  // namespace

// What a search remembers: where it has been, so that it does not go there again.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "judge/hash.hpp"
#include "judge/time.hpp"

namespace stile::conformance::judge {

/// Of what has no end, what has its place in an order, ascending.
using Doubtful = std::vector<std::uint32_t>;

class Seen {
 public:
  /// Whether a place was never reached as well as now. The key: what is held but its bound, and which of those that
  /// have an end are done. There an earlier time allows whatever a later one does, a lower bound whatever a higher one,
  /// and so do more that may yet land, being in doubt.
  bool is_news(const Hash& key, const Doubtful& doubtful, Time time, std::int64_t bound) {
    std::vector<Visit>& before = visits_[key];
    auto includes = [](const Doubtful& all, const Doubtful& some) {
      return std::includes(all.begin(), all.end(), some.begin(), some.end());
    };
    for (const Visit& each : before)
      if (each.time <= time && each.bound <= bound && includes(doubtful, each.doubtful)) return false;
    units_ -= std::erase_if(before, [&](const Visit& each) {
      return time <= each.time && bound <= each.bound && includes(each.doubtful, doubtful);
    });
    // To forget is never wrong, only slow; to remember everything would take whatever memory there is.
    if (units_ > most_units || before.size() >= most_of_one) return true;
    units_ += 1 + doubtful.size() / 16;
    before.push_back({doubtful, time, bound});
    return true;
  }

 private:
  static constexpr std::size_t most_units = 4'000'000, most_of_one = 256;
  struct Visit {
    Doubtful doubtful;
    Time time;
    std::int64_t bound;
  };
  std::unordered_map<Hash, std::vector<Visit>, HashOfHash> visits_;
  std::size_t units_ = 0;
};

}  // namespace stile::conformance::judge

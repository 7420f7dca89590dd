// What answers tell of the records of a workflow, whatever order explains them.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>

#include "judge/step.hpp"

namespace stile::conformance::judge {

/// A position is given once, over all lives of a workflow (A1, B4): whoever was told what stands there tells what any
/// write must have written that takes it, be its own answer lost. Where two answers contradict each other the search
/// finds out.
class Facts {
 public:
  struct Record {
    Text key = Text::unknown, value = Text::unknown;
  };

  Facts(const History& history, std::span<const Item> items);

  /// Null where nobody was told what stands at a position.
  const Record* at(std::int64_t position) const {
    auto found = records_.find(position);
    return found == records_.end() ? nullptr : &found->second;
  }

 private:
  void learn(std::int64_t position, Text key, Text value);

  std::unordered_map<std::int64_t, Record> records_;
};

}  // namespace stile::conformance::judge

// What a run found: as a table and a plot for people, and as JSON.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/bench/measure.hpp"
#include "cli/paint.hpp"
#include "stile/store.hpp"

namespace stile::cli::bench {

struct Report {
  std::string config;
  StoreInfo info;
  Settings settings;
  struct Row {
    Cell cell;
    Measured measured;
    std::optional<double> append_rate;  ///< of a bare append and fdatasync just before and just after, a second
  };
  std::vector<Row> rows;

  std::string table(const Paint& paint) const;
  std::string plot(const Paint& paint) const;
  boost::json::object told() const;

  /// "durable", "replicated", or "volatile": what an accepted write survives, in a word.
  std::string durability_class() const;

 private:
  std::optional<double> append_rate() const;  // over all rows
};

}  // namespace stile::cli::bench

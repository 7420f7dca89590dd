// Random histories that are lawful, and the same spoilt in one answer.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace stile::conformance::judge {

namespace json = boost::json;
using Random = std::mt19937_64;

/// One call of a history: what a store answered when it ran at `at`, seen by a client between two moments around it.
struct Call {
  std::string client;
  std::int64_t at = 0, invoke = 0, end = 0;
  json::object asked, answered;
  bool unanswered = false;
  bool happened = true;

  bool ok() const;
  /// Overlaps nothing of the other and comes first.
  bool before(const Call& other) const { return ok() && end < other.invoke; }
};

struct Shape {
  int operations = 200;
  int workflows = 3;
  int clients = 6;
  int lost_in_a_hundred = 5;
};

/// Operations on a store, one after the other, by a clock that is moved by hand and goes with the recorder's; their
/// intervals are then stretched until they overlap. Some answers are lost, of some the request too, and some of those
/// are sent again. Whatever comes out keeps the contract if the store does.
std::vector<Call> lawful(std::uint64_t seed, const Shape& shape = {});

/// The lines of the history layer.
std::string lines_of(const std::vector<Call>& calls);

/// Changes one answer so that no order explains the history, and names the way; nothing where none of the ways applies.
std::optional<std::string> spoil(std::vector<Call>& calls, Random& random);

}  // namespace stile::conformance::judge

// The model: CONTRACT.md as a pure, single-threaded statement, written from its text alone.
//
// It judges what a store answered and takes it over as what happened, so that what the contract leaves to a store
// (which of several due workflows, tokens, numbers that need only rise) is followed and everything else is demanded.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/moment.hpp"
#include "model/reply.hpp"
#include "model/said.hpp"
#include "model/state.hpp"

namespace stile::conformance::model {

/// What the model says to one answer.
struct Ruling {
  std::vector<Difference> differences;
  std::vector<std::string> rests_on;  ///< ids of the promise that decided the status
  bool open = false;                  ///< the contract does not say what this request does: do not send it

  bool fine() const { return differences.empty(); }
};

class Model {
 public:
  explicit Model(Terms terms) { world_.terms = std::move(terms); }

  /// Judges an answer to a request that took effect at `now`. `before` is the status of the operation before it in its
  /// batch, empty when there is none (R3).
  Ruling apply(const json::object& request, const json::object& answer, Now now, std::string_view before = {});

  /// Whether the contract says what a request does in the present state. The model is not changed.
  bool determines(const json::object& request, Now now) const;

  const World& world() const { return world_; }
  /// Where something that a request may meet ends, or can end, in a bracket of time.
  std::vector<Time> ends_within(const json::object& request, Time from, Time to) const;

  bool operator==(const Model&) const = default;

 private:
  World world_;
};

/// "[A4 D8] what differs".
std::string describe(const Difference& difference);

}  // namespace stile::conformance::model

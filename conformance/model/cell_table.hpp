// The cell table: every operation, in every state, with every kind of receipt and fence, judged by the model.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "check.hpp"
#include "model/stage.hpp"

namespace stile::conformance::model {

/// Whether a store does what the script of a state needs.
bool reachable(const State& state, const Target& target);

/// Plays every cell that applies to a state, each on a workflow of its own, and compares all that is held afterwards.
Outcome play_state(const State& state, const Target& target);

}  // namespace stile::conformance::model

// A script played without a fault, judged by the model: what a playing with one is held against.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "faults/scripts.hpp"
#include "faults/stage.hpp"
#include "target.hpp"

namespace stile::conformance::faults {

/// What the line "pass" lets go by.
inline constexpr Duration moment{50'000};

/// Lengths of a playing: where nothing has to end nothing has to be short.
struct Lengths {
  std::string lease = "1h";               ///< $L
  Duration over = std::chrono::hours{2};  ///< after this it is over
};

/// Which other lines are played around the act: the lease ends before it, others take what was held; they go on after
/// it.
struct Order {
  bool waits = false, steals = false, goes_on = false;
};

/// How a script went.
struct Played {
  json::object answer;  ///< to the act, comparable
  json::object held;    ///< by the store afterwards
  std::string transcript;
};

/// Every answer and all that is held is judged by the model; by a real clock it is played anew where that ran in a way
/// the model cannot follow. Throws model::Differs.
Played play_without_fault(const Script& script, Order order, const Lengths& lengths, const Target& target);

/// What differs from the playing without a fault, in words; empty: nothing.
std::string differing_answer(Stage& stage, const json::object& answer, const Played& undisturbed, bool only_status);
std::string differing_state(const json::object& held, const Played& undisturbed, const char* when);

}  // namespace stile::conformance::faults

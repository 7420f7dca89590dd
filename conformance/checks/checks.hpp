// Checks that are written in code: what a dialogue cannot say.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "check.hpp"
#include "target.hpp"

namespace stile::conformance {

/// All of them, the model's suites included.
void add_checks_in_code(const Target& target);

/// What a store declares, against what it answers (S3).
void add_declared_checks();
/// What it answers to a value over its limit (B9), before anybody prepared it (S1), to effects that are functions (E).
void add_limit_checks();
void add_unprepared_checks();
void add_callback_checks(const Target& target);
/// Calls that wait and are asked to return (W6), by another thread.
void add_interrupt_checks(const Target& target);
/// What it must give back.
void add_leak_checks();

/// Makes one of them known: what they are made of beside the defaults of a Check.
void add_check_in_code(std::string suite, std::string name, std::vector<std::string> ids, std::string about,
                       Outcome (*run)(const Target&));

}  // namespace stile::conformance

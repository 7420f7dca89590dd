// Effects: typed ones into those of the ABI, parameters both ways.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "stile/abi.h"
#include "stile/operations.hpp"
#include "store/operation.hpp"

namespace stile::store {

/// In the operation's memory; a callback refers to the caller's function, which must outlive the call.
const stile_effect* make_effect(Operation& operation, const std::variant<Statement, Callback>& effect);

/// One parameter; its bytes stay the caller's.
stile_value value_of(const Parameter& parameter);
Parameter parameter_of(const stile_value& value);

}  // namespace stile::store

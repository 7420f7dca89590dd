// An operation as one statement for the caller's own transaction (R7).
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "stile/abi.h"

namespace stile::sqlite {

class Store;

/// Does the operation `render`.
void render(const Store& store, stile_op& op);

}  // namespace stile::sqlite

// Asking a store who it is, over one link.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "stile/admin.hpp"
#include "store/link.hpp"

namespace stile::store {

/// One execute with that serial.
Result<StoreInfo> ask_info(Link& link, std::uint64_t serial, Deadline deadline);

}  // namespace stile::store

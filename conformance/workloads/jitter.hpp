// A layer that gives the processor away around calls, so that a few threads on a few processors meet often.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "store/link.hpp"

namespace stile::conformance::workloads {

std::shared_ptr<store::Backend> with_jitter(std::shared_ptr<store::Backend> inner, std::uint64_t seed);

}  // namespace stile::conformance::workloads

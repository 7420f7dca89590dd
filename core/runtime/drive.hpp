// A pass from its records to its answer: runs the kind's function, then tells the store how it ended.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "runtime/pass.hpp"
#include "stile/worker.hpp"

namespace stile::runtime {

using Bodies = std::map<std::string, std::shared_ptr<const detail::Body>, std::less<>>;

/// Runs what is recorded with the function of its kind; afterwards pass.end() says how it ended.
void drive(Pass& pass, const Bodies& bodies);

/// Gives the answer of a delivery, with the last record and the release of the lease, in one round trip. Returns how
/// the pass ended after all: an answer that was refused changes it.
End::Kind answer_delivery(Pass& pass, std::uint32_t delivery_count);

/// The same for a pass without a delivery: the record, a wakeup for what comes later, the release.
End::Kind answer_lone_pass(Pass& pass);

}  // namespace stile::runtime

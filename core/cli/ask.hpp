// One operation on a store, for subcommands that ask one thing.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/command.hpp"
#include "codec/op.hpp"

namespace stile::cli {

/// Connects, does it, and hands back what the store answered; an answer that is not ok is no exception.
void ask(store::Backend& backend, codec::Op& op, Deadline deadline, Stop& stop);

/// Throws Error unless it is ok.
void require_ok(const codec::Op& op);

}  // namespace stile::cli

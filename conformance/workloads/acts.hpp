// What several workloads do: single acts of a caller.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/workload.hpp"

namespace stile::conformance::workloads {

void take_lease(Caller& caller);
void prolong_lease(Caller& caller);
void give_lease_back(Caller& caller);
/// Under a fence that may be late, one of so many keys.
void write_under_lease(Caller& caller, unsigned keys);
void read_all(Caller& caller);
void supply_or_append(Caller& caller);
void put_or_get(Caller& caller);

void enqueue_one(Caller& caller);
/// Takes what is due and puts it on the board; answers at once, or leaves that to whoever finds the card.
void work_one(Caller& caller);
/// An answer, or an extend, with a receipt that somebody was given lately.
void answer_late(Caller& caller);
void cancel_one(Caller& caller);

}  // namespace stile::conformance::workloads

// What is broken in a store, in the order in which to mend it.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "runner/results.hpp"

namespace stile::conformance {

/// The checks that did not pass of one promise.
struct Broken {
  std::string id;  ///< empty = of so many promises that none of them is the one
  std::vector<const Result*> results;
};

/// Every check that did not pass once, under the most basic promise that it saw broken. One caller comes before many,
/// what was written for a promise before what judges all there is; then what the store says of itself and documents
/// before leases and records, and those before wakeups and deliveries: what comes later is often only a consequence.
std::vector<Broken> to_be_mended(const Run& run);

/// What differs, in one line.
std::string reason_of(const Result& result);

/// "failed: lease.free_is_granted  A1: reason", at most so wide.
std::string brief_text(const Result& result, std::size_t width);

/// The list for people, at most about forty lines unless all are wanted.
std::string mending_text(const Run& run, bool all);

}  // namespace stile::conformance

// For tests of your workflows: a store in memory whose clock stands still until you move it.
//
//   auto store = stile::testing::store();
//   stile::Worker worker{store};
//   worker.handle(fulfil, run_fulfil);
//   auto order = stile::start(store, fulfil, "order-7", {...});
//   worker.run_until_idle();
//   stile::testing::advance(store, 72h);
//   worker.run_until_idle();
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "stile/store.hpp"
#include "stile/worker.hpp"

namespace stile {
inline namespace v1 {
namespace testing {

/// A store of its own in this process, with a manual clock.
Store store();

/// Moves the store's clock.
inline StoreTime advance(const Store& store, Duration by) { return store.call(Advance{.by = by}).store_time; }

}  // namespace testing
}  // namespace v1
}  // namespace stile

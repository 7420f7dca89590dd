// The store handle as a backend: whoever speaks the verb, such as another language through libstile.so, gets its
// pooling, batching and sending again.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "stile/store.hpp"
#include "store/link.hpp"

namespace stile::store {

/// Links of this backend share the handle's sessions; connecting one costs nothing, and none is ever dropped. A write
/// without op_id gets one.
std::shared_ptr<Backend> pooled(const Store& store);

}  // namespace stile::store

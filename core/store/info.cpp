// Asking a store who it is.
//
// SPDX-License-Identifier: Apache-2.0
#include "store/info.hpp"

#include "stile/store.hpp"
#include "store/operation.hpp"

namespace stile::store {

Result<StoreInfo> ask_info(Link& link, std::uint64_t serial, Deadline deadline) {
  detail::Slot slot;
  detail::put_request(*slot.get(), Info{});
  stile_call call{sizeof(stile_call), 0, serial, abi_of(deadline)};
  stile_op* op = &slot.get()->op();
  link.execute(call, std::span(&op, 1));
  return detail::take_answer<Info>(*slot.get());
}

}  // namespace stile::store

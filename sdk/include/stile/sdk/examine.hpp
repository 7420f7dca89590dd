// The extension that examines a store, for a plugin whose Store has
//
//   void examine(const stile_call& call, bool mend, const std::function<void(std::string_view what, bool mended)>&
//   said);
//
// Its extension() answers &sdk::examine_table<P> for STILE_EXTENSION_EXAMINE.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string_view>

#include "stile/abi/examine.h"
#include "stile/sdk/plugin.hpp"

namespace stile::sdk {

template <class P>
std::int32_t examine(stile_store* store, const stile_call* call, std::uint32_t mend, stile_finding_fn said, void* ctx,
                     stile_error* error) noexcept {
  using G = Guard<P>;
  return G::refusing(error, [&] {
    auto& box = *reinterpret_cast<typename G::StoreBox*>(store);
    if (!box.fork->here()) throw Refusal(STILE_UNAVAILABLE, after_fork);
    box.inner->examine(*call, mend != 0,
                       [&](std::string_view what, bool mended) { said(ctx, text(what), mended ? 1 : 0); });
  });
}

template <class P>
inline constexpr stile_examine examine_table{sizeof(stile_examine), 0, &examine<P>};

}  // namespace stile::sdk

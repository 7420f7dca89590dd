// What this plugin is called and what its stores can do.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

#include "stile/abi.h"

#define STILE_POSTGRES_VERSION "0.1.0"

namespace stile::postgres {

inline constexpr const char* plugin_name = "postgres";
inline constexpr const char* plugin_version = STILE_POSTGRES_VERSION;

/// The most that a store of this plugin can do (S3). The last two are of stores whose commits are waited for, and of
/// namespaces whose clock stands still.
inline constexpr std::array<stile_text, 9> all_capabilities = {{
    STILE_LIT("one_commit"),
    STILE_LIT("coupled_receive"),
    STILE_LIT("push_wakeups"),
    STILE_LIT("push_records"),
    STILE_LIT("effects:sql"),
    STILE_LIT("render:sql"),
    STILE_LIT("cross_process"),
    STILE_LIT("durable"),
    STILE_LIT("manual_clock"),
}};
inline constexpr std::size_t always = 7;

}  // namespace stile::postgres

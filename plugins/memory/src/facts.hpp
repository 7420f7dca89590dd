// What the memory store says of itself: one truth for the table, for info and for the suite.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "stile/sdk/in_process.hpp"

#define STILE_MEMORY_VERSION "0.1.0"

namespace stile::memory::facts {

inline constexpr std::string_view plugin = "memory " STILE_MEMORY_VERSION;
inline constexpr std::string_view durability =
    "none: the data lives in this process's memory and goes with it, or with the last who has it open";

inline constexpr stile_text schemes[] = {STILE_LIT("memory")};

/// manual_clock: only a store opened with clock=manual has it.
inline constexpr stile_text capabilities[] = {STILE_LIT("one_commit"), STILE_LIT("coupled_receive"),
                                              STILE_LIT("push_wakeups"), STILE_LIT("push_records"),
                                              STILE_LIT("manual_clock")};

inline constexpr stile_option shards = {
    sizeof(stile_option),
    STILE_OPTION_INTEGER,
    0,
    0,
    STILE_LIT("shards"),
    {nullptr, 0},
    {nullptr, 0},
    STILE_LIT("partitions that work side by side; order holds within one (default: 16 a hardware thread, at most 256)"),
    1,
    256};
inline constexpr const stile_option* options[] = {&sdk::clock_option, &shards};

}  // namespace stile::memory::facts

// Where a file may lie: found out before it is touched (S5).
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace stile::sqlite {

/// The name of the network filesystem with that magic number of statfs; null for others.
const char* network_filesystem(std::int64_t magic);

/// The path without links and dots, of a file that need not be there yet; its folder must be.
std::string full_path(const std::string& path);

/// Refuses a path where a store cannot be, with what to do about it. Throws StoreError.
void check_place(const std::string& path);

}  // namespace stile::sqlite

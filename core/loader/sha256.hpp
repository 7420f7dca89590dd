// The hash by which people tell one plugin file from another. Nothing secret depends on it.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "loader/file.hpp"

namespace stile::loader {

/// SHA-256 of a whole file, 64 hexadecimal digits as sha256sum prints them; empty when it cannot be read.
std::string sha256_of(const File& file);

}  // namespace stile::loader

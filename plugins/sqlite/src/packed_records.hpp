// Records one after the other in one blob: in the tail of a row, and in a row of stile_record.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "stile/sdk/engine/row.hpp"

namespace stile::sqlite {

namespace engine = sdk::engine;

/// Each is a head of 40 bytes in the machine's byte order, its key, its value.
void pack(const engine::Record& record, std::string& to);
std::size_t packed_size(const engine::Record& record);
/// Gives the record at an offset and moves on to the next; false where none stands, or not the whole of one. Views into
/// the blob.
bool unpack(std::string_view from, std::size_t& at, engine::Record& record);

}  // namespace stile::sqlite

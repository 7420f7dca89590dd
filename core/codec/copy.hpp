// Deep copies of requests and answers, from the tables of members.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "codec/fields.hpp"
#include "stile/abi.h"

namespace stile::codec {

/// Copies a struct and everything it points to into arena; to is from's equal in type. False when the arena is out of
/// memory. A callback and its ctx are copied as they are.
bool copy_struct(const Struct& description, const void* from, void* to, const stile_arena& arena);

/// Copies bytes; false when the arena is out of memory.
bool copy_bytes(stile_bytes from, stile_bytes& to, const stile_arena& arena);
bool copy_text(stile_text from, stile_text& to, const stile_arena& arena);

/// Makes to an operation with a copy of from's request and no room for an answer; false when out of memory.
bool copy_request(const stile_op& from, stile_op& to, const stile_arena& arena);

/// Copies the answer of an operation into another one of the same kind: status, texts and result, into to's arena. When
/// that is out of memory to is answered as law 7 says.
void copy_answer(const stile_op& from, stile_op& to);

}  // namespace stile::codec

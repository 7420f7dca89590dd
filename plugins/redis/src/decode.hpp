// What a script answered, as the answer of the operation.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "reply.hpp"
#include "stile/abi.h"

namespace stile::redis {

/// The answer of an operation that encode said. Sets its status.
void decode(stile_op& op, const Reply& reply);

/// Sets the status and the text of a refusal.
void decode_refusal(stile_op& op, const Reply& reply);

/// The records in {key, value, position, written_at, ...}, copied and linked.
stile_record* decode_records(stile_op& op, const Reply& page);

/// One delivery out of receive's answer, copied. Adds to `bytes` what its records hold.
stile_delivery* decode_delivery(stile_op& op, const Reply& delivery, bool load, std::uint64_t& bytes);

/// A whole answer of receive.
void decode_receive(stile_op& op, const Reply& reply);

/// One workflow out of list's answer, its first value at `at`; one document out of scan's.
inline constexpr std::size_t workflow_values = 12, document_values = 3;
stile_workflow* decode_workflow(stile_op& op, const Reply& page, std::size_t at);
stile_document* decode_document(stile_op& op, const Reply& page, std::size_t at);

}  // namespace stile::redis

// An operation with the arguments that a script wants. The .lua file of each operation says what they are.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "operations.hpp"
#include "stile/abi.h"
#include "stile/sdk/engine/receipt.hpp"

namespace stile::redis {

/// What an operation is about, and so in which partition it is done; empty for those that are about the whole store.
/// The reader keeps the receipt of those that have one; a text that is none gives an empty workflow, which nobody has.
std::string_view subject_of(const stile_op& op, sdk::engine::ReceiptReader& reader, bool& is_receipt);

struct Encoding {
  bool chained = false;           ///< only if the one before it answered ok
  stile_id fresh{};               ///< where the caller gave no op_id (A1, D2)
  std::uint64_t error_bytes = 0;  ///< where error text is cut
  std::uint64_t page = 0, reply_bytes = 0;
  std::string_view tag;  ///< of the workflow's partition, with its braces
  const sdk::engine::Receipt* receipt = nullptr;
};

/// An operation that is done in one partition: any but receive, watch, scan, list, stats, trim, prepare, info, render.
void encode(const stile_op& op, const Encoding& how, Operations& out);

/// The parts of a receive that the caller of a partition decides.
struct Receiving {
  bool chained = false;  ///< only if the one before it answered ok
  std::uint32_t left = 0;
  std::uint64_t bytes_left = 0, limit = 0;
  stile_id nonce{};
  bool again = false;
  std::string_view channel;  ///< empty = nobody of this process is in line
  std::int64_t since = 0;
  std::int64_t puts_off = 100;          ///< held wakeups that may be put off yet (D9)
  std::string_view consumer;            ///< this process, for a log of wakeups
  const std::string* queues = nullptr;  ///< each with q or w before it (receive.lua)
  std::size_t n_queues = 0;
};
void encode_receive(const stile_receive_request& asked, const Receiving& how, Operations& out);

/// An instant or a span as a double holds it: rounded up, at most the last that one can say (W8).
std::int64_t as_double(std::int64_t time);
/// The same back: the last stands for the end of the year 9999.
std::int64_t from_double(std::int64_t time);

}  // namespace stile::redis

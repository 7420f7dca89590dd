// A batch on its way: what a session hands to whoever runs it.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "parking.hpp"
#include "stile/abi.h"

namespace stile::sqlite {

class Store;

/// Some operations of a batch, done together. Stays with the thread that waits for it.
struct Item {
  Store* store = nullptr;
  std::span<stile_op* const> ops;  ///< the whole batch: an operation may be chained to the one before the first
  std::size_t first = 0, end = 0;  ///< which of them
  std::int64_t deadline = INT64_MAX;
  Parking* parking = nullptr;
  const std::atomic<bool>* interrupted = nullptr;

  enum class State { queued, leading, taken, done };
  State state = State::queued;   ///< the group's, under its lock
  std::int64_t made_number = 0;  ///< of the store's namespace, if this transaction looked it up or made it
};

/// Puts an answer back to what the host gave, so that the operation can be done again.
void reset_answer(stile_op& op);

/// Operations that never change anything.
bool reads_only(const stile_op& op);
bool reads_only(const Item& item);
/// Operations that remember or change something when they answer ok: what `unknown` is about (R2).
bool writes(const stile_op& op);

}  // namespace stile::sqlite

// The memory that the suite lends a plugin for its answers: every piece between guards, filled with garbage.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "stile/abi.h"

namespace stile::conformance {

/// Tells whether a plugin wrote outside what it was given (law 1 of the ABI). What was handed out lives as long as
/// this.
class GuardedArena {
 public:
  GuardedArena();
  ~GuardedArena();
  GuardedArena(const GuardedArena&) = delete;
  GuardedArena& operator=(const GuardedArena&) = delete;

  const stile_arena* abi() const { return &abi_; }
  /// Which piece was written past, and on which side; empty = none.
  std::string damage() const;

 private:
  struct Piece {
    unsigned char* begin;  // of the guard before it
    std::size_t size;      // of what was asked for
  };
  void* allocate(std::uint64_t size) noexcept;

  stile_arena abi_;
  std::vector<Piece> pieces_;
};

}  // namespace stile::conformance

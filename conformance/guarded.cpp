// Pieces between guards.
//
// SPDX-License-Identifier: Apache-2.0
#include "guarded.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace stile::conformance {
namespace {

constexpr std::size_t guard = 64;  // a multiple of 16: so is what lies between
constexpr unsigned char before = 0xB5, behind = 0xBE, garbage = 0xA7;
/// A larger piece is not filled: touching it would cost more than it shows.
constexpr std::size_t most_filled = std::size_t{1} << 16;

std::size_t touched(const unsigned char* bytes, unsigned char pattern) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < guard; ++i) count += bytes[i] != pattern;
  return count;
}

}  // namespace

GuardedArena::GuardedArena()
    : abi_{sizeof(stile_arena), 0, this,
           [](void* ctx, std::uint64_t size) { return static_cast<GuardedArena*>(ctx)->allocate(size); }} {}

GuardedArena::~GuardedArena() {
  for (const Piece& piece : pieces_) std::free(piece.begin);
}

void* GuardedArena::allocate(std::uint64_t size) noexcept {
  if (size > (std::uint64_t{1} << 40)) return nullptr;
  auto* begin = static_cast<unsigned char*>(std::malloc(size + 2 * guard));
  if (!begin) return nullptr;
  try {
    pieces_.push_back({begin, static_cast<std::size_t>(size)});
  } catch (...) {
    std::free(begin);
    return nullptr;
  }
  std::memset(begin, before, guard);
  std::memset(begin + guard, garbage, std::min<std::size_t>(size, most_filled));
  std::memset(begin + guard + size, behind, guard);
  return begin + guard;
}

std::string GuardedArena::damage() const {
  for (const Piece& piece : pieces_) {
    std::string of = " of the " + std::to_string(piece.size) + " bytes that it was given for its answer";
    if (touched(piece.begin + guard + piece.size, behind) != 0) return "the plugin wrote past the end" + of;
    if (touched(piece.begin, before) != 0) return "the plugin wrote before the beginning" + of;
  }
  return {};
}

}  // namespace stile::conformance

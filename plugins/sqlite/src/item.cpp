// What the kinds of operations are, and how an answer is taken back.
//
// SPDX-License-Identifier: Apache-2.0
#include "item.hpp"

#include <array>
#include <cstring>

namespace stile::sqlite {
namespace {

constexpr std::array<std::uint32_t, STILE_OP_COUNT + 1> traits = [] {
  std::array<std::uint32_t, STILE_OP_COUNT + 1> of{};
#define STILE_SQLITE_TRAITS(NAME, value, name, bits) of[value] = bits;
  STILE_OP_TABLE(STILE_SQLITE_TRAITS)
#undef STILE_SQLITE_TRAITS
  return of;
}();

std::uint32_t traits_of(const stile_op& op) { return op.kind <= STILE_OP_COUNT ? traits[op.kind] : 0; }

}  // namespace

void reset_answer(stile_op& op) {
  op.status = STILE_UNSET;
  op.error = {nullptr, 0};
  op.native = {nullptr, 0};
  op.retry_after = 0;
  if (!op.result) return;
  // Every result begins with its size, as the host allocated it.
  std::uint32_t size = 0;
  std::memcpy(&size, op.result, sizeof size);
  std::memset(static_cast<char*>(op.result) + sizeof size, 0, size - sizeof size);
}

bool writes(const stile_op& op) { return (traits_of(op) & STILE_TRAIT_WRITE) != 0; }

bool reads_only(const stile_op& op) { return !writes(op); }

bool reads_only(const Item& item) {
  for (std::size_t i = item.first; i < item.end; ++i)
    if (!reads_only(*item.ops[i])) return false;
  return true;
}

}  // namespace stile::sqlite

// The bytes of a packed row.
//
// SPDX-License-Identifier: Apache-2.0
#include "packed.hpp"

#include <bit>
#include <cstring>

namespace stile::sqlite {
namespace {

using Words = std::array<std::uint64_t, Packed::words>;

// Another layout of it is another schema: schema.hpp.
static_assert(sizeof(engine::RowCore) == sizeof(Words) && Packed::words < 64);

// Fields that have a column of their own.
void clear_columns(engine::RowCore& core) {
  core.number = 0;
  core.records = 0;
  core.finished_at = 0;
  core.wakeup = engine::Wakeup::none;
  core.cancel_requested = 0;
}

}  // namespace

Packed::Packed(const engine::RowCore& core) {
  engine::RowCore rest = core;
  clear_columns(rest);
  Words all;
  std::memcpy(all.data(), &rest, sizeof rest);
  for (std::size_t i = 0; i < words; ++i) {
    if (all[i] == 0) continue;
    words_[0] |= std::uint64_t{1} << i;
    words_[used_++] = all[i];
  }
}

bool unpack(std::string_view bytes, engine::RowCore& core) {
  std::uint64_t there = 0;
  if (bytes.size() < sizeof there) return false;
  std::memcpy(&there, bytes.data(), sizeof there);
  const auto count = static_cast<std::size_t>(std::popcount(there));
  if (there >> Packed::words != 0 || bytes.size() != (1 + count) * sizeof there) return false;
  Words all{};
  const char* at = bytes.data() + sizeof there;
  for (; there != 0; there &= there - 1, at += sizeof there)
    std::memcpy(&all[static_cast<std::size_t>(std::countr_zero(there))], at, sizeof there);
  std::memcpy(static_cast<void*>(&core), all.data(), sizeof core);
  return core.trim_class <= engine::TrimClass::leftover && Packed(core).bytes() == bytes;
}

}  // namespace stile::sqlite

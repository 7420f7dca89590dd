// Blocks that double, the newest first.
//
// SPDX-License-Identifier: Apache-2.0
#include "codec/arena.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace stile::codec {

struct alignas(16) Arena::Block {
  Block* below;
  std::size_t size;  // without this head
};

namespace {

void* arena_alloc(void* ctx, std::uint64_t size) { return static_cast<Arena*>(ctx)->allocate(size); }

}  // namespace

Arena::Arena() : abi_{sizeof(stile_arena), 0, this, arena_alloc} {}

void* Arena::allocate(std::uint64_t wanted) noexcept {
  if (wanted > PTRDIFF_MAX - 64) return nullptr;
  std::size_t size = (static_cast<std::size_t>(wanted) + 15) & ~std::size_t{15};
  std::size_t room = blocks_ ? blocks_->size : sizeof(inside_);
  if (size > room - used_) {
    std::size_t next = std::max(size, std::min<std::size_t>(2 * room, 1 << 20));
    void* memory = std::malloc(sizeof(Block) + next);
    if (!memory) return nullptr;
    blocks_ = new (memory) Block{blocks_, next};
    used_ = 0;
  }
  std::byte* base = blocks_ ? reinterpret_cast<std::byte*>(blocks_ + 1) : inside_;
  void* out = base + used_;
  used_ += size;
  return out;
}

void* Arena::allocate_or_throw(std::uint64_t size) {
  if (void* memory = allocate(size)) return memory;
  throw std::bad_alloc();
}

stile_bytes Arena::copy(std::string_view bytes) {
  if (bytes.empty()) return {};
  void* memory = allocate_or_throw(bytes.size());
  std::memcpy(memory, bytes.data(), bytes.size());
  return {static_cast<const std::uint8_t*>(memory), bytes.size()};
}

stile_text Arena::copy_text(std::string_view text) {
  stile_bytes bytes = copy(text);
  return {reinterpret_cast<const char*>(bytes.ptr), bytes.len};
}

void Arena::rewind(Mark mark) noexcept {
  while (blocks_ != mark.block) {
    Block* gone = blocks_;
    blocks_ = gone->below;
    std::free(gone);
  }
  used_ = mark.used;
}

}  // namespace stile::codec

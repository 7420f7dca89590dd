// The memory of an operation: it grows, and is freed in one stroke.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <string_view>
#include <type_traits>

#include "stile/abi.h"

namespace stile::codec {

/// The first bytes come from inside, so that a usual operation is one allocation.
class Arena {
 public:
  Arena();
  ~Arena() { rewind({}); }
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  /// 16-aligned, uninitialised; null when it cannot be had.
  void* allocate(std::uint64_t size) noexcept;
  /// Zeroed, struct_size set. Throws bad_alloc.
  template <class T>
  T* make() {
    static_assert(std::is_trivially_destructible_v<T>);
    T* made = new (allocate_or_throw(sizeof(T))) T{};
    if constexpr (requires { made->struct_size; }) made->struct_size = sizeof(T);
    return made;
  }
  template <class T>
  T* make_array(std::size_t n) {
    T* made = static_cast<T*>(allocate_or_throw(n * sizeof(T)));
    for (std::size_t i = 0; i < n; ++i) new (made + i) T{};
    return made;
  }
  stile_bytes copy(std::string_view bytes);
  stile_text copy_text(std::string_view text);

  /// Where it stands; rewinding to it frees what was allocated since.
  struct Mark {
    void* block = nullptr;
    std::size_t used = 0;
  };
  Mark mark() const { return {blocks_, used_}; }
  void rewind(Mark mark) noexcept;

  const stile_arena* abi() const { return &abi_; }

 private:
  struct Block;
  void* allocate_or_throw(std::uint64_t size);

  stile_arena abi_;
  Block* blocks_ = nullptr;
  std::size_t used_ = 0;  // of the newest block, or of inside_
  alignas(16) std::byte inside_[624];
};

}  // namespace stile::codec

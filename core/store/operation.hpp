// An operation on its way: a request copied into memory of its own, its answer, and what its sends have shown.
//
// It is counted: the caller holds it, and so does the batch that carries it, so a caller may leave before its batch is
// through. Whoever executes it uses its memory; hand-overs happen under a lane's mutex.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "stile/abi.h"
#include "stile/operations.hpp"
#include "stile/types.hpp"

namespace stile::store {

/// Memory that is freed in one stroke. The first bytes come from inside, so that a usual operation is one allocation.
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

class Operation {
 public:
  /// With one reference, the caller's.
  static Operation* make() { return new Operation; }
  void retain() { refs_.fetch_add(1, std::memory_order_relaxed); }
  void release() {
    if (refs_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

  stile_op& op() { return op_; }
  const stile_op& op() const { return op_; }
  /// What the caller is told. Once it left, that is not what the store still writes into op.
  Status status() const { return left_ ? *left_ : static_cast<Status>(op_.status); }
  Arena& arena() { return arena_; }
  template <class T>
  const T& request() const {
    return *static_cast<const T*>(op_.request);
  }
  template <class T>
  T& result() const {
    return *static_cast<T*>(op_.result);
  }

  /// A request made in this arena is complete; what is allocated from here on is of the answer.
  template <class Result>
  void seal() {
    if constexpr (!std::is_void_v<Result>) op_.result = arena_.make<Result>();
    seal(std::is_void_v<Result> ? 0 : sizeof_or_zero<Result>());
  }
  void seal(std::size_t result_size);
  /// A deep copy of somebody else's request.
  void put_copy(const stile_op& request);

  /// Forgets the answer and keeps the request and what its sends have shown, to be sent again.
  void reset();
  /// Answers it here: it is not sent.
  void refuse(Status status, std::string_view text);
  /// True when refuse answered it.
  bool refused() const { return refused_; }
  /// The caller goes while a batch still carries it: from now on only this status is looked at. [the caller]
  void leave(Status status) { left_ = status; }
  bool left() const { return left_.has_value(); }

  /// R3, for the next send: chained to the one before it in the same send.
  bool chained() const { return (op_.must & STILE_MUST_AFTER_OK) != 0; }
  void chain(bool on) { op_.must = on ? op_.must | STILE_MUST_AFTER_OK : op_.must & ~STILE_MUST_AFTER_OK; }

  bool after_ok = false;             ///< R3, as the caller said it
  bool doubt = false;                ///< a send of it was answered `unknown`: it may have been applied
  std::unique_ptr<Failure> earlier;  ///< what the send before this one came to

  /// The callback of an effect, run on the caller's thread; the caller's function must outlive the call.
  struct Calling {
    const std::function<Bytes(Transaction&)>* run = nullptr;
    std::string value, error;
  };
  std::unique_ptr<Calling> calling;

 private:
  Operation();
  ~Operation() = default;
  template <class T>
  static constexpr std::size_t sizeof_or_zero() {
    if constexpr (std::is_void_v<T>)
      return 0;
    else
      return sizeof(T);
  }

  stile_op op_{};
  std::atomic<std::uint32_t> refs_{1};
  bool refused_ = false;
  std::optional<Status> left_;
  std::uint32_t result_size_ = 0;
  Arena::Mark sealed_{};
  Arena arena_;
};

/// Why an operation is not ok, as its caller is told.
Failure failure_of(const Operation& operation);

/// STILE_TRAIT_* of a kind; 0 for an unknown one.
std::uint32_t traits_of(std::uint32_t kind);
/// "record" ...; "operation 99" is "?" for an unknown kind.
std::string_view name_of_kind(std::uint32_t kind);

/// True for what must be alone in its call (R3): receive and watch with wait > 0, a callback effect.
bool travels_alone(const stile_op& op);
/// True where op_id is remembered, so that one is drawn (R1).
inline bool takes_op_id(const stile_op& op) { return (traits_of(op.kind) & STILE_TRAIT_OP_ID) != 0; }

/// The deadline of a call as the ABI says it.
inline std::int64_t abi_of(Deadline deadline) {
  if (deadline == Deadline::max()) return STILE_NEVER;
  return std::chrono::floor<Duration>(deadline.time_since_epoch()).count();
}
inline Deadline deadline_of(std::int64_t deadline) {
  if (deadline == STILE_NEVER) return Deadline::max();
  return Deadline(Duration(deadline));
}

inline std::string_view view(stile_text text) { return {text.ptr, static_cast<std::size_t>(text.len)}; }
inline std::string_view view(stile_bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.ptr), static_cast<std::size_t>(bytes.len)};
}
inline stile_text text_of(std::string_view text) { return {text.data(), text.size()}; }
inline stile_bytes bytes_of(std::string_view bytes) {
  return {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()};
}
stile_id abi_of(const Id& id);
stile_fence abi_of(const Fence& fence);
Id id_of(const stile_id& id);
Fence fence_of(const stile_fence& fence);

}  // namespace stile::store

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

#include "codec/arena.hpp"
#include "codec/fields.hpp"
#include "stile/abi.h"
#include "stile/operations.hpp"
#include "types/abi.hpp"

namespace stile::store {

using codec::Arena;

class Operation {
 public:
  /// With one reference, the caller's.
  static Operation* make() { return new Operation; }
  /// From what this thread released before: a batch is more than the C library keeps at hand of one size.
  static void* operator new(std::size_t size);
  static void operator delete(void* memory);
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

/// True for what must be alone in its call (R3): receive and watch with wait > 0, a callback effect.
bool travels_alone(const stile_op& op);
/// True where op_id is remembered, so that one is drawn (R1).
inline bool takes_op_id(const stile_op& op) { return (codec::traits_of(op.kind) & STILE_TRAIT_OP_ID) != 0; }

using types::abi_of;
using types::bytes_of;
using types::deadline_of;
using types::text_of;
using types::view;
stile_id abi_of(const Id& id);
stile_fence abi_of(const Fence& fence);
Id id_of(const stile_id& id);
Fence fence_of(const stile_fence& fence);

}  // namespace stile::store

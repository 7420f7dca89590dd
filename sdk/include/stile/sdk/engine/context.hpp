// What every operation of the engine is given besides the tables, and how it answers.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "stile/sdk/check.h"
#include "stile/sdk/engine/row.hpp"
#include "stile/sdk/engine/tables.hpp"

namespace stile::sdk::engine {

struct Receipt;

/// Given with every operation. One is made for each time the store's lock is taken.
struct Context {
  Time now = 0;  ///< the store's clock, measured after the lock was held (A3); never below what it was before (A12)
  const stile_limits* limits = nullptr;
  std::uint32_t epoch = 0;  ///< the store's; rows of another one are put right by look (S2)
  stile_id fresh{};  ///< an unguessable id, used where the caller gave no op_id (A1, D2): new for every operation
  const Receipt* receipt = nullptr;  ///< the one in an answer or extend, where the store has read it to find the row
};

template <class Request>
const Request& request_of(const stile_op& op) {
  return *static_cast<const Request*>(op.request);
}
template <class Result>
Result& result_of(stile_op& op) {
  return *static_cast<Result*>(op.result);
}

/// Ends an operation with a refusal. The text must be static.
inline void refuse(stile_op& op, std::int32_t status, std::string_view text) {
  op.status = status;
  op.error = {text.data(), text.size()};
}
inline void accept(stile_op& op) { op.status = STILE_OK; }

inline void refuse_reused(stile_op& op) {
  refuse(op, STILE_INVALID, "op_id names another operation, which is remembered here: draw a fresh one");
}
inline void refuse_fenced(stile_op& op) {
  refuse(op, STILE_FENCED, "the fence is not the current one of this workflow: another pass was granted its lease");
}

/// Memory of the answer (law 1). Throws Failure when there is none: then the store rolls back, or answers UNKNOWN.
inline void* allocate(stile_op& op, std::size_t size) {
  void* memory = op.arena->alloc(op.arena->ctx, size);
  if (memory == nullptr) throw Failure(STILE_UNKNOWN, "out of memory for the answer");
  return memory;
}
inline stile_bytes copy(stile_op& op, std::string_view from) {
  if (from.empty()) return {nullptr, 0};
  auto* memory = static_cast<std::uint8_t*>(allocate(op, from.size()));
  std::memcpy(memory, from.data(), from.size());
  return {memory, from.size()};
}

/// Takes several pieces of an answer from one allocation.
class Carver {
 public:
  Carver(stile_op& op, std::size_t size) : at_(static_cast<std::uint8_t*>(allocate(op, size))) {}

  /// Zeroed, with struct_size set. First, so that it stands aligned.
  template <class T>
  T* element() {
    auto* made = reinterpret_cast<T*>(at_);
    at_ += sizeof(T);
    std::memset(static_cast<void*>(made), 0, sizeof(T));
    made->struct_size = sizeof(T);
    return made;
  }
  stile_bytes copy(std::string_view from) {
    if (from.empty()) return {nullptr, 0};
    std::memcpy(at_, from.data(), from.size());
    const stile_bytes out{at_, from.size()};
    at_ += from.size();
    return out;
  }
  char* room(std::size_t size) {
    auto* out = reinterpret_cast<char*>(at_);
    at_ += size;
    return out;
  }

 private:
  std::uint8_t* at_;
};

/// A document's version as text: at most 20 digits (K2).
class VersionText {
 public:
  explicit VersionText(std::uint64_t version) {
    size_ = static_cast<std::size_t>(std::to_chars(text_, text_ + sizeof text_, version).ptr - text_);
  }
  std::string_view view() const { return {text_, size_}; }

 private:
  char text_[20];
  std::size_t size_;
};

/// The key of an inbox message: "inbox:" and the position in 20 digits (I1).
class InboxKey {
 public:
  static constexpr std::size_t size = 26;

  explicit InboxKey(std::int64_t position) {
    std::memcpy(text_, inbox_prefix.data(), inbox_prefix.size());
    for (std::size_t i = size; i-- > inbox_prefix.size(); position /= 10)
      text_[i] = static_cast<char>('0' + position % 10);
  }
  std::string_view view() const { return {text_, size}; }

 private:
  char text_[size];
};

/// The moment a delay or an instant means, asked now (W8).
inline Time moment(bool is_instant, std::int64_t when, Time now) {
  if (is_instant) return when > now ? when : now;
  return when > last_instant - now ? last_instant : now + when;
}
/// now + span, at most the end of the year 9999: check.h has refused what goes further.
inline Time later(Time now, Span span) { return span > last_instant - now ? last_instant : now + span; }

}  // namespace stile::sdk::engine

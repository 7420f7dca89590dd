// One operation in memory of its own, made from or told as the JSON of CALL.md.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json.hpp>
#include <memory>
#include <string>
#include <string_view>

#include "codec/fields.hpp"
#include "stile/abi.h"
#include "stile/types.hpp"

namespace stile::codec {

namespace json = boost::json;

/// What is wrong with the JSON of an operation: invalid (a member missing, unknown, of the wrong form), too_large, or
/// unsupported (an unknown op). The text names the member.
struct BadRequest {
  Status status = Status::invalid;
  std::string text;
};

/// An owned operation: request, result and every byte they point to. Not copyable; its address does not change.
class Op {
 public:
  /// Of a kind (STILE_OP_*), with a zeroed request and result whose struct_size is set.
  explicit Op(std::uint32_t kind);
  ~Op();
  Op(const Op&) = delete;
  Op& operator=(const Op&) = delete;

  /// From {"op":"record", ...}; throws BadRequest. "tag" and "s" are the caller's to take out before. Missing members
  /// get the contract's defaults. A write without op_id gets none: the caller decides.
  static std::unique_ptr<Op> decode(const json::object& line);

  /// A deep copy of a request somebody else owns, its answer empty.
  static std::unique_ptr<Op> clone(const stile_op& request);

  stile_op* get() { return &op_; }
  const stile_op* get() const { return &op_; }
  template <class T>
  T* request() {
    return static_cast<T*>(const_cast<void*>(op_.request));
  }
  template <class T>
  T* result() {
    return static_cast<T*>(op_.result);
  }

  /// Memory that lives as long as this operation.
  const stile_arena* arena() const;
  /// Puts the answer back to unset, keeping the request, so that it can be sent again. Frees the memory of the old
  /// answer where decode or clone made the request.
  void reset();

  Status status() const { return static_cast<Status>(op_.status); }

 private:
  friend class Decoder;
  struct Memory;
  void keep();  // what is in the arena now is the request's: reset frees the rest

  std::unique_ptr<Memory> memory_;
  stile_op op_{};
};

/// The request of an operation as CALL.md writes it; members that have their default are left out.
json::object request_json(const stile_op& op);
/// The answer of an operation as CALL.md writes it: status, error, native, retry_after, and the result where it counts.
json::object answer_json(const stile_op& op);

/// Bytes as a JSON string when they are valid UTF-8, else {"b64": ...}.
json::value bytes_json(std::string_view bytes);
/// The reverse; throws BadRequest naming member.
std::string bytes_from_json(const json::value& value, std::string_view member);
/// "200ms", "1.5s", "3d" or a whole number of microseconds, rounded up; throws BadRequest naming member.
std::int64_t duration_from_json(const json::value& value, std::string_view member);
std::int64_t duration_from_text(std::string_view text, std::string_view member);

}  // namespace stile::codec

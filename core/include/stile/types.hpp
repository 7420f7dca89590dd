// The vocabulary of Stile's C++ API: times with units, ids, fences, statuses, errors, results.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "stile/abi.h"

namespace stile {
inline namespace v1 {

using namespace std::chrono_literals;

/// A length of time, in microseconds: what goes in.
using Duration = std::chrono::microseconds;
/// A moment by the store's clock, Unix time in microseconds: what comes out.
using StoreTime = std::chrono::sys_time<Duration>;
/// A moment by this host's monotonic clock: how long a caller is willing to wait.
using Deadline = std::chrono::steady_clock::time_point;
/// Bytes that nobody looks into. Owned; a std::string_view where they are only looked at.
using Bytes = std::string;

/// Sixteen unguessable bytes: an op_id (R1), or the stamp of a fence.
struct Id {
  std::array<std::uint8_t, 16> bytes{};

  /// A fresh one from the system's random source. Any thread.
  static Id random();
  /// From 32 hexadecimal digits; nothing if the text is anything else.
  static std::optional<Id> parse(std::string_view hex);
  /// 32 lower-case hexadecimal digits.
  std::string text() const;
  /// True for the all-zero id, which means "none".
  bool empty() const;

  friend bool operator==(const Id&, const Id&) = default;
};

/// A fencing token: the right to write one workflow's checkpoint (A1). Equal only when both members are.
struct Fence {
  std::uint64_t number = 0;
  Id stamp;

  /// From "NUMBER.STAMP" as text() writes it; nothing if the text is anything else.
  static std::optional<Fence> parse(std::string_view text);
  /// "NUMBER.STAMP", the stamp in 32 lower-case hexadecimal digits.
  std::string text() const;

  friend bool operator==(const Fence&, const Fence&) = default;
};

/// The closed list of the contract, by its numbers.
enum class Status : std::int32_t {
#define STILE_STATUS_ENUM(NAME, value, name, happened, again, text) name = value,
  STILE_STATUS_TABLE(STILE_STATUS_ENUM)
#undef STILE_STATUS_ENUM
};

/// "fenced", "stale", ...; "status 99" for a number outside the list.
std::string name_of(Status status);
/// One sentence: what the status means.
std::string_view meaning_of(Status status);

/// Why an operation was not done.
struct Failure {
  Status status = Status::internal;
  std::string text;         ///< for people: what, where, what to do
  std::string native;       ///< the server's own code; empty = none
  Duration retry_after{0};  ///< a hint; zero = none

  bool in_doubt = false;  ///< this refusal is of the last send; an earlier one was lost and may have been applied (R1)
  std::optional<StoreTime> held_until{};             ///< held: when the other lease lapses unless renewed
  std::optional<std::pair<Bytes, Bytes>> current{};  ///< conflict: version and value of what is there; none = nothing
};

/// The one exception of the public API: a Failure, thrown.
class Error : public std::runtime_error {
 public:
  explicit Error(Failure failure) : std::runtime_error(failure.text), failure_(std::move(failure)) {}
  Error(Status status, std::string text) : Error(Failure{status, std::move(text), {}, Duration{0}}) {}

  Status status() const { return failure_.status; }
  const Failure& failure() const { return failure_; }

 private:
  Failure failure_;
};

/// A value, or the Failure that stands in its place. Looking at the value of a failure throws Error.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : held_(std::in_place_index<0>, std::move(value)) {}
  Result(Failure failure) : held_(std::in_place_index<1>, std::move(failure)) {}

  bool ok() const { return held_.index() == 0; }
  explicit operator bool() const { return ok(); }
  Status status() const { return ok() ? Status::ok : failure().status; }

  T& value() & { return check(), std::get<0>(held_); }
  const T& value() const& { return check(), std::get<0>(held_); }
  T&& value() && { return check(), std::get<0>(std::move(held_)); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }

  const Failure& failure() const { return std::get<1>(held_); }

 private:
  void check() const {
    if (!ok()) throw Error(failure());
  }
  std::variant<T, Failure> held_;
};

}  // namespace v1
}  // namespace stile

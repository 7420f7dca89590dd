// What a record, a signal, a message holds: a codec's name in its first byte, what it is in its second, then the value.
//
// JSON unless you say otherwise: Blob is bytes as they are, and a type of yours may bring a codec of its own.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <string_view>
#include <variant>

#include "stile/json.hpp"
#include "stile/types.hpp"

namespace stile {
inline namespace v1 {

/// What a step or a workflow without a value hands back.
using Done = std::monostate;

/// How T is stored. Specialise it to bring your own: an id of your own among 'A' to 'Z' (small letters are ours),
/// encode and decode, which throw ValueError for what they cannot carry.
template <class T>
struct Codec {
  static constexpr char id = 'j';
  static Bytes encode(const T& value) { return to_json(value); }
  static T decode(std::string_view bytes) { return from_json<T>(bytes); }
};

template <>
struct Codec<Blob> {
  static constexpr char id = 'b';
  static Bytes encode(const Blob& value) { return value.bytes; }
  static Blob decode(std::string_view bytes) { return {Bytes(bytes)}; }
};

namespace detail {

[[noreturn]] void fail_codec(char wanted, std::string_view stored);

/// The second byte of what is stored.
enum class Form : char {
  value = '=',
  failure = '!',  ///< of a step or a workflow
  timer = '@',    ///< when a wait ends
  mark = '~',     ///< that something was seen: a cancel request, a wait that timed out
  message = '>',  ///< addressed: an input to its kind, a message to its inbox
};

template <class T>
Bytes encode_value(const T& value) {
  Bytes stored{Codec<T>::id, static_cast<char>(Form::value)};
  stored += Codec<T>::encode(value);
  return stored;
}

/// stored begins with the two bytes.
template <class T>
T decode_value(std::string_view stored) {
  if (stored.size() < 2 || stored[0] != Codec<T>::id || stored[1] != static_cast<char>(Form::value))
    fail_codec(Codec<T>::id, stored);
  return Codec<T>::decode(stored.substr(2));
}

/// Whether == may be asked. Containers claim it for any element, so their elements are asked.
template <class T>
constexpr bool comparable() {
  if constexpr (is_optional<T>) {
    return comparable<typename T::value_type>();
  } else if constexpr (is_tuple<T>) {
    return []<std::size_t... I>(std::index_sequence<I...>) { return (comparable<std::tuple_element_t<I, T>>() && ...); }
    (std::make_index_sequence<std::tuple_size_v<T>>());
  } else if constexpr (MapLike<T>) {
    return comparable<typename T::key_type>() && comparable<typename T::mapped_type>();
  } else if constexpr (is_array<T> || SequenceLike<T>) {
    return std::is_arithmetic_v<typename T::value_type> || comparable<typename T::value_type>();
  } else {
    return std::equality_comparable<T>;
  }
}

/// Throws ValueError unless what was stored comes back as it was: nothing may be lost on the way in.
template <class T>
void check_round_trip(const T& value, std::string_view stored) {
  T back = decode_value<T>(stored);
  bool same = encode_value(back) == stored;
  if constexpr (comparable<T>()) same = same && back == value;
  if (!same) throw ValueError("the value does not come back from its stored form as it was");
}

}  // namespace detail
}  // namespace v1
}  // namespace stile

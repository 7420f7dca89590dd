// How values become JSON and come back: over Boost.JSON values and types described with Boost.Describe.
//
// Members go by name: a missing one keeps its default, an unknown one is ignored, an optional may be absent. Enums go
// by name, durations and instants as whole microseconds. What cannot come back as it was (NaN, text that is not UTF-8,
// a number out of range) fails on the way in, and the error names the member.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <boost/describe.hpp>
#include <boost/json/value.hpp>
#include <boost/mp11/algorithm.hpp>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include "stile/operations.hpp"
#include "stile/types.hpp"

namespace stile {
inline namespace v1 {

namespace json = boost::json;

/// A value that has no such form, or a form that is no such value: where in it, and what is wrong.
class ValueError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Specialise it to give a type of yours a form of its own:
///   static json::value write(const T&);  static T read(const json::value&);
template <class T>
struct JsonForm;

/// A value as one line of JSON; throws ValueError.
template <class T>
Bytes to_json(const T& value);
/// The reverse, exact to the last bit of a double; throws ValueError.
template <class T>
T from_json(std::string_view text);

namespace detail {

/// Where in a value we are: "lines[2].price". Lives on the stack, so it costs nothing until something is wrong.
struct At {
  const At* up = nullptr;
  std::string_view member{};
  std::size_t index = 0;

  std::string text() const;
};
[[noreturn]] void fail_value(const At& at, std::string_view what);
/// Exact numbers, valid UTF-8, at most 200 levels; throws ValueError with the place in the text.
json::value parse_json(std::string_view text);
std::string write_json(const json::value& value);
bool is_utf8(std::string_view text);
std::string to_base64(std::string_view bytes);
std::optional<std::string> from_base64(std::string_view text);
std::int64_t read_integer(const json::value& value, const At& at);
std::uint64_t read_unsigned(const json::value& value, const At& at);
double read_double(const json::value& value, const At& at);
void check_text(std::string_view text, const At& at);
const json::string& read_text(const json::value& value, const At& at);
const json::array& read_array(const json::value& value, const At& at);
const json::object& read_object(const json::value& value, const At& at);
/// Text that names no value of an enum; the message lists those there are.
[[noreturn]] void fail_enum(const At& at, std::string_view got, std::string_view names);

template <class>
inline constexpr bool never = false;
template <class T>
concept HasJsonForm = requires(const T& value, const json::value& form) {
  JsonForm<T>::write(value);
  JsonForm<T>::read(form);
};
template <class T>
concept MapLike = requires {
  typename T::key_type;
  typename T::mapped_type;
};
template <class T>
concept SequenceLike = requires(T t, typename T::value_type v) {
  t.begin();
  t.end();
  t.insert(t.end(), std::move(v));
};
template <class T>
concept DescribedEnum = std::is_enum_v<T> && boost::describe::has_describe_enumerators<T>::value;
template <class T>
concept DescribedClass = std::is_class_v<T> && boost::describe::has_describe_members<T>::value;
template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;
template <class T>
inline constexpr bool is_duration = false;
template <class R, class P>
inline constexpr bool is_duration<std::chrono::duration<R, P>> = true;
template <class T>
inline constexpr bool is_instant = false;
template <class D>
inline constexpr bool is_instant<std::chrono::sys_time<D>> = true;
template <class T>
inline constexpr bool is_tuple = false;
template <class... T>
inline constexpr bool is_tuple<std::tuple<T...>> = true;
template <class A, class B>
inline constexpr bool is_tuple<std::pair<A, B>> = true;
template <class T>
inline constexpr bool is_array = false;
template <class T, std::size_t N>
inline constexpr bool is_array<std::array<T, N>> = true;
template <class T>
inline constexpr bool is_character =
    std::is_same_v<T, char> || std::is_same_v<T, wchar_t> || std::is_same_v<T, char8_t> ||
    std::is_same_v<T, char16_t> || std::is_same_v<T, char32_t>;
template <class T>
using MembersOf =
    boost::describe::describe_members<T, boost::describe::mod_any_access | boost::describe::mod_inherited>;

template <class T>
json::value write_value(const T& value, const At& at);
template <class T>
void read_value(T& into, const json::value& form, const At& at);

/// Whole microseconds; an instant or a duration of a finer unit that is not whole cannot come back.
template <class Rep, class Period>
std::int64_t write_duration(const std::chrono::duration<Rep, Period>& value, const At& at) {
  auto whole = std::chrono::duration_cast<Duration>(value);
  if (whole != value) fail_value(at, "a time that is not a whole number of microseconds");
  return whole.count();
}
template <class D>
D read_duration(const json::value& form, const At& at) {
  Duration read{read_integer(form, at)};
  auto value = std::chrono::duration_cast<D>(read);
  if (value != read) fail_value(at, "a time that is no whole number of its unit");
  return value;
}

template <DescribedEnum T>
json::value write_enum(T value, const At& at) {
  const char* name = nullptr;
  boost::mp11::mp_for_each<boost::describe::describe_enumerators<T>>([&](auto d) {
    if (!name && d.value == value) name = d.name;
  });
  if (!name) fail_value(at, "a number that is no value of its enum");
  return json::string(name);
}
template <DescribedEnum T>
void read_enum(T& into, const json::value& form, const At& at) {
  std::string_view text = read_text(form, at);
  bool found = false;
  std::string names;
  boost::mp11::mp_for_each<boost::describe::describe_enumerators<T>>([&](auto d) {
    if (text == d.name) into = d.value, found = true;
    names += (names.empty() ? "" : ", ") + std::string(d.name);
  });
  if (!found) fail_enum(at, text, names);
}

template <class T>
json::value write_described(const T& value, const At& at) {
  json::object object;
  boost::mp11::mp_for_each<MembersOf<T>>([&](auto d) {
    object[d.name] = write_value(value.*d.pointer, At{&at, d.name, 0});
  });
  return object;
}
template <class T>
void read_described(T& into, const json::value& form, const At& at) {
  const json::object& object = read_object(form, at);
  boost::mp11::mp_for_each<MembersOf<T>>([&](auto d) {
    if (const json::value* member = object.if_contains(d.name))
      read_value(into.*d.pointer, *member, At{&at, d.name, 0});
  });
}

template <class T>
json::value write_map(const T& value, const At& at) {
  if constexpr (std::is_same_v<typename T::key_type, std::string>) {
    json::object object;
    for (const auto& [key, mapped] : value) {
      check_text(key, at);
      object[key] = write_value(mapped, At{&at, key, 0});
    }
    return object;
  } else {  // keys that are no text: an array of pairs
    json::array array;
    for (const auto& [key, mapped] : value) {
      At here{&at, {}, array.size()};
      array.push_back(json::array{write_value(key, here), write_value(mapped, here)});
    }
    return array;
  }
}
template <class T>
void read_map(T& into, const json::value& form, const At& at) {
  into.clear();
  if constexpr (std::is_same_v<typename T::key_type, std::string>) {
    for (const auto& [key, mapped] : read_object(form, at)) {
      typename T::mapped_type value{};
      read_value(value, mapped, At{&at, key, 0});
      into.emplace(std::string(key), std::move(value));
    }
  } else {
    std::size_t index = 0;
    for (const json::value& element : read_array(form, at)) {
      std::pair<typename T::key_type, typename T::mapped_type> pair{};
      read_value(pair, element, At{&at, {}, index++});
      into.emplace(std::move(pair.first), std::move(pair.second));
    }
  }
}

template <class T>
void read_tuple(T& into, const json::value& form, const At& at) {
  const json::array& array = read_array(form, at);
  if (array.size() != std::tuple_size_v<T>) fail_value(at, "an array of another length");
  std::apply(
      [&](auto&... element) {
        std::size_t i = 0;
        ((read_value(element, array[i], At{&at, {}, i}), ++i), ...);
      },
      into);
}
template <class T>
json::value write_tuple(const T& value, const At& at) {
  json::array array;
  std::apply(
      [&](const auto&... element) {
        (array.push_back(write_value(element, At{&at, {}, array.size()})), ...);
      },
      value);
  return array;
}

template <class T>
void read_elements(T& into, const json::value& form, const At& at) {
  const json::array& array = read_array(form, at);
  std::size_t index = 0;
  if constexpr (is_array<T>) {
    if (array.size() != into.size()) fail_value(at, "an array of another length");
    for (auto& element : into) read_value(element, array[index], At{&at, {}, index}), ++index;
  } else {
    into.clear();
    for (const json::value& element : array) {
      typename T::value_type value{};
      read_value(value, element, At{&at, {}, index++});
      into.insert(into.end(), std::move(value));
    }
  }
}
template <class T>
json::value write_elements(const T& value, const At& at) {
  json::array array;
  for (const auto& element : value)
    array.push_back(write_value(static_cast<const typename T::value_type&>(element), At{&at, {}, array.size()}));
  return array;
}

template <class T>
json::value write_number(T value, const At& at) {
  if constexpr (std::is_floating_point_v<T>) {
    if (!std::isfinite(value)) fail_value(at, "NaN and infinity have no JSON form");
    static_assert(sizeof(T) <= sizeof(double), "long double has no JSON form: say double");
    return static_cast<double>(value);
  } else if constexpr (std::is_signed_v<T>) {
    return static_cast<std::int64_t>(value);
  } else {
    return static_cast<std::uint64_t>(value);
  }
}
template <class T>
void read_number(T& into, const json::value& form, const At& at) {
  if constexpr (std::is_floating_point_v<T>) {
    double read = read_double(form, at);
    if (std::abs(read) > static_cast<double>(std::numeric_limits<T>::max())) fail_value(at, "a number out of range");
    into = static_cast<T>(read);
  } else if constexpr (std::is_signed_v<T>) {
    std::int64_t read = read_integer(form, at);
    if (!std::in_range<T>(read)) fail_value(at, "a number out of range");
    into = static_cast<T>(read);
  } else {
    std::uint64_t read = read_unsigned(form, at);
    if (!std::in_range<T>(read)) fail_value(at, "a number out of range");
    into = static_cast<T>(read);
  }
}

template <class T>
json::value write_value(const T& value, const At& at) {
  static_assert(!is_character<T>, "a character has no JSON form: say std::string, or an integer type");
  static_assert(!std::is_pointer_v<T>, "a pointer has no JSON form: say what it points to");
  if constexpr (HasJsonForm<T>) {
    return JsonForm<T>::write(value);
  } else if constexpr (std::is_same_v<T, json::value>) {
    return value;
  } else if constexpr (std::is_same_v<T, bool>) {
    return value;
  } else if constexpr (std::is_arithmetic_v<T>) {
    return write_number(value, at);
  } else if constexpr (DescribedEnum<T>) {
    return write_enum(value, at);
  } else if constexpr (std::is_same_v<T, std::string> || std::is_same_v<T, std::string_view>) {
    check_text(value, at);
    return json::string(value);
  } else if constexpr (std::is_same_v<T, Blob>) {
    return json::string(to_base64(value.bytes));
  } else if constexpr (std::is_same_v<T, std::monostate>) {
    return nullptr;
  } else if constexpr (is_duration<T>) {
    return write_duration(value, at);
  } else if constexpr (is_instant<T>) {
    return write_duration(value.time_since_epoch(), at);
  } else if constexpr (is_optional<T>) {
    static_assert(!is_optional<typename T::value_type>, "an optional of an optional has no JSON form");
    return value ? write_value(*value, at) : json::value(nullptr);
  } else if constexpr (is_tuple<T>) {
    return write_tuple(value, at);
  } else if constexpr (MapLike<T>) {
    return write_map(value, at);
  } else if constexpr (is_array<T> || SequenceLike<T>) {
    return write_elements(value, at);
  } else if constexpr (DescribedClass<T>) {
    return write_described(value, at);
  } else {
    static_assert(never<T>,
                  "this type has no JSON form: describe it (BOOST_DESCRIBE_STRUCT, BOOST_DESCRIBE_ENUM), "
                  "or specialise stile::JsonForm or stile::Codec for it");
  }
}

template <class T>
void read_value(T& into, const json::value& form, const At& at) {
  if constexpr (HasJsonForm<T>) {
    into = JsonForm<T>::read(form);
  } else if constexpr (std::is_same_v<T, json::value>) {
    into = form;
  } else if constexpr (std::is_same_v<T, bool>) {
    if (!form.is_bool()) fail_value(at, "neither true nor false");
    into = form.get_bool();
  } else if constexpr (std::is_arithmetic_v<T>) {
    read_number(into, form, at);
  } else if constexpr (DescribedEnum<T>) {
    read_enum(into, form, at);
  } else if constexpr (std::is_same_v<T, std::string>) {
    into = read_text(form, at);
  } else if constexpr (std::is_same_v<T, Blob>) {
    auto bytes = from_base64(read_text(form, at));
    if (!bytes) fail_value(at, "no base64");
    into.bytes = *std::move(bytes);
  } else if constexpr (std::is_same_v<T, std::monostate>) {
    if (!form.is_null()) fail_value(at, "a value where nothing is meant");
  } else if constexpr (is_duration<T>) {
    into = read_duration<T>(form, at);
  } else if constexpr (is_instant<T>) {
    into = T(read_duration<typename T::duration>(form, at));
  } else if constexpr (is_optional<T>) {
    if (form.is_null()) {
      into.reset();
    } else {
      typename T::value_type value{};
      read_value(value, form, at);
      into = std::move(value);
    }
  } else if constexpr (is_tuple<T>) {
    read_tuple(into, form, at);
  } else if constexpr (MapLike<T>) {
    read_map(into, form, at);
  } else if constexpr (is_array<T> || SequenceLike<T>) {
    read_elements(into, form, at);
  } else if constexpr (DescribedClass<T>) {
    read_described(into, form, at);
  } else {
    static_assert(never<T>, "this type has no JSON form to be read from: see write_value");
  }
}

}  // namespace detail

template <class T>
Bytes to_json(const T& value) {
  return detail::write_json(detail::write_value(value, detail::At{}));
}

template <class T>
T from_json(std::string_view text) {
  if constexpr (detail::HasJsonForm<T>) {
    return JsonForm<T>::read(detail::parse_json(text));
  } else {
    static_assert(std::is_default_constructible_v<T>, "a value that is read back needs a default constructor");
    T value{};
    detail::read_value(value, detail::parse_json(text), detail::At{});
    return value;
  }
}

}  // namespace v1
}  // namespace stile

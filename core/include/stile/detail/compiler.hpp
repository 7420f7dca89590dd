// What some compilers get wrong about co_await, turned into errors that a person can read.
//
// g++ before 15 destroys some temporaries of a co_await expression twice: a closure that owns copies, a braced
// aggregate. Which later g++ is right is not known yet, so the guard is on for all before 15. clang is not affected.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

namespace stile {
inline namespace v1 {
namespace detail {

#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 15
inline constexpr bool destroys_temporaries_twice = true;
#else
inline constexpr bool destroys_temporaries_twice = false;
#endif

/// F is deduced from F&&: a callable given to something that is awaited.
template <class F>
constexpr void check_callable() {
  static_assert(!destroys_temporaries_twice || std::is_lvalue_reference_v<F> ||
                    std::is_trivially_destructible_v<std::remove_cvref_t<F>>,
                "this compiler destroys captured copies twice inside a co_await expression: "
                "capture by reference [&], or name the lambda on a line of its own");
}

/// A is deduced from A&&: a value given to something that is awaited.
template <class A>
constexpr void check_argument() {
  static_assert(!destroys_temporaries_twice || std::is_lvalue_reference_v<A> ||
                    !std::is_aggregate_v<std::remove_cvref_t<A>> ||
                    std::is_trivially_destructible_v<std::remove_cvref_t<A>>,
                "this compiler destroys a braced temporary twice inside a co_await expression: "
                "name it on a line of its own");
}

/// Options may stand in braces inside a co_await expression only if there is nothing to destroy.
template <class O>
inline constexpr bool safe_as_braces = std::is_trivially_destructible_v<O>;

}  // namespace detail
}  // namespace v1
}  // namespace stile

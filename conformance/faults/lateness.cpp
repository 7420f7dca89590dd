// How late something came.
//
// SPDX-License-Identifier: Apache-2.0
#include "faults/lateness.hpp"

#include <algorithm>

namespace stile::conformance::faults {

std::int64_t number_of(const boost::json::object& answer, std::string_view member) {
  const boost::json::value* value = answer.if_contains(member);
  return value && value->is_int64() ? value->get_int64() : 0;
}

Duration Lateness::of(const boost::json::object& answer, std::int64_t due) {
  const auto now = std::chrono::steady_clock::now();
  const Duration late{number_of(answer, "store_time") - due};
  return late - standstill_.between(now - std::max(late, Duration{0}), now);
}

}  // namespace stile::conformance::faults

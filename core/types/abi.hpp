// The ABI's texts, bytes and deadlines as this house's own, and back. Nothing is copied: a view lives as long as what
// it is of.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "stile/abi.h"
#include "stile/types.hpp"

namespace stile::types {

inline std::string_view view(const stile_text& text) { return {text.ptr, static_cast<std::size_t>(text.len)}; }
inline std::string_view view(const stile_bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.ptr), static_cast<std::size_t>(bytes.len)};
}
inline stile_text text_of(std::string_view text) { return {text.data(), text.size()}; }
inline stile_bytes bytes_of(std::string_view bytes) {
  return {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()};
}

/// The deadline of a call as the ABI says it, and back.
inline std::int64_t abi_of(Deadline deadline) {
  if (deadline == Deadline::max()) return STILE_NEVER;
  return std::chrono::floor<Duration>(deadline.time_since_epoch()).count();
}
inline Deadline deadline_of(std::int64_t deadline) {
  if (deadline == STILE_NEVER) return Deadline::max();
  return Deadline(Duration(deadline));
}

}  // namespace stile::types

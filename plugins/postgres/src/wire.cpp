// Numbers and arrays as bytes.
//
// SPDX-License-Identifier: Apache-2.0
#include "wire.hpp"

namespace stile::postgres {

void Array::number(std::int64_t value) {
  switch (type_) {
    case Type::boolean:
      put_integer<std::int32_t>(elements_, 1), put_integer<std::uint8_t>(elements_, value != 0);
      break;
    case Type::int2:
      put_integer<std::int32_t>(elements_, 2), put_integer<std::int16_t>(elements_, static_cast<std::int16_t>(value));
      break;
    case Type::int4:
      put_integer<std::int32_t>(elements_, 4), put_integer<std::int32_t>(elements_, static_cast<std::int32_t>(value));
      break;
    default: put_integer<std::int32_t>(elements_, 8), put_integer<std::int64_t>(elements_, value);
  }
  ++size_;
}

std::string Array::wire() const {
  std::string out;
  out.reserve(elements_.size() + 20);
  put_integer<std::int32_t>(out, size_ == 0 ? 0 : 1);
  put_integer<std::int32_t>(out, nulls_ ? 1 : 0);
  put_integer<std::uint32_t>(out, static_cast<std::uint32_t>(type_));
  if (size_ == 0) return out;
  put_integer<std::int32_t>(out, size_);
  put_integer<std::int32_t>(out, 1);
  return out += elements_;
}

std::int64_t Row::integer(int column) const {
  if (none(column)) return 0;
  const char* from = PQgetvalue(result_, row_, column);
  switch (PQgetlength(result_, row_, column)) {
    case 1: return *from;
    case 2: return get_integer<std::int16_t>(from);
    case 4: return get_integer<std::int32_t>(from);
    default: return get_integer<std::int64_t>(from);
  }
}

}  // namespace stile::postgres

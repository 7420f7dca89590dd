// Values as the server's binary protocol has them: parameters, arrays of parameters, columns of a row.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <libpq-fe.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "stile/abi.h"

namespace stile::postgres {

/// Types of the server, by their fixed numbers.
enum class Type : std::uint32_t { boolean = 16, bytes = 17, int8 = 20, int2 = 21, int4 = 23, text = 25, uuid = 2950 };

template <class Integer>
void put_integer(std::string& to, Integer value) {
  for (int shift = static_cast<int>(sizeof value) * 8 - 8; shift >= 0; shift -= 8)
    to.push_back(static_cast<char>(static_cast<std::uint64_t>(value) >> shift & 0xff));
}

template <class Integer>
Integer get_integer(const char* from) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < sizeof(Integer); ++i) value = value << 8 | static_cast<std::uint8_t>(from[i]);
  return static_cast<Integer>(value);
}

inline std::string_view view_of(const stile_id& id) {
  return {reinterpret_cast<const char*>(id.bytes), sizeof id.bytes};
}

/// The elements of a one-dimensional array.
class Array {
 public:
  explicit Array(Type type) : type_(type) {}

  void none() {
    nulls_ = true;
    put_integer<std::int32_t>(elements_, -1);
    ++size_;
  }
  void add(std::string_view bytes) {
    put_integer(elements_, static_cast<std::int32_t>(bytes.size()));
    elements_ += bytes;
    ++size_;
  }
  void add(const stile_bytes& bytes) {
    add({reinterpret_cast<const char*>(bytes.ptr), static_cast<std::size_t>(bytes.len)});
  }
  /// All zero is none.
  void add(const stile_id& id) {
    static constexpr stile_id zero{};
    if (std::memcmp(&id, &zero, sizeof id) == 0) return none();
    add(view_of(id));
  }
  /// A whole number, in as many bytes as the type has.
  void number(std::int64_t value);
  std::size_t bytes() const { return elements_.size(); }

  std::string wire() const;

 private:
  Type type_;
  bool nulls_ = false;
  std::int32_t size_ = 0;
  std::string elements_;
};

/// The parameters of a statement, all binary.
class Params {
 public:
  Params& add(std::string bytes) {
    kept_.push_back(std::make_unique<std::string>(std::move(bytes)));
    return view(*kept_.back());
  }
  /// Bytes that outlive the sending.
  Params& view(std::string_view bytes) {
    static constexpr char empty[1] = {};
    values_.push_back(bytes.data() != nullptr ? bytes.data() : empty);
    lengths_.push_back(static_cast<int>(bytes.size()));
    formats_.push_back(1);
    return *this;
  }
  Params& view(const stile_bytes& bytes) {
    return view({reinterpret_cast<const char*>(bytes.ptr), static_cast<std::size_t>(bytes.len)});
  }
  Params& none() {
    values_.push_back(nullptr);
    lengths_.push_back(0);
    formats_.push_back(1);
    return *this;
  }
  template <class Integer>
  Params& integer(Integer value) {
    std::string out;
    put_integer(out, value);
    return add(std::move(out));
  }
  Params& boolean(bool value) { return integer<std::uint8_t>(value ? 1 : 0); }
  Params& id(const stile_id& id) {
    static constexpr stile_id zero{};
    return std::memcmp(&id, &zero, sizeof id) == 0 ? none() : view(view_of(id));
  }
  Params& array(const Array& array) { return add(array.wire()); }
  /// Text as the type of the parameter reads it.
  Params& text(std::string value) {
    add(std::move(value));
    formats_.back() = 0;
    return *this;
  }

  int size() const { return static_cast<int>(values_.size()); }
  const char* const* values() const { return values_.data(); }
  const int* lengths() const { return lengths_.data(); }
  const int* formats() const { return formats_.data(); }
  /// The types, where text would be taken for something else; null = the server finds out.
  const Oid* types() const { return nullptr; }

 private:
  std::vector<std::unique_ptr<std::string>> kept_;
  std::vector<const char*> values_;
  std::vector<int> lengths_, formats_;
};

struct Clear {
  void operator()(PGresult* result) const { PQclear(result); }
};
using Result = std::unique_ptr<PGresult, Clear>;

/// A row of a binary result.
class Row {
 public:
  Row(const Result& result, int row) : result_(result.get()), row_(row) {}

  bool none(int column) const { return PQgetisnull(result_, row_, column) != 0; }
  std::string_view bytes(int column) const {
    return {PQgetvalue(result_, row_, column), static_cast<std::size_t>(PQgetlength(result_, row_, column))};
  }
  /// A whole number of whatever width; NULL is 0.
  std::int64_t integer(int column) const;
  stile_id id(int column) const {
    stile_id out{};
    if (!none(column)) std::memcpy(out.bytes, PQgetvalue(result_, row_, column), sizeof out.bytes);
    return out;
  }

 private:
  PGresult* result_;
  int row_;
};

}  // namespace stile::postgres

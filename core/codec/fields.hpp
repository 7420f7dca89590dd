// The tables of sdk/include/stile/abi/fields.h as data: one description of every struct of an operation.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "stile/abi.h"
#include "stile/abi/fields.h"

namespace stile::codec {

/// What kind of thing a member is.
enum class Form : std::uint8_t {
#define STILE_CODEC_FORM(form, type, written) form,
  STILE_FORM_TABLE(STILE_CODEC_FORM)
#undef STILE_CODEC_FORM
};

struct Field {
  static constexpr std::uint16_t none = 0xFFFF;

  std::string_view member;  ///< in the C struct
  std::string_view name;    ///< in JSON; empty = not said there
  Form form;
  std::uint32_t traits;           ///< STILE_FIELD_*
  std::uint64_t fallback;         ///< of requests, where it is left out
  std::uint16_t offset, size;     ///< in the struct
  std::uint16_t presence = none;  ///< offset of its has_ flag, or none

  bool has(std::uint32_t trait) const { return (traits & trait) != 0; }
};

struct Struct {
  std::string_view name;  ///< "acquire_request", "record"
  std::uint16_t size = 0;
  std::span<const Field> fields;

  /// The field of a C member; null when there is none.
  const Field* member(std::string_view name) const;
};

/// Every struct that has a table.
std::span<const Struct> structs();
/// One of them; null when there is none.
const Struct* find_struct(std::string_view name);

/// What a kind's request and result look like; null for an unknown kind, and for a kind without result.
const Struct* request_of(std::uint32_t kind);
const Struct* result_of(std::uint32_t kind);
/// STILE_TRAIT_* of a kind; 0 for an unknown one.
std::uint32_t traits_of(std::uint32_t kind);
/// The name of an operation kind, and back; empty and 0 when there is none.
std::string_view op_name(std::uint32_t kind);
std::uint32_t op_kind(std::string_view name);

/// The structs that other structs point to.
extern const Struct& record_struct;
extern const Struct& enqueue_struct;
extern const Struct& watched_struct;
extern const Struct& answer_struct;
extern const Struct& effect_struct;
extern const Struct& delivery_struct;
extern const Struct& document_struct;
extern const Struct& limits_struct;
extern const Struct& workflow_struct;

/// The struct of the elements of a linked list; null when form is no list of elements.
const Struct* element_of(Form form);

/// The member at field's place in a struct of field's type.
template <class T>
T& at(void* base, const Field& field) {
  return *reinterpret_cast<T*>(static_cast<char*>(base) + field.offset);
}
template <class T>
const T& at(const void* base, const Field& field) {
  return *reinterpret_cast<const T*>(static_cast<const char*>(base) + field.offset);
}

}  // namespace stile::codec

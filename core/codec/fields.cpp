// The description of every struct, made from the C tables at compile time.
//
// SPDX-License-Identifier: Apache-2.0
#include "codec/fields.hpp"

#include <array>
#include <cstddef>

#include "codec/op.hpp"

namespace stile::codec {
namespace {

// A member's flag is the one that is called has_ and then like it.
template <std::size_t n>
constexpr std::array<Field, n> with_presence(std::array<Field, n> fields) {
  for (Field& field : fields)
    for (const Field& flag : fields)
      if (flag.form == Form::presence && flag.member.substr(4) == field.member) field.presence = flag.offset;
  return fields;
}

#define STILE_CODEC_ONE(form, member, name, traits, fallback) +1
#define STILE_CODEC_ROW(form_, member_, name_, traits_, fallback_) \
  Field{#member_,                                                  \
        name_,                                                     \
        Form::form_,                                               \
        traits_,                                                   \
        fallback_,                                                 \
        offsetof(Type, member_),                                   \
        sizeof(static_cast<Type*>(nullptr)->member_),              \
        Field::none},
#define STILE_CODEC_TABLE(name_)                                                        \
  struct Table_##name_ {                                                                \
    using Type = stile_##name_;                                                         \
    static constexpr std::size_t count = 0 STILE_FIELDS_##name_(STILE_CODEC_ONE);       \
    static constexpr std::array<Field, count> fields =                                  \
        with_presence(std::array<Field, count>{STILE_FIELDS_##name_(STILE_CODEC_ROW)}); \
  };
STILE_STRUCT_TABLE(STILE_CODEC_TABLE)

constexpr Struct all[] = {
#define STILE_CODEC_STRUCT(name_) {#name_, sizeof(stile_##name_), Table_##name_::fields},
    STILE_STRUCT_TABLE(STILE_CODEC_STRUCT)
#undef STILE_CODEC_STRUCT
};

constexpr const Struct* find(std::string_view name, std::string_view ending = {}) {
  for (const Struct& one : all)
    if (one.name.size() == name.size() + ending.size() && one.name.starts_with(name) && one.name.ends_with(ending))
      return &one;
  return nullptr;
}

struct Kind {
  std::string_view name;
  std::uint32_t traits = 0;
  const Struct* request = nullptr;
  const Struct* result = nullptr;
};

constexpr Kind kinds[] = {{},
#define STILE_CODEC_KIND(NAME, value, name, traits) {#name, traits, find(#name, "_request"), find(#name, "_result")},
                          STILE_OP_TABLE(STILE_CODEC_KIND)
#undef STILE_CODEC_KIND
};
static_assert(std::size(kinds) == STILE_OP_COUNT + 1);

constexpr bool complete() {
  for (std::size_t i = 1; i < std::size(kinds); ++i)
    if (!kinds[i].request || (kinds[i].result != nullptr) != ((kinds[i].traits & STILE_TRAIT_RESULT) != 0))
      return false;
  return true;
}
static_assert(complete(), "an operation of table.h has no table in fields.h, or one too many");

const Kind& kind_at(std::uint32_t kind) { return kinds[kind < std::size(kinds) ? kind : 0]; }

}  // namespace

constinit const Struct& record_struct = *find("record");
constinit const Struct& enqueue_struct = *find("enqueue");
constinit const Struct& watched_struct = *find("watched");
constinit const Struct& answer_struct = *find("answer");
constinit const Struct& effect_struct = *find("effect");
constinit const Struct& delivery_struct = *find("delivery");
constinit const Struct& document_struct = *find("document");
constinit const Struct& limits_struct = *find("limits");
constinit const Struct& workflow_struct = *find("workflow");

const Field* Struct::member(std::string_view wanted) const {
  for (const Field& field : fields)
    if (field.member == wanted) return &field;
  return nullptr;
}

std::span<const Struct> structs() { return all; }
const Struct* find_struct(std::string_view name) { return find(name); }
const Struct* request_of(std::uint32_t kind) { return kind_at(kind).request; }
const Struct* result_of(std::uint32_t kind) { return kind_at(kind).result; }
std::uint32_t traits_of(std::uint32_t kind) { return kind_at(kind).traits; }

const Struct* element_of(Form form) {
  switch (form) {
    case Form::records: return &record_struct;
    case Form::deliveries: return &delivery_struct;
    case Form::documents: return &document_struct;
    case Form::workflows: return &workflow_struct;
    default: return nullptr;
  }
}

std::string_view op_name(std::uint32_t kind) { return kind_at(kind).name; }

std::uint32_t op_kind(std::string_view name) {
  for (std::uint32_t kind = 1; kind < std::size(kinds); ++kind)
    if (kinds[kind].name == name) return kind;
  return 0;
}

}  // namespace stile::codec

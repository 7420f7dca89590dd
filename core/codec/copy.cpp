// Deep copies of requests and answers.
//
// SPDX-License-Identifier: Apache-2.0
#include "codec/copy.hpp"

#include <cstring>

namespace stile::codec {
namespace {

bool copy_member(const Field& field, const void* from, void* to, const stile_arena& arena);

void* allocate(const stile_arena& arena, std::uint64_t size) { return arena.alloc(arena.ctx, size); }

// Members only: of structs that stand inside another one.
bool copy_members(const Struct& description, const void* from, void* to, const stile_arena& arena) {
  for (const Field& field : description.fields)
    if (!copy_member(field, from, to, arena)) return false;
  return true;
}

// A struct of its own that a pointer leads to.
bool copy_pointee(const Struct& description, const void* from, const void*& to, const stile_arena& arena) {
  if (!from) return true;
  void* copy = allocate(arena, description.size);
  to = copy;
  return copy && copy_struct(description, from, copy, arena);
}

template <class T, class Each>
bool copy_list(const Field& field, const void* from, void* to, const stile_arena& arena, Each each) {
  const T* source = at<const T*>(from, field);
  auto count = at<std::uint64_t>(from, (&field)[1]);  // the length follows its list
  if (count == 0) return at<const T*>(to, field) = nullptr, true;
  T* copy = static_cast<T*>(allocate(arena, count * sizeof(T)));
  if (!copy) return false;
  std::memcpy(copy, source, count * sizeof(T));
  at<const T*>(to, field) = copy;
  for (std::uint64_t i = 0; i < count; ++i)
    if (!each(copy[i])) return false;
  return true;
}

bool copy_elements(const Field& field, const void* from, void* to, const stile_arena& arena) {
  const Struct& description = *element_of(field.form);
  const Field& next = *description.member("next");
  const void* source = at<const void*>(from, field);
  void** tail = &at<void*>(to, field);
  *tail = nullptr;
  for (; source; source = at<const void*>(source, next)) {
    void* copy = allocate(arena, description.size);
    if (!copy || !copy_struct(description, source, copy, arena)) return false;
    at<void*>(copy, next) = nullptr;
    *tail = copy;
    tail = &at<void*>(copy, next);
  }
  return true;
}

bool copy_member(const Field& field, const void* from, void* to, const stile_arena& arena) {
  switch (field.form) {
    case Form::bytes:
    case Form::receipt:
    case Form::version: return copy_bytes(at<stile_bytes>(from, field), at<stile_bytes>(to, field), arena);
    case Form::text: return copy_text(at<stile_text>(from, field), at<stile_text>(to, field), arena);
    case Form::bytes_list:
      return copy_list<stile_bytes>(field, from, to, arena, [&](auto& one) { return copy_bytes(one, one, arena); });
    case Form::text_list:
      return copy_list<stile_text>(field, from, to, arena, [&](auto& one) { return copy_text(one, one, arena); });
    case Form::values:
      return copy_list<stile_value>(field, from, to, arena,
                                    [&](auto& one) { return copy_bytes(one.data, one.data, arena); });
    case Form::watched:
      return copy_list<stile_watched>(field, from, to, arena,
                                      [&](auto& one) { return copy_bytes(one.workflow, one.workflow, arena); });
    case Form::changed: return copy_list<std::uint64_t>(field, from, to, arena, [](auto&) { return true; });
    case Form::answer:
      return copy_members(answer_struct, &at<stile_answer>(from, field), &at<stile_answer>(to, field), arena);
    case Form::enqueue:
    case Form::enqueue_inline:
      return copy_pointee(enqueue_struct, at<const void*>(from, field), at<const void*>(to, field), arena);
    case Form::effect:
      return copy_pointee(effect_struct, at<const void*>(from, field), at<const void*>(to, field), arena);
    case Form::limits:
      return copy_pointee(limits_struct, at<const void*>(from, field), at<const void*>(to, field), arena);
    case Form::operation: {
      const auto* source = at<const stile_op*>(from, field);
      auto* copy = source ? static_cast<stile_op*>(allocate(arena, sizeof(stile_op))) : nullptr;
      at<const stile_op*>(to, field) = copy;
      return !source || (copy && copy_request(*source, *copy, arena));
    }
    case Form::records:
    case Form::deliveries:
    case Form::documents:
    case Form::workflows: return copy_elements(field, from, to, arena);
    default: return true;  // a number, already copied with its struct
  }
}

}  // namespace

bool copy_bytes(stile_bytes from, stile_bytes& to, const stile_arena& arena) {
  to = {nullptr, 0};
  if (from.len == 0) return true;
  void* copy = allocate(arena, from.len);
  if (!copy) return false;
  std::memcpy(copy, from.ptr, from.len);
  to = {static_cast<const std::uint8_t*>(copy), from.len};
  return true;
}

bool copy_text(stile_text from, stile_text& to, const stile_arena& arena) {
  stile_bytes copy;
  bool fits = copy_bytes({reinterpret_cast<const std::uint8_t*>(from.ptr), from.len}, copy, arena);
  to = {reinterpret_cast<const char*>(copy.ptr), copy.len};
  return fits;
}

bool copy_struct(const Struct& description, const void* from, void* to, const stile_arena& arena) {
  std::memcpy(to, from, description.size);
  // A struct that may grow says its size first; the copy is of the revision that is known here.
  const Field& first = description.fields.front();
  if (first.form == Form::struct_size) at<std::uint32_t>(to, first) = description.size;
  return copy_members(description, from, to, arena);
}

bool copy_request(const stile_op& from, stile_op& to, const stile_arena& arena) {
  to = stile_op{};
  to.struct_size = sizeof(stile_op);
  to.kind = from.kind;
  to.must = from.must;
  to.status = STILE_UNSET;
  to.op_id = from.op_id;
  const Struct* request = request_of(from.kind);
  return !request || copy_pointee(*request, from.request, to.request, arena);
}

void copy_answer(const stile_op& from, stile_op& to) {
  const Struct* result = result_of(from.kind);
  bool fits = copy_text(from.error, to.error, *to.arena) && copy_text(from.native, to.native, *to.arena);
  if (fits && result && from.result && to.result) fits = copy_struct(*result, from.result, to.result, *to.arena);
  to.status = from.status;
  to.retry_after = from.retry_after;
  if (fits) return;
  bool done = from.status == STILE_OK && (traits_of(from.kind) & STILE_TRAIT_WRITE) != 0;
  to.status = done ? STILE_UNKNOWN : from.status == STILE_OK ? STILE_UNAVAILABLE : from.status;
  to.error = STILE_LIT("out of memory while the answer was copied");
  to.native = {nullptr, 0};
}

}  // namespace stile::codec

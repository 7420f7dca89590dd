// Operations and their memory.
//
// SPDX-License-Identifier: Apache-2.0
#include "store/operation.hpp"

#include <cstring>
#include <new>
#include <utility>

#include "codec/copy.hpp"
#include "stile/sdk/author.h"

namespace stile::store {

namespace {

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define STILE_STORE_NO_SPARES 1
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define STILE_STORE_NO_SPARES 1
#endif

#if defined(STILE_STORE_NO_SPARES)
constexpr std::size_t most_spare = 0;  // so that what is used after its release is found
#else
constexpr std::size_t most_spare = 128;
#endif

struct Spare {
  Spare* next;
};
thread_local Spare* spares = nullptr;
thread_local std::size_t spares_room = most_spare;

/// Frees a thread's spares at its end; from then on there is no room for any.
struct SparesEnd {
  ~SparesEnd() {
    spares_room = 0;
    while (spares != nullptr) ::operator delete(std::exchange(spares, spares->next));
  }
};

}  // namespace

void* Operation::operator new(std::size_t size) {
  if (spares == nullptr) return ::operator new(size);
  ++spares_room;
  return std::exchange(spares, spares->next);
}

void Operation::operator delete(void* memory) {
  if (spares_room == 0) return ::operator delete(memory);
  thread_local SparesEnd end;
  --spares_room;
  spares = new (memory) Spare{spares};
}

Operation::Operation() {
  op_.struct_size = sizeof(stile_op);
  op_.status = STILE_UNSET;
  op_.arena = arena_.abi();
}

void Operation::seal(std::size_t result_size) {
  result_size_ = static_cast<std::uint32_t>(result_size);
  sealed_ = arena_.mark();
}

void Operation::put_copy(const stile_op& request) {
  op_.kind = request.kind;
  op_.must = request.must & ~STILE_MUST_AFTER_OK;
  op_.op_id = request.op_id;
  after_ok = (request.must & STILE_MUST_AFTER_OK) != 0;
  const codec::Struct* description = codec::request_of(request.kind);
  if (!description) return refuse(Status::unsupported, "this operation is not known");
  void* copy = arena_.allocate(description->size);
  if (!copy || !codec::copy_struct(*description, request.request, copy, *arena_.abi())) throw std::bad_alloc();
  op_.request = copy;
  std::size_t size = 0;
  if (const codec::Struct* result = codec::result_of(request.kind)) {
    size = result->size;
    op_.result = arena_.allocate(size);
    if (!op_.result) throw std::bad_alloc();
  }
  seal(size);
  reset();
}

void Operation::reset() {
  arena_.rewind(sealed_);
  op_.status = STILE_UNSET;
  op_.error = {};
  op_.native = {};
  op_.retry_after = 0;
  if (op_.result) {
    std::memset(op_.result, 0, result_size_);
    std::memcpy(op_.result, &result_size_, sizeof(result_size_));  // struct_size comes first in every result
  }
}

void Operation::refuse(Status status, std::string_view text) {
  op_.status = static_cast<std::int32_t>(status);
  op_.error = arena_.copy_text(text);
  refused_ = true;
}

bool travels_alone(const stile_op& op) { return stile_alone(&op) != 0; }

stile_id abi_of(const Id& id) {
  stile_id out;
  std::memcpy(out.bytes, id.bytes.data(), sizeof(out.bytes));
  return out;
}

stile_fence abi_of(const Fence& fence) { return {fence.number, abi_of(fence.stamp)}; }

Id id_of(const stile_id& id) {
  Id out;
  std::memcpy(out.bytes.data(), id.bytes, sizeof(id.bytes));
  return out;
}

Fence fence_of(const stile_fence& fence) { return {fence.number, id_of(fence.stamp)}; }

}  // namespace stile::store

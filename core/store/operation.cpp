// Operations and their memory.
//
// SPDX-License-Identifier: Apache-2.0
#include "store/operation.hpp"

#include <cstring>
#include <new>

#include "codec/copy.hpp"
#include "stile/sdk/author.h"

namespace stile::store {

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

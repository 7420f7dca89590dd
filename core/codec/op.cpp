// The memory of an operation: its request, its result, and a growing arena.
//
// SPDX-License-Identifier: Apache-2.0
#include "codec/op.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <new>

#include "codec/arena.hpp"
#include "codec/copy.hpp"
#include "codec/fields.hpp"

namespace stile::codec {
namespace {

// Room for any request or result.
#define STILE_CODEC_SIZE(name) sizeof(stile_##name),
constexpr std::size_t largest = std::max({STILE_STRUCT_TABLE(STILE_CODEC_SIZE) std::size_t{0}});
#undef STILE_CODEC_SIZE

}  // namespace

struct Op::Memory {
  Arena arena;
  Arena::Mark kept;  // where the request ends: what reset goes back to
  bool has_kept = false;
  alignas(16) std::array<std::byte, largest> request{};
  alignas(16) std::array<std::byte, largest> result{};
};

Op::Op(std::uint32_t kind) : memory_(std::make_unique<Memory>()) {
  op_.struct_size = sizeof(stile_op);
  op_.kind = kind;
  op_.status = STILE_UNSET;
  op_.arena = memory_->arena.abi();
  op_.request = memory_->request.data();
  if (const Struct* request = request_of(kind))
    at<std::uint32_t>(memory_->request.data(), request->fields[0]) = request->size;
  if (const Struct* result = result_of(kind)) {
    op_.result = memory_->result.data();
    at<std::uint32_t>(op_.result, result->fields[0]) = result->size;
  }
}

Op::~Op() = default;

std::unique_ptr<Op> Op::clone(const stile_op& request) {
  const Struct* description = request_of(request.kind);
  if (!description || !request.request)
    throw BadRequest{Status::unsupported, "operation " + std::to_string(request.kind) + " is not known"};
  auto op = std::make_unique<Op>(request.kind);
  op->op_.must = request.must;
  op->op_.op_id = request.op_id;
  if (!copy_struct(*description, request.request, op->memory_->request.data(), *op->arena())) throw std::bad_alloc{};
  op->keep();
  return op;
}

const stile_arena* Op::arena() const { return memory_->arena.abi(); }

void Op::keep() {
  memory_->kept = memory_->arena.mark();
  memory_->has_kept = true;
}

void Op::reset() {
  op_.status = STILE_UNSET;
  op_.error = op_.native = {nullptr, 0};
  op_.retry_after = 0;
  if (memory_->has_kept) memory_->arena.rewind(memory_->kept);
  if (const Struct* result = result_of(op_.kind)) {
    memory_->result.fill(std::byte{0});
    at<std::uint32_t>(op_.result, result->fields[0]) = result->size;
  }
}

}  // namespace stile::codec

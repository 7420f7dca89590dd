// The memory of an operation: its request, its result, and a growing arena.
//
// SPDX-License-Identifier: Apache-2.0
#include "codec/op.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "codec/copy.hpp"
#include "codec/fields.hpp"

namespace stile::codec {
namespace {

// Room for any request or result.
#define STILE_CODEC_SIZE(name) sizeof(stile_##name),
constexpr std::size_t largest = std::max({STILE_STRUCT_TABLE(STILE_CODEC_SIZE) std::size_t{0}});
#undef STILE_CODEC_SIZE

constexpr std::size_t align(std::size_t size) { return (size + 15) & ~std::size_t{15}; }

}  // namespace

// One block that holds what most operations need; further ones are added as answers grow.
struct Op::Memory {
  struct Block {
    Block* older;
    std::size_t size;
  };
  struct Mark {
    Block* block;
    std::byte* next;
    std::byte* end;
  };

  stile_arena face{sizeof(stile_arena), 0, this, &Memory::allocate};
  alignas(16) std::array<std::byte, 640> first;
  Block* block = nullptr;
  std::byte* next = first.data();
  std::byte* end = first.data() + first.size();
  Mark kept{};  // where the request ends: what reset goes back to
  bool has_kept = false;
  alignas(16) std::array<std::byte, largest> request{};
  alignas(16) std::array<std::byte, largest> result{};

  Memory() = default;
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory() { drop_to(nullptr); }

  void keep() {
    kept = {block, next, end};
    has_kept = true;
  }
  void rewind() {
    if (!has_kept) return;
    drop_to(kept.block);
    next = kept.next;
    end = kept.end;
  }
  void drop_to(Block* stays) {
    while (block != stays) std::free(std::exchange(block, block->older));
  }

  static void* allocate(void* ctx, std::uint64_t size) { return static_cast<Memory*>(ctx)->take(size); }

  void* take(std::uint64_t wanted) noexcept {
    if (wanted > PTRDIFF_MAX / 2) return nullptr;
    std::size_t size = align(wanted);
    if (size > static_cast<std::size_t>(end - next) && !grow(size)) return nullptr;
    return std::exchange(next, next + size);
  }

  bool grow(std::size_t size) noexcept {
    constexpr std::size_t head = align(sizeof(Block));
    std::size_t room = std::max(size, std::min<std::size_t>(block ? 2 * block->size : 4096, 1 << 20));
    void* memory = std::malloc(head + room);
    if (!memory) return false;
    block = new (memory) Block{block, room};
    next = static_cast<std::byte*>(memory) + head;
    end = next + room;
    return true;
  }
};

Op::Op(std::uint32_t kind) : memory_(std::make_unique<Memory>()) {
  op_.struct_size = sizeof(stile_op);
  op_.kind = kind;
  op_.status = STILE_UNSET;
  op_.arena = &memory_->face;
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
  op->memory_->keep();
  return op;
}

const stile_arena* Op::arena() const { return &memory_->face; }

void Op::keep() { memory_->keep(); }

void Op::reset() {
  op_.status = STILE_UNSET;
  op_.error = op_.native = {nullptr, 0};
  op_.retry_after = 0;
  memory_->rewind();
  if (const Struct* result = result_of(op_.kind)) {
    memory_->result.fill(std::byte{0});
    at<std::uint32_t>(op_.result, result->fields[0]) = result->size;
  }
}

}  // namespace stile::codec

// Operations and their memory.
//
// SPDX-License-Identifier: Apache-2.0
#include "store/operation.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include "codec/copy.hpp"

namespace stile::store {

struct alignas(16) Arena::Block {
  Block* below;
  std::size_t size;  // without this head
};

namespace {

void* arena_alloc(void* ctx, std::uint64_t size) { return static_cast<Arena*>(ctx)->allocate(size); }

}  // namespace

Arena::Arena() : abi_{sizeof(stile_arena), 0, this, arena_alloc} {}

void* Arena::allocate(std::uint64_t wanted) noexcept {
  if (wanted > PTRDIFF_MAX - 64) return nullptr;
  std::size_t size = (static_cast<std::size_t>(wanted) + 15) & ~std::size_t{15};
  std::size_t room = blocks_ ? blocks_->size : sizeof(inside_);
  if (size > room - used_) {
    std::size_t next = std::max(size, std::min<std::size_t>(2 * room, 1 << 20));
    void* memory = std::malloc(sizeof(Block) + next);
    if (!memory) return nullptr;
    blocks_ = new (memory) Block{blocks_, next};
    used_ = 0;
  }
  std::byte* base = blocks_ ? reinterpret_cast<std::byte*>(blocks_ + 1) : inside_;
  void* out = base + used_;
  used_ += size;
  return out;
}

void* Arena::allocate_or_throw(std::uint64_t size) {
  if (void* memory = allocate(size)) return memory;
  throw std::bad_alloc();
}

stile_bytes Arena::copy(std::string_view bytes) {
  if (bytes.empty()) return {};
  void* memory = allocate_or_throw(bytes.size());
  std::memcpy(memory, bytes.data(), bytes.size());
  return {static_cast<const std::uint8_t*>(memory), bytes.size()};
}

stile_text Arena::copy_text(std::string_view text) {
  stile_bytes bytes = copy(text);
  return {reinterpret_cast<const char*>(bytes.ptr), bytes.len};
}

void Arena::rewind(Mark mark) noexcept {
  while (blocks_ != mark.block) {
    Block* gone = blocks_;
    blocks_ = gone->below;
    std::free(gone);
  }
  used_ = mark.used;
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

namespace {

struct Kind {
  std::string_view name;
  std::uint32_t traits;
};
constexpr Kind kinds[STILE_OP_COUNT + 1] = {{"?", 0},
#define STILE_STORE_KIND(NAME, value, name, traits) {#name, traits},
                                            STILE_OP_TABLE(STILE_STORE_KIND)
#undef STILE_STORE_KIND
};

}  // namespace

std::uint32_t traits_of(std::uint32_t kind) { return kinds[kind <= STILE_OP_COUNT ? kind : 0].traits; }
std::string_view name_of_kind(std::uint32_t kind) { return kinds[kind <= STILE_OP_COUNT ? kind : 0].name; }

bool travels_alone(const stile_op& op) {
  switch (op.kind) {
    case STILE_OP_RECEIVE: return static_cast<const stile_receive_request*>(op.request)->wait > 0;
    case STILE_OP_WATCH: return static_cast<const stile_watch_request*>(op.request)->wait > 0;
    case STILE_OP_TRANSACT:
      return static_cast<const stile_transact_request*>(op.request)->effect->form == STILE_EFFECT_CALLBACK;
    default: return false;
  }
}

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

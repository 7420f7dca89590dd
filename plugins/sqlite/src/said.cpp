// From a row of stile_said to an operation.
//
// SPDX-License-Identifier: Apache-2.0
#include "said.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#include "stile/sdk/engine/row.hpp"

namespace stile::sqlite {
namespace {

namespace engine = sdk::engine;

std::string text_of(const Rows& found, int column) { return std::string(found.bytes(column)); }

// A delay of which some has passed already; what is over is due now.
std::int64_t rest_of(std::int64_t delay, std::int64_t ago) { return std::max<std::int64_t>(delay - ago, 0); }

template <class Request, std::size_t size>
Request& placed(std::array<unsigned char, size>& room) {
  static_assert(sizeof(Request) <= size);
  auto* made = new (room.data()) Request{};
  made->struct_size = sizeof(Request);
  return *made;
}

}  // namespace

bool Said::read_first(Connection& connection) {
  Query found(connection, Sql::first_said);
  if (!found.next()) return false;
  sequence_ = found.integer(0);
  said_at_ = found.integer(1);
  namespace_ = text_of(found, 2);
  kind_ = found.integer(3);
  op_id_ = text_of(found, 4);
  subject_ = text_of(found, 5);
  has_key_ = !found.null(6);
  key_ = text_of(found, 6);
  value_ = text_of(found, 7);
  has_enqueue_ = !found.null(8);
  enqueue_at_ = found.integer(8);
  is_instant_ = found.integer(9);
  has_queue_ = !found.null(10);
  queue_ = text_of(found, 10);
  flag_ = found.integer(11);
  version_ = text_of(found, 12);
  ttl_ = found.integer(13);
  return true;
}

std::int64_t Said::number(Connection& connection) const {
  {
    Query found(connection, Sql::find_namespace, Blob(namespace_));
    if (found.next()) return found.integer(0);
  }
  connection.run(Sql::insert_namespace, Blob(namespace_), Null{});
  return sqlite3_last_insert_rowid(connection.handle());
}

void* Said::allocate(void* self, std::uint64_t size) {
  // Read by nobody, so every allocation may have the same room.
  auto& room = static_cast<Said*>(self)->answers_;
  room.resize(std::max<std::size_t>(room.size(), size + 16));
  const auto at = reinterpret_cast<std::uintptr_t>(room.data());
  return room.data() + (16 - at % 16) % 16;
}

const stile_enqueue* Said::enqueue(std::int64_t ago) {
  if (!has_enqueue_) return nullptr;
  enqueue_ = {
      sizeof(stile_enqueue), is_instant_ != 0, is_instant_ ? enqueue_at_ : rest_of(enqueue_at_, ago), has_queue_, 0,
      engine::bytes(queue_)};
  return &enqueue_;
}

void Said::make_request(std::int64_t ago) {
  switch (kind_) {
    case STILE_OP_SUPPLY: {
      auto& request = placed<stile_supply_request>(request_);
      request.workflow = engine::bytes(subject_);
      request.key = engine::bytes(key_);
      request.value = engine::bytes(value_);
      request.enqueue = enqueue(ago);
      placed<stile_supply_result>(result_);
      break;
    }
    case STILE_OP_APPEND: {
      auto& request = placed<stile_append_request>(request_);
      request.workflow = engine::bytes(subject_);
      request.value = engine::bytes(value_);
      request.has_message_id = has_key_;
      request.message_id = engine::bytes(key_);
      request.enqueue = enqueue(ago);
      placed<stile_append_result>(result_);
      break;
    }
    case STILE_OP_REQUEST_CANCEL:
      placed<stile_request_cancel_request>(request_).workflow = engine::bytes(subject_);
      op_.result = nullptr;
      break;
    case STILE_OP_ENQUEUE: {
      auto& request = placed<stile_enqueue_request>(request_);
      request.workflow = engine::bytes(subject_);
      request.revive = flag_ != 0;
      request.enqueue = enqueue(ago);
      placed<stile_enqueue_result>(result_);
      break;
    }
    case STILE_OP_CANCEL:
      placed<stile_cancel_request>(request_).workflow = engine::bytes(subject_);
      placed<stile_cancel_result>(result_);
      break;
    case STILE_OP_PUT: {
      auto& request = placed<stile_put_request>(request_);
      request.condition = static_cast<std::uint32_t>(flag_);
      request.key = engine::bytes(subject_);
      request.value = engine::bytes(value_);
      request.version = engine::bytes(version_);
      request.ttl = ttl_ > 0 ? std::max<std::int64_t>(rest_of(ttl_, ago), 1) : ttl_;
      placed<stile_put_result>(result_);
      break;
    }
    case STILE_OP_ERASE: {
      auto& request = placed<stile_erase_request>(request_);
      request.condition = static_cast<std::uint32_t>(flag_);
      request.key = engine::bytes(subject_);
      request.version = engine::bytes(version_);
      placed<stile_erase_result>(result_);
      break;
    }
    default: op_.kind = 0; break;  // nothing that render says: it is passed over
  }
}

stile_op& Said::operation(std::int64_t ago) {
  op_ = {};
  op_.struct_size = sizeof op_;
  op_.kind = static_cast<std::uint32_t>(kind_);
  op_.status = STILE_UNSET;
  op_.request = request_.data();
  op_.result = result_.data();
  arena_ = {sizeof arena_, 0, this, allocate};
  op_.arena = &arena_;
  if (op_id_.size() == sizeof op_.op_id.bytes) std::memcpy(op_.op_id.bytes, op_id_.data(), op_id_.size());
  make_request(std::max<std::int64_t>(ago, 0));
  return op_;
}

}  // namespace stile::sqlite

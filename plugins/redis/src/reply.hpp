// A reply of the server, read by place and type. What is missing reads as nothing.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <hiredis/hiredis.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string_view>

namespace stile::redis {

struct ReplyFree {
  void operator()(redisReply* reply) const { freeReplyObject(reply); }
};
using OwnedReply = std::unique_ptr<redisReply, ReplyFree>;

/// Borrowed: lives as long as the reply it looks into.
class Reply {
 public:
  explicit Reply(const redisReply* reply = nullptr) : reply_(reply) {}

  bool is_error() const { return reply_ != nullptr && reply_->type == REDIS_REPLY_ERROR; }
  bool is_array() const { return reply_ != nullptr && reply_->type == REDIS_REPLY_ARRAY; }
  bool is_nothing() const { return reply_ == nullptr || reply_->type == REDIS_REPLY_NIL; }
  std::size_t size() const { return is_array() ? reply_->elements : 0; }
  Reply operator[](std::size_t i) const { return Reply(i < size() ? reply_->element[i] : nullptr); }

  std::string_view text() const {
    if (reply_ == nullptr || reply_->str == nullptr) return {};
    return {reply_->str, static_cast<std::size_t>(reply_->len)};
  }
  std::int64_t number() const {
    if (reply_ == nullptr) return 0;
    if (reply_->type == REDIS_REPLY_INTEGER) return reply_->integer;
    return reply_->str != nullptr ? std::strtoll(reply_->str, nullptr, 10) : 0;
  }

 private:
  const redisReply* reply_;
};

}  // namespace stile::redis

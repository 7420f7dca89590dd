// Rows of received_v1: records, deliveries, the end.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "stile/sdk/engine/context.hpp"
#include "wire.hpp"

namespace stile::postgres {

class Received : public Row {
 public:
  enum What { end = 0, delivery = 1, record = 2 };
  enum Flag : std::int64_t { more = 1, cancel_requested = 2, finished = 4, with_fence = 8, others_wait = 16 };
  using Row::Row;

  What what() const { return static_cast<What>(integer(0)); }
  std::uint32_t has(Flag flag) const { return (integer(1) & flag) != 0 ? 1 : 0; }
  std::int64_t count() const { return integer(2); }
  std::int64_t a() const { return integer(3); }
  std::int64_t b() const { return integer(4); }
  std::int64_t c() const { return integer(5); }
  std::int64_t d() const { return integer(6); }
  std::int64_t e() const { return integer(7); }
  stile_id u() const { return id(8); }
  stile_id v() const { return id(9); }
  std::string_view name() const { return bytes(10); }
  bool has_name() const { return !none(10); }
  std::string_view queue() const { return bytes(11); }
  std::string_view value() const { return bytes(12); }
};

/// A list of records that grows at its end.
class Records {
 public:
  explicit Records(stile_record** first) : tail_(first) {}

  void add(stile_op& op, const Received& row);

 private:
  stile_record** tail_;
};

}  // namespace stile::postgres

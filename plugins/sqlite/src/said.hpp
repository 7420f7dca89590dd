// What another program wrote into the file in a transaction of its own, as an operation again (R7).
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "connection.hpp"
#include "stile/abi.h"

namespace stile::sqlite {

class Said {
 public:
  /// Reads what was said first and not done yet; false = nothing was.
  bool read_first(Connection& connection);

  std::int64_t sequence() const { return sequence_; }
  std::int64_t said_at() const { return said_at_; }
  /// The number of its namespace, which is made if it is not there.
  std::int64_t number(Connection& connection) const;

  /// The operation, as if it were asked now. Delays and ttls began when it was said, so long ago.
  stile_op& operation(std::int64_t ago);

 private:
  void make_request(std::int64_t ago);
  const stile_enqueue* enqueue(std::int64_t ago);
  static void* allocate(void* self, std::uint64_t size);

  // As in the table; a column that is NULL is empty here.
  std::int64_t sequence_ = 0, said_at_ = 0, kind_ = 0, enqueue_at_ = 0, is_instant_ = 0, flag_ = 0, ttl_ = 0;
  std::string namespace_, op_id_, subject_, key_, value_, queue_, version_;
  bool has_enqueue_ = false, has_key_ = false, has_queue_ = false;

  stile_op op_{};
  stile_enqueue enqueue_{};
  alignas(8) std::array<unsigned char, 128> request_{};
  alignas(8) std::array<unsigned char, 128> result_{};
  // The answer is nobody's, but a conflict copies the value that stands.
  stile_arena arena_{};
  std::string answers_;
};

}  // namespace stile::sqlite

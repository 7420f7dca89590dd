// What stores of both plugins take and give (info.limits).
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "stile/abi.h"

namespace stile::redis {

constexpr stile_limits limits_of(std::uint64_t partitions) {
  stile_limits out{};
  out.struct_size = sizeof out;
  out.id_bytes = 512;
  out.value_bytes = std::uint64_t{16} << 20;
  out.reply_bytes = std::uint64_t{4} << 20;
  out.error_bytes = 4096;
  out.receipt_bytes = 1024;
  out.batch = 256;  // one script runs them: they hold up everybody else for a few milliseconds at most
  out.page = 1000;
  out.queues = 64;
  out.partitions = partitions;
  out.writers = 0;
  return out;
}

}  // namespace stile::redis

// Unguessable ids for plugins: stamps and nonces where the caller gave no op_id (A1, D2).
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/random.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>

#include "stile/abi.h"

namespace stile::sdk {

/// Draws from the system's random source, 64 ids at a time. One thread at a time; every session has its own.
class Entropy {
 public:
  stile_id id() {
    if (next_ == pool_.size()) refill();
    stile_id out;
    do {
      std::memcpy(out.bytes, pool_.data() + next_, sizeof out.bytes);
      next_ += sizeof out.bytes;
    } while (is_none(out) && next_ < pool_.size());
    return out;
  }

 private:
  static bool is_none(const stile_id& id) {
    static constexpr stile_id none{};
    return std::memcmp(&id, &none, sizeof id) == 0;
  }

  void refill() {
    std::size_t have = 0;
    while (have < pool_.size()) {
      const auto got = ::getrandom(pool_.data() + have, pool_.size() - have, 0);
      if (got > 0) have += static_cast<std::size_t>(got);
    }
    next_ = 0;
  }

  std::array<std::uint8_t, 1024> pool_{};
  std::size_t next_ = pool_.size();
};

}  // namespace stile::sdk

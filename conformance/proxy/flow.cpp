// The proxy's decisions.
//
// SPDX-License-Identifier: Apache-2.0
#include "proxy/flow.hpp"

#include <algorithm>

namespace stile::conformance::proxy {

std::uint64_t Flow::left(Direction direction) const {
  const bool counted = rule_.fault == Fault::cut || rule_.fault == Fault::reset || rule_.fault == Fault::half_open ||
                       rule_.fault == Fault::black_hole;
  if (!counted || direction != rule_.direction) return ~std::uint64_t{0};
  const std::uint64_t passed = passed_[static_cast<std::size_t>(direction)];
  return rule_.after > passed ? rule_.after - passed : 0;
}

Flow::Leave Flow::leave(Direction direction, std::size_t waiting, std::uint64_t now_us) const {
  if (rule_.fault == Fault::black_hole && bitten_) return {};
  if (rule_.fault == Fault::slow && direction == rule_.direction)
    return {now_us >= next_byte_us_ ? std::min<std::size_t>(waiting, 1) : 0, false};
  const std::uint64_t most = left(direction);
  if (most == 0 && rule_.fault == Fault::half_open) return {waiting, true};
  return {static_cast<std::size_t>(std::min<std::uint64_t>(most, waiting)), false};
}

bool Flow::passed(Direction direction, std::size_t bytes, std::uint64_t now_us) {
  passed_[static_cast<std::size_t>(direction)] += bytes;
  if (direction != rule_.direction) return false;
  if (rule_.fault == Fault::slow) {
    if (bytes > 0) next_byte_us_ = now_us + rule_.period_us;
    const bool first = bytes > 0 && !bitten_;
    bitten_ = bitten_ || first;
    return first;
  }
  if (bitten_ || left(direction) != 0) return false;
  bitten_ = true;
  return true;
}

}  // namespace stile::conformance::proxy

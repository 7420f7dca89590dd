// 128 bits that stand for a state in the memory of a search: two states with equal hashes are taken for one.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace stile::conformance::judge {

struct Hash {
  std::uint64_t a = 0x9e3779b97f4a7c15, b = 0xc2b2ae3d27d4eb4f;

  Hash& add(std::uint64_t word) {
    a = mix(a ^ word);
    b = mix(b + word * 0xff51afd7ed558ccd);
    return *this;
  }
  /// For sets, whose order does not count.
  Hash& toggle(Hash other) {
    a ^= other.a;
    b ^= other.b;
    return *this;
  }
  bool operator==(const Hash&) const = default;

 private:
  static constexpr std::uint64_t mix(std::uint64_t word) {
    word ^= word >> 32;
    word *= 0xd6e8feb86659fd93;
    word ^= word >> 32;
    word *= 0xd6e8feb86659fd93;
    return word ^ (word >> 32);
  }
};

struct HashOfHash {
  std::size_t operator()(const Hash& hash) const { return static_cast<std::size_t>(hash.a); }
};

}  // namespace stile::conformance::judge

// SHA-256 (FIPS 180-4), for telling people which plugin file it is. Nothing secret depends on it.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace stile::loader {

class Sha256 {
 public:
  void add(const unsigned char* bytes, std::size_t length);
  /// Ends the hash: 64 hexadecimal digits.
  std::string hex();

 private:
  void block(const unsigned char* bytes);

  std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<unsigned char, 64> buffer_{};
  std::size_t used_ = 0;
  std::uint64_t total_ = 0;
};

}  // namespace stile::loader

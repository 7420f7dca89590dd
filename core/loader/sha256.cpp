// libmd's SHA-256, fed through the descriptor that everything else about a file is read from.
//
// SPDX-License-Identifier: Apache-2.0
#include "loader/sha256.hpp"

#include <sha2.h>
#include <sys/types.h>  // sha2.h of libmd 1.0 wants it

#include <algorithm>
#include <array>

namespace stile::loader {

std::string sha256_of(const File& file) {
  if (!file.failure().empty()) return {};
  SHA2_CTX hash;
  SHA256Init(&hash);
  std::array<unsigned char, 65536> buffer;
  for (std::uint64_t offset = 0; offset < file.id().size;) {
    std::uint64_t length = std::min<std::uint64_t>(buffer.size(), file.id().size - offset);
    if (!file.read(buffer.data(), length, offset)) return {};
    SHA256Update(&hash, buffer.data(), length);
    offset += length;
  }
  std::array<char, SHA256_DIGEST_STRING_LENGTH> digits;
  return SHA256End(&hash, digits.data());
}

}  // namespace stile::loader

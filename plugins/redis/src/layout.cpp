// Hash tags: everything of a partition lies in one slot of a cluster.
//
// SPDX-License-Identifier: Apache-2.0
#include "layout.hpp"

namespace stile::redis {
namespace {

/// One namespace's name is never the beginning of another's key (R6): what could be mistaken is percent-encoded.
std::string escape(std::string_view ns) {
  static constexpr char digits[] = "0123456789ABCDEF";
  std::string out;
  for (const char c : ns) {
    const bool plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
    if (plain) {
      out += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out += '%';
    out += digits[byte >> 4];
    out += digits[byte & 15];
  }
  return out;
}

}  // namespace

Layout::Layout(std::string_view ns, std::uint32_t partitions) : ns_(escape(ns)), partitions_(partitions) {}

std::uint32_t Layout::partition_of(std::string_view id) const {
  if (partitions_ == 1) return 0;
  std::uint64_t hash = UINT64_C(14695981039346656037);  // FNV-1a
  for (const char c : id) hash = (hash ^ static_cast<unsigned char>(c)) * UINT64_C(1099511628211);
  return static_cast<std::uint32_t>((hash ^ hash >> 32) % partitions_);
}

std::string Layout::meta(std::uint32_t partition) const { return "{" + ns_ + ":" + std::to_string(partition) + "}:m"; }

}  // namespace stile::redis

// Names of keys, and which partition an id lies in.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace stile::redis {

/// The number of the layout that these scripts read and write (S1).
inline constexpr int schema = 1;

class Layout {
 public:
  Layout(std::string_view ns, std::uint32_t partitions);

  std::uint32_t partitions() const { return partitions_; }
  /// Of a workflow's id or a document's key. Fixed for ever: data lies where it says.
  std::uint32_t partition_of(std::string_view id) const;
  /// `{ns:p}:m`, the key that a script of that partition is sent to.
  std::string meta(std::uint32_t partition) const;
  /// The channel on which a manual clock says that it moved.
  std::string clock_channel() const { return "stile:" + ns_ + ":clock"; }
  /// A channel for one process: `word` is unguessable.
  std::string channel(std::string_view word) const { return "stile:" + ns_ + ":" + std::string(word); }

 private:
  std::string ns_;  // escaped: no braces, no colons, nothing that is not printable
  std::uint32_t partitions_;
};

}  // namespace stile::redis

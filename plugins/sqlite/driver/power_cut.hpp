// What is on the disk after a power cut: everything that was synced, and here nothing else.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace stile::sqlite::driver {

// The journal of the shim: entries one after the other. A write holds what it overwrote; a sync says that all writes
// to that file before it are safe.
struct JournalEntry {
  static constexpr std::uint32_t write = 1, sync = 2, truncate = 3;
  std::uint32_t what = 0;
  std::uint32_t name_size = 0;    ///< the file's path follows
  std::uint64_t at = 0;           ///< write: the offset
  std::uint64_t old_size = 0;     ///< of the file, before
  std::uint64_t overwritten = 0;  ///< bytes, which follow the path
};

/// Undoes in the files every write that no sync came after, the last first; answers how many bytes of writes that were.
std::uint64_t take_back_unsynced(const std::string& journal);

}  // namespace stile::sqlite::driver

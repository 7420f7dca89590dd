// A file that was opened once, and everything that is read from it or said of it goes through that descriptor.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace stile::loader {

/// Which file it is, and whether it changed: two paths with one id are one file.
struct FileId {
  std::uint64_t device = 0, inode = 0, size = 0;
  std::int64_t changed = 0;  ///< modification time, nanoseconds

  bool same_file(const FileId& other) const { return device == other.device && inode == other.inode; }
  friend bool operator==(const FileId&, const FileId&) = default;
};

class File {
 public:
  /// Opens a regular file to read. What is wrong with it stands in failure().
  explicit File(const std::string& path);
  ~File();
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  /// Why it could not be opened; empty = it is open.
  const std::string& failure() const { return failure_; }
  const FileId& id() const { return id_; }

  /// True when all length bytes at offset were there.
  bool read(void* to, std::uint64_t length, std::uint64_t offset) const;

 private:
  int descriptor_ = -1;
  FileId id_;
  std::string failure_;
};

/// The id of what a path names now; nothing read, all zero when there is nothing.
FileId file_id(const std::string& path);

}  // namespace stile::loader

// The folder that the store lies in: on a small disk, without room, mounted so that nobody writes.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace stile::sqlite::driver {

/// Throws std::system_error for what the machine refuses.
class Disk {
 public:
  /// small: a disk of its own of a few megabytes, where can_mount says so.
  Disk(const std::string& folder, bool small);
  ~Disk();
  Disk(const Disk&) = delete;
  Disk& operator=(const Disk&) = delete;

  const std::string& folder() const { return folder_; }
  std::string store() const { return folder_ + "/store.db"; }
  void fill();
  void make_room();
  void set_read_only(bool read_only);

 private:
  std::string folder_;
  bool mounted_ = false, bound_ = false;
};

/// Whether this process may mount, tried on an empty folder.
bool can_mount(const std::string& folder);

}  // namespace stile::sqlite::driver

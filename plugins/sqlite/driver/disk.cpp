// The folder that the store lies in.
//
// SPDX-License-Identifier: Apache-2.0
#include "disk.hpp"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <system_error>
#include <vector>

namespace stile::sqlite::driver {
namespace {

[[noreturn]] void fail(const std::string& what) { throw std::system_error(errno, std::generic_category(), what); }

constexpr std::uint64_t room = 32 << 20;

bool mount_small(const std::string& folder, unsigned long flags = 0, std::uint64_t size = room) {
  const std::string data = "size=" + std::to_string(size);
  return mount("tmpfs", folder.c_str(), "tmpfs", flags | MS_NOSUID | MS_NODEV, data.c_str()) == 0;
}

}  // namespace

bool can_mount(const std::string& folder) {
  std::filesystem::create_directories(folder);
  if (!mount_small(folder)) return false;
  umount2(folder.c_str(), MNT_DETACH);
  return true;
}

Disk::Disk(const std::string& folder, bool small) : folder_(folder) {
  std::filesystem::create_directories(folder);
  if (!small) return;
  if (!mount_small(folder)) fail("mount " + folder);
  mounted_ = true;
}

Disk::~Disk() {
  if (bound_) umount2(store().c_str(), MNT_DETACH);
  if (mounted_) umount2(folder_.c_str(), MNT_DETACH);
}

void Disk::fill() {
  const std::string path = folder_ + "/filler";
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (file < 0) fail(path);
  const std::vector<char> much(1 << 20, 'x');
  // Ever less at a time, until there is no room for one byte.
  for (std::size_t size = much.size(); size > 0;) {
    const ssize_t n = write(file, much.data(), size);
    if (n < 0 && errno != ENOSPC) {
      close(file);
      fail(path);
    }
    if (n <= 0) size /= 2;
  }
  close(file);
}

// As much as at first, whatever the store has come to keep: without that, what it keeps fills the disk in the end.
void Disk::make_room() {
  std::filesystem::remove(folder_ + "/filler");
  const std::filesystem::space_info space = std::filesystem::space(folder_);
  if (!mount_small(folder_, MS_REMOUNT, space.capacity - space.free + room)) fail("remount " + folder_);
}

// A bind mount of the file alone, since the processes write beside it. Without the right to mount, by its mode: but
// that stops nobody who is root.
void Disk::set_read_only(bool read_only) {
  const std::string path = store();
  if (geteuid() != 0) {
    // SQLite gives what it makes beside the file the file's mode.
    for (const char* part : {"", "-wal", "-shm"})
      if (chmod((path + part).c_str(), read_only ? 0444 : 0644) != 0 && errno != ENOENT) fail("chmod " + path + part);
    return;
  }
  if (bound_ && umount2(path.c_str(), MNT_DETACH) != 0) fail("umount " + path);
  bound_ = false;
  if (!read_only) return;
  if (mount(path.c_str(), path.c_str(), nullptr, MS_BIND, nullptr) != 0) fail("mount " + path);
  bound_ = true;
  if (mount(nullptr, path.c_str(), nullptr, MS_BIND | MS_REMOUNT | MS_RDONLY, nullptr) != 0) fail("remount " + path);
}

}  // namespace stile::sqlite::driver

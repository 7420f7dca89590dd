// Folders that are not there, files that are none, filesystems whose locks cannot be trusted.
//
// SPDX-License-Identifier: Apache-2.0
#include "place.hpp"

#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <cerrno>
#include <cstdlib>
#include <memory>
#include <system_error>

#include "error.hpp"

namespace stile::sqlite {
namespace {

// linux/magic.h has no names for these.
constexpr std::int64_t cifs_magic = 0xFF534D42, smb2_magic = 0xFE534D42, ceph_magic = 0x00C36400;
constexpr std::int64_t lustre_magic = 0x0BD00BD0, gfs2_magic = 0x01161970, ocfs2_magic = 0x7461636f;
constexpr std::int64_t gpfs_magic = 0x47504653, beegfs_magic = 0x19830326, vmhgfs_magic = 0xbacbacbc;

std::string folder_of(const std::string& path) {
  const auto slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string resolved(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> real(realpath(path.c_str(), nullptr), &std::free);
  return real ? std::string(real.get()) : std::string();
}

}  // namespace

const char* network_filesystem(std::int64_t magic) {
  switch (magic & 0xffffffff) {
    case NFS_SUPER_MAGIC: return "NFS";
    case SMB_SUPER_MAGIC: return "SMB";
    case cifs_magic: return "CIFS";
    case smb2_magic: return "SMB2";
    case V9FS_MAGIC: return "9P";
    case AFS_SUPER_MAGIC: return "AFS";
    case AFS_FS_MAGIC: return "AFS";
    case CODA_SUPER_MAGIC: return "Coda";
    case NCP_SUPER_MAGIC: return "NCP";
    case ceph_magic: return "Ceph";
    case lustre_magic: return "Lustre";
    case gfs2_magic: return "GFS2";
    case ocfs2_magic: return "OCFS2";
    case gpfs_magic: return "GPFS";
    case beegfs_magic: return "BeeGFS";
    case vmhgfs_magic: return "VMware shared folders";
    default: return nullptr;
  }
}

std::string full_path(const std::string& path) {
  std::string real = resolved(path);
  if (!real.empty()) return real;
  const auto slash = path.rfind('/');
  const std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
  real = resolved(folder_of(path));
  if (real.empty()) return path;
  return real == "/" ? real + name : real + "/" + name;
}

void check_place(const std::string& path) {
  if (path.empty() || path == ":memory:")
    throw StoreError(STILE_INVALID, "the config string names no file: write sqlite:jobs.db, or use memory: for tests");
  if (path.find('\0') != std::string::npos) throw StoreError(STILE_INVALID, "the path holds a zero byte");
  const std::string folder = folder_of(path);
  struct stat there = {};
  if (stat(folder.c_str(), &there) != 0) {
    const int why = errno;
    if (why == ENOENT)
      throw StoreError(STILE_NOT_FOUND, path + ": there is no folder " + folder + "; make it first (mkdir -p)");
    throw StoreError(why == EACCES ? STILE_DENIED : STILE_UNAVAILABLE,
                     folder + ": " + std::generic_category().message(why));
  }
  if (!S_ISDIR(there.st_mode)) throw StoreError(STILE_NOT_FOUND, path + ": " + folder + " is not a folder");
  struct stat file = {};
  if (stat(path.c_str(), &file) == 0 && !S_ISREG(file.st_mode))
    throw StoreError(STILE_INVALID,
                     path + ": is " + (S_ISDIR(file.st_mode) ? "a folder" : "no regular file") + "; name a file");
  if (file.st_nlink > 1)
    throw StoreError(STILE_UNSUPPORTED, path + ": has " + std::to_string(file.st_nlink) +
                                            " names (hard links), and SQLite would keep a log of its own under each; "
                                            "leave it one");
  struct statfs system = {};
  if (statfs(folder.c_str(), &system) != 0) return;
  if (const char* name = network_filesystem(static_cast<std::int64_t>(system.f_type)))
    throw StoreError(STILE_UNSUPPORTED, path + ": lies on a network filesystem (" + name +
                                            "), whose locks and mapped files SQLite cannot rely on; put it on a local "
                                            "disk, or use a server's store");
}

}  // namespace stile::sqlite

// Opening without waiting, reading without mapping: a file that shrinks meanwhile must not kill the host.
//
// SPDX-License-Identifier: Apache-2.0
#include "loader/file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace stile::loader {
namespace {

FileId id_of(const struct stat& status) {
  constexpr std::int64_t second = 1'000'000'000;
  return {static_cast<std::uint64_t>(status.st_dev), static_cast<std::uint64_t>(status.st_ino),
          static_cast<std::uint64_t>(status.st_size), status.st_mtim.tv_sec * second + status.st_mtim.tv_nsec};
}

}  // namespace

File::File(const std::string& path) {
  // O_NONBLOCK: a FIFO with the name of a plugin must not hang the search.
  descriptor_ = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (descriptor_ < 0) {
    failure_ = std::string("it cannot be opened: ") + std::strerror(errno);
    return;
  }
  struct stat status {};
  if (fstat(descriptor_, &status) != 0) {
    failure_ = std::string("it cannot be looked at: ") + std::strerror(errno);
  } else if (S_ISDIR(status.st_mode)) {
    failure_ = "it is a directory";
  } else if (!S_ISREG(status.st_mode)) {
    failure_ = "it is no regular file";
  } else {
    id_ = id_of(status);
  }
}

File::~File() {
  if (descriptor_ >= 0) close(descriptor_);
}

bool File::read(void* to, std::uint64_t length, std::uint64_t offset) const {
  auto* out = static_cast<char*>(to);
  while (length > 0) {
    ssize_t got = pread(descriptor_, out, length, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    out += got;
    offset += static_cast<std::uint64_t>(got);
    length -= static_cast<std::uint64_t>(got);
  }
  return true;
}

FileId file_id(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return {};
  return id_of(status);
}

}  // namespace stile::loader

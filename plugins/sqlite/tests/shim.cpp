// Loaded before the C library: a disk that is full, a sync that fails, a filesystem that is another machine's, and a
// power cut. What it does is said by the environment, looked at each time.
//
// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

template <class Function>
Function real(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

bool of_a_store(int file) {
  char name[4'096];
  const std::string link = "/proc/self/fd/" + std::to_string(file);
  const ssize_t size = readlink(link.c_str(), name, sizeof name - 1);
  if (size <= 0) return false;
  name[size] = 0;
  return std::strstr(name, ".db") != nullptr;
}

bool full(int file) { return std::getenv("STILE_SHIM_ENOSPC") && of_a_store(file); }

}  // namespace

extern "C" {

ssize_t pwrite64(int file, const void* data, size_t size, off64_t at) {
  static const auto call = real<ssize_t (*)(int, const void*, size_t, off64_t)>("pwrite64");
  if (full(file)) return errno = ENOSPC, -1;
  return call(file, data, size, at);
}

ssize_t pwrite(int file, const void* data, size_t size, off_t at) {
  static const auto call = real<ssize_t (*)(int, const void*, size_t, off_t)>("pwrite");
  if (full(file)) return errno = ENOSPC, -1;
  return call(file, data, size, at);
}

int fdatasync(int file) {
  static const auto call = real<int (*)(int)>("fdatasync");
  if (std::getenv("STILE_SHIM_EIO_SYNC") && of_a_store(file)) return errno = EIO, -1;
  return call(file);
}

int statfs(const char* path, struct statfs* out) {
  static const auto call = real<int (*)(const char*, struct statfs*)>("statfs");
  const int code = call(path, out);
  if (const char* type = std::getenv("STILE_SHIM_STATFS")) out->f_type = std::strtol(type, nullptr, 0);
  return code;
}

int statfs64(const char* path, struct statfs64* out) {
  static const auto call = real<int (*)(const char*, struct statfs64*)>("statfs64");
  const int code = call(path, out);
  if (const char* type = std::getenv("STILE_SHIM_STATFS")) out->f_type = std::strtol(type, nullptr, 0);
  return code;
}

}  // extern "C"

// Loaded before the C library: a disk that is full, a sync that fails or hangs, a filesystem that is another machine's,
// a clock that is off, and a journal of what was written and synced, from which a power cut is made. What it does is
// said by the environment. The driver uses it, and the tests of this store.
//
// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <mutex>
#include <string>
#include <vector>

#include "power_cut.hpp"

namespace {

using stile::sqlite::driver::JournalEntry;

template <class Function>
Function real(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

// The path of a file of the store: the data or its log.
std::string store_file(int file) {
  char name[4'096];
  const std::string link = "/proc/self/fd/" + std::to_string(file);
  const ssize_t size = readlink(link.c_str(), name, sizeof name - 1);
  if (size <= 0) return {};
  const std::string path(name, static_cast<std::size_t>(size));
  const bool store = path.ends_with(".db") || path.ends_with(".db-wal");
  return store ? path : std::string();
}

// Written before the write itself, and the two together: a kill between them undoes what was not done, and that is the
// same.
class Journal {
 public:
  static Journal* get() {
    static Journal journal(std::getenv("STILE_SHIM_JOURNAL"));
    return journal.file_ >= 0 ? &journal : nullptr;
  }

  template <class Body>
  auto around(int file, std::uint32_t what, std::uint64_t at, std::uint64_t size, Body body) {
    const std::lock_guard guard(mutex_);
    const std::string name = store_file(file);
    if (!name.empty() && what != JournalEntry::sync) put(file, name, what, at, size);
    const auto result = body();
    if (!name.empty() && what == JournalEntry::sync) put(file, name, what, 0, 0);
    return result;
  }

 private:
  explicit Journal(const char* path) {
    if (path) file_ = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  }

  void put(int file, const std::string& name, std::uint32_t what, std::uint64_t at, std::uint64_t size) {
    struct stat now = {};
    fstat(file, &now);
    const auto length = static_cast<std::uint64_t>(now.st_size);
    JournalEntry entry;
    entry.what = what;
    entry.name_size = static_cast<std::uint32_t>(name.size());
    entry.at = at;
    entry.old_size = length;
    entry.overwritten = what == JournalEntry::sync || at >= length ? 0 : std::min(size, length - at);
    std::vector<char> all(sizeof entry + name.size() + entry.overwritten);
    std::memcpy(all.data(), &entry, sizeof entry);
    std::memcpy(all.data() + sizeof entry, name.data(), name.size());
    if (entry.overwritten) read_old(name, all.data() + sizeof entry + name.size(), entry);
    if (::write(file_, all.data(), all.size()) != static_cast<ssize_t>(all.size())) std::abort();
  }

  // Through a descriptor that is never closed: closing one of the data would give up the locks on it.
  void read_old(const std::string& name, char* to, const JournalEntry& entry) {
    auto at = std::find_if(readers_.begin(), readers_.end(), [&](const auto& one) { return one.first == name; });
    if (at == readers_.end()) at = readers_.insert(at, {name, open(name.c_str(), O_RDONLY | O_CLOEXEC)});
    if (pread(at->second, to, entry.overwritten, static_cast<off_t>(entry.at)) !=
        static_cast<ssize_t>(entry.overwritten))
      std::abort();
  }

  std::mutex mutex_;
  int file_ = -1;
  std::vector<std::pair<std::string, int>> readers_;
};

template <class Body>
ssize_t write_at(int file, std::size_t size, std::int64_t at, Body body) {
  if (std::getenv("STILE_SHIM_ENOSPC") && !store_file(file).empty()) return errno = ENOSPC, -1;
  Journal* journal = Journal::get();
  return journal ? journal->around(file, JournalEntry::write, static_cast<std::uint64_t>(at), size, body) : body();
}

template <class Body>
int sync_file(int file, Body body) {
  if (std::getenv("STILE_SHIM_EIO_SYNC") && !store_file(file).empty()) return errno = EIO, -1;
  if (const char* held = std::getenv("STILE_SHIM_SYNC_HELD_BY"); held && !store_file(file).empty())
    while (access(held, F_OK) == 0) usleep(1'000);
  Journal* journal = Journal::get();
  return journal ? journal->around(file, JournalEntry::sync, 0, 0, body) : body();
}

template <class Body>
int truncate_to(int file, std::int64_t size, Body body) {
  Journal* journal = Journal::get();
  return journal ? journal->around(file, JournalEntry::truncate, static_cast<std::uint64_t>(size), UINT64_MAX, body)
                 : body();
}

// The file of the environment, mapped: how many microseconds the wall clock is off, for everybody at the same instant.
const std::int64_t* clock_offset() {
  const char* path = std::getenv("STILE_SHIM_CLOCK");
  if (!path) return nullptr;
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  void* at = file < 0 ? MAP_FAILED : mmap(nullptr, sizeof(std::int64_t), PROT_READ, MAP_SHARED, file, 0);
  if (at == MAP_FAILED) std::abort();
  close(file);
  return static_cast<const std::int64_t*>(at);
}

}  // namespace

extern "C" {

int clock_gettime(clockid_t clock, timespec* out) noexcept {
  static const auto call = real<int (*)(clockid_t, timespec*)>("clock_gettime");
  static const std::int64_t* const offset = clock_offset();
  const int code = call(clock, out);
  if (code != 0 || clock != CLOCK_REALTIME || !offset) return code;
  const std::int64_t all = out->tv_nsec / 1'000 + __atomic_load_n(offset, __ATOMIC_RELAXED);
  std::int64_t seconds = all / 1'000'000, rest = all % 1'000'000;
  if (rest < 0) --seconds, rest += 1'000'000;
  out->tv_sec += seconds;
  out->tv_nsec = rest * 1'000 + out->tv_nsec % 1'000;
  return 0;
}

ssize_t pwrite64(int file, const void* data, size_t size, off64_t at) {
  static const auto call = real<ssize_t (*)(int, const void*, size_t, off64_t)>("pwrite64");
  return write_at(file, size, at, [&] { return call(file, data, size, at); });
}

ssize_t pwrite(int file, const void* data, size_t size, off_t at) {
  static const auto call = real<ssize_t (*)(int, const void*, size_t, off_t)>("pwrite");
  return write_at(file, size, at, [&] { return call(file, data, size, at); });
}

int fdatasync(int file) {
  static const auto call = real<int (*)(int)>("fdatasync");
  return sync_file(file, [&] { return call(file); });
}

int fsync(int file) {
  static const auto call = real<int (*)(int)>("fsync");
  return sync_file(file, [&] { return call(file); });
}

int ftruncate64(int file, off64_t size) {
  static const auto call = real<int (*)(int, off64_t)>("ftruncate64");
  return truncate_to(file, size, [&] { return call(file, size); });
}

int ftruncate(int file, off_t size) {
  static const auto call = real<int (*)(int, off_t)>("ftruncate");
  return truncate_to(file, size, [&] { return call(file, size); });
}

int posix_fallocate64(int file, off64_t at, off64_t size) {
  static const auto call = real<int (*)(int, off64_t, off64_t)>("posix_fallocate64");
  return std::getenv("STILE_SHIM_ENOSPC") ? ENOSPC : call(file, at, size);
}

int posix_fallocate(int file, off_t at, off_t size) {
  static const auto call = real<int (*)(int, off_t, off_t)>("posix_fallocate");
  return std::getenv("STILE_SHIM_ENOSPC") ? ENOSPC : call(file, at, size);
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

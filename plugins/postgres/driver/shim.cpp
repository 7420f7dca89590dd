// Loaded before the C library into the processes of a server: a journal of what was written to its log and synced, from
// which a power cut is made, and a clock that is off. What it does is said by the environment.
//
// Only the log is taken back: a page of data reaches the disk after the log that tells of it was synced, so that data
// as it was written with a log as it was synced is what a power cut may leave.
//
// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <string_view>
#include <vector>

namespace {

/// As it lies in the journal, before the name and the bytes that were overwritten; driver.py reads it.
struct Entry {
  std::uint32_t what;  // 1 a write, 2 a sync
  std::uint32_t name_size;
  std::uint64_t at;
  std::uint64_t overwritten;
  std::uint64_t old_size;
};

template <class Function>
Function real(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

// The path of a segment of the log: 24 hexadecimal digits in pg_wal.
std::string segment(int file) {
  char name[4'096];
  const std::string link = "/proc/self/fd/" + std::to_string(file);
  const ssize_t size = readlink(link.c_str(), name, sizeof name - 1);
  if (size <= 0) return {};
  const std::string_view path(name, static_cast<std::size_t>(size));
  constexpr std::string_view folder = "/pg_wal/";
  if (path.size() < folder.size() + 24) return {};
  const std::string_view last = path.substr(path.size() - 24);
  const bool is = path.substr(path.size() - 24 - folder.size(), folder.size()) == folder &&
                  last.find_first_not_of("0123456789ABCDEF") == std::string_view::npos;
  return is ? std::string(path) : std::string();
}

int journal() {
  static const int file = [] {
    const char* path = std::getenv("STILE_SHIM_JOURNAL");
    return path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
  }();
  return file;
}

// Before a write, after a sync: a kill between undoes what was not done, which is the same, or what was synced and
// nobody was told of. The server writes and syncs its log under one lock, so that entries stand in its order.
void note(int file, std::uint32_t what, std::uint64_t at, std::uint64_t size) {
  const std::string name = segment(file);
  if (name.empty()) return;
  struct stat now = {};
  fstat(file, &now);
  const auto length = static_cast<std::uint64_t>(now.st_size);
  Entry entry = {what, static_cast<std::uint32_t>(name.size()), at, 0, length};
  if (what == 1 && at < length) entry.overwritten = std::min(size, length - at);
  std::vector<char> all(sizeof entry + name.size() + entry.overwritten);
  std::memcpy(all.data(), &entry, sizeof entry);
  std::memcpy(all.data() + sizeof entry, name.data(), name.size());
  if (entry.overwritten != 0) {
    // Its own descriptor may be for writing only.
    const int reader = open(name.c_str(), O_RDONLY | O_CLOEXEC);
    const auto wanted = static_cast<ssize_t>(entry.overwritten);
    if (pread(reader, all.data() + sizeof entry + name.size(), entry.overwritten, static_cast<off_t>(at)) != wanted)
      std::abort();
    close(reader);
  }
  static const auto call = real<ssize_t (*)(int, const void*, size_t)>("write");
  if (call(journal(), all.data(), all.size()) != static_cast<ssize_t>(all.size())) std::abort();
}

template <class Body>
ssize_t write_at(int file, std::size_t size, std::int64_t at, Body body) {
  if (journal() >= 0) note(file, 1, static_cast<std::uint64_t>(at), size);
  return body();
}

template <class Body>
int sync_file(int file, Body body) {
  if (const char* held = std::getenv("STILE_SHIM_SYNC_HELD_BY"); held && !segment(file).empty())
    while (access(held, F_OK) == 0) usleep(1'000);
  const int result = body();
  if (journal() >= 0 && result == 0) note(file, 2, 0, 0);
  return result;
}

// The file of the environment, mapped: how many microseconds the wall clock is off, for everybody at the same instant.
std::int64_t clock_offset() {
  static const std::int64_t* const offset = []() -> const std::int64_t* {
    const char* path = std::getenv("STILE_SHIM_CLOCK");
    if (!path) return nullptr;
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    void* at = file < 0 ? MAP_FAILED : mmap(nullptr, sizeof(std::int64_t), PROT_READ, MAP_SHARED, file, 0);
    if (at == MAP_FAILED) std::abort();
    close(file);
    return static_cast<const std::int64_t*>(at);
  }();
  return offset ? __atomic_load_n(offset, __ATOMIC_RELAXED) : 0;
}

// seconds and parts of a second, of which there are `whole`, moved by the offset.
template <class Seconds, class Parts>
void move(Seconds& seconds, Parts& parts, std::int64_t whole) {
  const std::int64_t all = static_cast<std::int64_t>(parts) + clock_offset() * (whole / 1'000'000);
  std::int64_t more = all / whole, rest = all % whole;
  if (rest < 0) --more, rest += whole;
  seconds += more;
  parts = rest;
}

}  // namespace

extern "C" {

int gettimeofday(timeval* __restrict out, void* __restrict zone) noexcept {
  static const auto call = real<int (*)(timeval*, void*)>("gettimeofday");
  const int code = call(out, zone);
  if (code == 0) move(out->tv_sec, out->tv_usec, 1'000'000);
  return code;
}

int clock_gettime(clockid_t clock, timespec* out) noexcept {
  static const auto call = real<int (*)(clockid_t, timespec*)>("clock_gettime");
  const int code = call(clock, out);
  if (code == 0 && clock == CLOCK_REALTIME) move(out->tv_sec, out->tv_nsec, 1'000'000'000);
  return code;
}

time_t time(time_t* out) noexcept {
  timespec now = {};
  clock_gettime(CLOCK_REALTIME, &now);
  if (out) *out = now.tv_sec;
  return now.tv_sec;
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

}  // extern "C"

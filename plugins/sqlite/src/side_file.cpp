// The mapped side file: who makes it, who may use it, locks that outlive a crash, bells.
//
// SPDX-License-Identifier: Apache-2.0
#include "side_file.hpp"

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstring>
#include <ctime>
#include <new>
#include <system_error>

#include "clock.hpp"

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define STILE_SQLITE_TSAN 1
#endif
#elif defined(__SANITIZE_THREAD__)
#define STILE_SQLITE_TSAN 1
#endif
#if defined(STILE_SQLITE_TSAN)
#include <sanitizer/tsan_interface.h>
#endif

namespace stile::sqlite {
namespace {

constexpr std::uint64_t side_magic = 0x656c697453656469;
constexpr std::uint32_t side_layout = 2;

// Byte ranges of the file as locks of the open file description: the kernel gives them back when a process dies, and
// other than by pid that also holds between containers. Byte 0 is held shared by every user, byte 1 + i by bell i.
constexpr off_t user_byte = 0;
constexpr off_t first_bell_byte = 1;

bool lock_byte(int file, off_t at, short kind, bool wait) {
  struct flock range = {};
  range.l_type = kind;
  range.l_whence = SEEK_SET;
  range.l_start = at;
  range.l_len = 1;
  int code;
  do code = fcntl(file, wait ? F_OFD_SETLKW : F_OFD_SETLK, &range);
  while (code != 0 && errno == EINTR);
  return code == 0;
}

void make_mutex(pthread_mutex_t* mutex) {
  pthread_mutexattr_t kind;
  pthread_mutexattr_init(&kind);
  pthread_mutexattr_setpshared(&kind, PTHREAD_PROCESS_SHARED);
  pthread_mutexattr_setrobust(&kind, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(mutex, &kind);
  pthread_mutexattr_destroy(&kind);
}

// With nobody else there the file starts afresh, whatever is in it.
bool start_afresh(int file) {
  if (ftruncate(file, 0) != 0) return false;
  // A mapped page that the disk has no room for would end the process (SIGBUS).
  if ((errno = posix_fallocate(file, 0, sizeof(SideContent))) != 0) return false;
  void* mapped = mmap(nullptr, sizeof(SideContent), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (mapped == MAP_FAILED) return false;
  auto* content = new (mapped) SideContent;
  content->layout_version = side_layout;
  content->mutex_size = sizeof(pthread_mutex_t);
  make_mutex(&content->writer);
  make_mutex(&content->gate);
  make_mutex(&content->checkpointer);
  content->magic.store(side_magic, std::memory_order_release);
  munmap(mapped, sizeof(SideContent));
  return true;
}

// The file may have been removed by its last user between our open and our lock.
bool still_there(int file, const std::string& path) {
  struct stat mine = {}, named = {};
  return fstat(file, &mine) == 0 && stat(path.c_str(), &named) == 0 && mine.st_ino == named.st_ino &&
         mine.st_dev == named.st_dev;
}

int open_locked(const std::string& path, mode_t mode) {
  for (int tries = 0; tries < 100; ++tries) {
    const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, mode);
    if (file < 0) return -1;
    bool usable = true;
    if (lock_byte(file, user_byte, F_WRLCK, false)) {
      // The mode of the data, whatever the umask: who may use the one may use the other.
      usable = still_there(file, path) && (fchmod(file, mode) == 0 || errno == EPERM) && start_afresh(file);
    }
    if (usable && lock_byte(file, user_byte, F_RDLCK, true) && still_there(file, path)) return file;
    const int why = errno;
    close(file);
    errno = why;
    if (!usable && (why == ENOSPC || why == EPERM || why == EACCES)) return -1;
  }
  return -1;
}

long futex(std::atomic<std::uint32_t>& word, int what, std::uint32_t value, const timespec* until) {
  return syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), what, value, until, nullptr,
                 FUTEX_BITSET_MATCH_ANY);
}

// Returns whether a thread was asleep on the bell.
bool ring(Bell& bell) {
  bell.word.fetch_add(1, std::memory_order_seq_cst);
  return futex(bell.word, FUTEX_WAKE_BITSET, INT_MAX, nullptr) > 0;
}

int take(pthread_mutex_t* mutex, std::int64_t until) {
#if defined(STILE_SQLITE_TSAN)
  // The sanitizer does not know pthread_mutex_clocklock. Only its builds wait by the wall clock.
  const timespec at = timespec_of(store_clock() + (until - monotonic_now()));
  const int code = pthread_mutex_timedlock(mutex, &at);
  // Nor does it know that this one, too, takes the mutex of somebody who died.
  if (code == EOWNERDEAD) {
    __tsan_mutex_pre_lock(mutex, 0);
    __tsan_mutex_post_lock(mutex, 0, 0);
  }
  return code;
#else
  const timespec at = timespec_of(until);
  return pthread_mutex_clocklock(mutex, CLOCK_MONOTONIC, &at);
#endif
}

// What the lock protects is only a turn, so there is nothing to repair after a holder that died.
bool taken(pthread_mutex_t* mutex, int code) {
  if (code == EOWNERDEAD) pthread_mutex_consistent(mutex);
  return code == 0 || code == EOWNERDEAD;
}

}  // namespace

Mask mask_of(std::int64_t ns, const void* data, std::size_t size) {
  std::uint64_t hash = 14695981039346656037u ^ static_cast<std::uint64_t>(ns);
  const auto* bytes = static_cast<const unsigned char*>(data);
  for (std::size_t i = 0; i < size; ++i) hash = (hash ^ bytes[i]) * 1099511628211u;
  return Mask{1} << ((hash ^ (hash >> 32)) & 63);
}

std::unique_ptr<SideFile> SideFile::open(const std::string& path, mode_t mode, std::string& why_not) {
  const int file = open_locked(path, mode);
  if (file < 0) {
    why_not = path + ": " + std::generic_category().message(errno);
    return nullptr;
  }
  struct stat now = {};
  void* mapped = MAP_FAILED;
  if (fstat(file, &now) == 0 && now.st_size == static_cast<off_t>(sizeof(SideContent)))
    mapped = mmap(nullptr, sizeof(SideContent), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  auto* content = static_cast<SideContent*>(mapped);
  if (mapped == MAP_FAILED || content->magic.load(std::memory_order_acquire) != side_magic ||
      content->layout_version != side_layout || content->mutex_size != sizeof(pthread_mutex_t)) {
    why_not = path + ": made by another version, which is still running";
    if (mapped != MAP_FAILED) munmap(mapped, sizeof(SideContent));
    close(file);
    return nullptr;
  }
  return std::unique_ptr<SideFile>(new SideFile(path, file, content));
}

SideFile::~SideFile() {
  munmap(content_, sizeof(SideContent));
  // The last one tidies up; whoever comes meanwhile notices that the file is not the named one any more.
  if (lock_byte(file_, user_byte, F_WRLCK, false) && still_there(file_, path_)) unlink(path_.c_str());
  close(file_);
}

bool SideFile::lock_writer(std::int64_t until) { return taken(&content_->writer, take(&content_->writer, until)); }

void SideFile::unlock_writer() { pthread_mutex_unlock(&content_->writer); }

bool SideFile::lock_gate(std::int64_t until) { return taken(&content_->gate, take(&content_->gate, until)); }

void SideFile::unlock_gate() { pthread_mutex_unlock(&content_->gate); }

bool SideFile::gate_open() {
  if (!taken(&content_->gate, pthread_mutex_trylock(&content_->gate))) return false;
  unlock_gate();
  return true;
}

bool SideFile::try_lock_checkpointer() {
  return taken(&content_->checkpointer, pthread_mutex_trylock(&content_->checkpointer));
}

void SideFile::unlock_checkpointer() { pthread_mutex_unlock(&content_->checkpointer); }

Bell* SideFile::claim_bell() {
  for (int i = 0; i < bell_count; ++i) {
    if (!lock_byte(file_, first_bell_byte + i, F_WRLCK, false)) continue;
    Bell& bell = content_->bells[i];
    bell.queues.store(0);
    bell.workflows.store(0);
    bell.next_look.store(0);
    bell.rung_queues.store(0);
    bell.rung_workflows.store(0);
    std::uint32_t used = content_->bells_used.load();
    while (used <= static_cast<std::uint32_t>(i) && !content_->bells_used.compare_exchange_weak(used, i + 1)) {
    }
    return &bell;
  }
  return nullptr;
}

void SideFile::give_back_bell(Bell* bell) {
  bell->queues.store(0);
  bell->workflows.store(0);
  lock_byte(file_, first_bell_byte + (bell - content_->bells), F_UNLCK, false);
}

void SideFile::ring_one(Mask queues) {
  const std::uint32_t used = content_->bells_used.load(std::memory_order_acquire);
  if (used == 0) return;
  const std::uint32_t start = content_->next_bell.fetch_add(1, std::memory_order_relaxed);
  for (std::uint32_t i = 0; i < used; ++i) {
    Bell& bell = content_->bells[(start + i) % used];
    if (!(bell.queues.load(std::memory_order_seq_cst) & queues)) continue;
    bell.rung_queues.fetch_or(queues, std::memory_order_seq_cst);
    // Nobody asleep: busy, and it will see the word changed, or dead. So the next one is rung as well.
    if (ring(bell)) return;
  }
}

void SideFile::ring_late(Mask queues, std::int64_t before) {
  const std::uint32_t used = content_->bells_used.load(std::memory_order_acquire);
  for (std::uint32_t i = 0; i < used; ++i) {
    Bell& bell = content_->bells[i];
    if (!(bell.queues.load(std::memory_order_seq_cst) & queues)) continue;
    // When it looks by itself it looks at those that were rung for, so that is said in any case, and first.
    bell.rung_queues.fetch_or(queues, std::memory_order_seq_cst);
    if (bell.next_look.load(std::memory_order_seq_cst) > before) ring(bell);
  }
}

void SideFile::ring_watchers(Mask workflows) {
  const std::uint32_t used = content_->bells_used.load(std::memory_order_acquire);
  for (std::uint32_t i = 0; i < used; ++i) {
    Bell& bell = content_->bells[i];
    if (!(bell.workflows.load(std::memory_order_seq_cst) & workflows)) continue;
    bell.rung_workflows.fetch_or(workflows, std::memory_order_seq_cst);
    ring(bell);
  }
}

void SideFile::wait(Bell& bell, std::uint32_t seen, std::int64_t until) {
  const timespec at = timespec_of(until);
  futex(bell.word, FUTEX_WAIT_BITSET, seen, &at);
}

void SideFile::poke(Bell& bell) { ring(bell); }

}  // namespace stile::sqlite

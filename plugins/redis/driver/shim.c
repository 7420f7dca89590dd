// Loaded before the C library of a server: how much of each file was synced, from which a power cut is made, and a wall
// clock that is off. What it does is said by the environment. Only the driver uses it.
//
// STILE_SHIM_SYNCED  a file to which it adds a line "<size> <path>" for each sync: so much of that file is safe
// STILE_SHIM_CLOCK   a file of eight bytes: how many microseconds the wall clock is off
//
// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static int open_named(const char* variable, int flags) {
  const char* path = getenv(variable);
  return path == NULL ? -1 : open(path, flags | O_CLOEXEC, 0600);
}

// One write a line: several threads and processes add to the file.
static void say_synced(int file, int64_t size) {
  static int journal = -2;
  char link[64], name[4096], line[4200];
  if (journal == -2) journal = open_named("STILE_SHIM_SYNCED", O_WRONLY | O_CREAT | O_APPEND);
  if (journal < 0) return;
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  const ssize_t length = readlink(link, name, sizeof name - 1);
  if (length <= 0) return;
  name[length] = '\0';
  const int all = snprintf(line, sizeof line, "%lld %s\n", (long long)size, name);
  if (write(journal, line, (size_t)all) != all) abort();
}

// What was written before the call is safe after it; what comes meanwhile may not be. Where files lie in memory a sync
// takes no time, and a power cut would hardly ever fall into one: a disk's takes a millisecond.
static int synced_by(int (*call)(int), int file) {
  static const struct timespec disk = {0, 1000000};
  struct stat before;
  const int known = fstat(file, &before);
  if (getenv("STILE_SHIM_SYNCED") != NULL) nanosleep(&disk, NULL);
  const int code = call(file);
  if (code == 0 && known == 0) say_synced(file, (int64_t)before.st_size);
  return code;
}

int fdatasync(int file) {
  static int (*call)(int);
  if (call == NULL) *(void**)&call = dlsym(RTLD_NEXT, "fdatasync");
  return synced_by(call, file);
}

int fsync(int file) {
  static int (*call)(int);
  if (call == NULL) *(void**)&call = dlsym(RTLD_NEXT, "fsync");
  return synced_by(call, file);
}

static int64_t clock_is_off(void) {
  static const int64_t* offset;
  static int asked;
  if (!asked) {
    const int file = open_named("STILE_SHIM_CLOCK", O_RDONLY);
    if (file >= 0) {
      void* at = mmap(NULL, sizeof *offset, PROT_READ, MAP_SHARED, file, 0);
      if (at == MAP_FAILED) abort();
      close(file);
      offset = at;
    }
    asked = 1;
  }
  return offset == NULL ? 0 : __atomic_load_n(offset, __ATOMIC_RELAXED);
}

int gettimeofday(struct timeval* restrict out, void* restrict zone) {
  static int (*call)(struct timeval* restrict, void* restrict);
  if (call == NULL) *(void**)&call = dlsym(RTLD_NEXT, "gettimeofday");
  const int code = call(out, zone);
  const int64_t off = clock_is_off();
  if (code != 0 || off == 0) return code;
  const int64_t all = (int64_t)out->tv_sec * 1000000 + out->tv_usec + off;
  out->tv_sec = all / 1000000;
  out->tv_usec = all % 1000000;
  return 0;
}

int clock_gettime(clockid_t clock, struct timespec* out) {
  static int (*call)(clockid_t, struct timespec*);
  if (call == NULL) *(void**)&call = dlsym(RTLD_NEXT, "clock_gettime");
  const int code = call(clock, out);
  const int64_t off = clock_is_off();
  if (code != 0 || clock != CLOCK_REALTIME || off == 0) return code;
  const int64_t all = (int64_t)out->tv_sec * 1000000 + out->tv_nsec / 1000 + off;
  out->tv_sec = all / 1000000;
  out->tv_nsec = all % 1000000 * 1000 + out->tv_nsec % 1000;
  return 0;
}

// What a crowd of callers counts while it runs.
//
// SPDX-License-Identifier: Apache-2.0
#include "servers/counters.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace stile::conformance::servers {

void Counters::add(std::string_view status) {
  if (status == "ok")
    ++ok;
  else if (status == "full")
    ++full;
  else if (status == "read_only")
    ++read_only;
  else if (status == "unavailable" || status == "timed_out")
    ++unavailable;
  else if (status == "unknown")
    ++unknown;
  else if (status == "internal" || status == "corrupt" || status == "store_lost" || status == "denied" ||
           status == "unprepared" || status == "unsupported" || status == "invalid")
    ++strange;
  else
    ++refused;
  if (status == "fenced" || status == "stale") ++superseded;
}

SharedCounters::SharedCounters(const std::string& path) {
  int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  void* at = MAP_FAILED;
  if (file >= 0 && ftruncate(file, sizeof(Counters)) == 0)
    at = mmap(nullptr, sizeof(Counters), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  int failed = errno;
  if (file >= 0) close(file);
  if (at == MAP_FAILED) throw std::system_error(failed, std::generic_category(), path);
  at_ = static_cast<Counters*>(at);
}

SharedCounters::~SharedCounters() { munmap(at_, sizeof(Counters)); }

}  // namespace stile::conformance::servers

// Any bytes as a plugin file: looked at without running any of them, judged with a reason.
//
// SPDX-License-Identifier: Apache-2.0
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>

#include "loader/inspect.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const int file = memfd_create("plugin", MFD_CLOEXEC);
  static const std::string path = "/proc/self/fd/" + std::to_string(file);
  if (file < 0 || ftruncate(file, 0) != 0) std::abort();
  if (pwrite(file, data, size, 0) != static_cast<ssize_t>(size)) std::abort();
  stile::loader::Inspected seen = stile::loader::inspect(path);
  if (seen.good() != seen.reason.empty()) std::abort();
  if (seen.good() && (!seen.note || seen.note->schemes.empty())) std::abort();
  return 0;
}

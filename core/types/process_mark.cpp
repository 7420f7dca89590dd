// A page that is empty again in every child.
//
// SPDX-License-Identifier: Apache-2.0
#include "types/process_mark.hpp"

#include <sys/mman.h>

#include <chrono>
#include <new>

namespace stile::types {
namespace {

struct Page {
  std::atomic<std::uint64_t>* word;
  bool emptied;  // by the kernel, in a child
};

Page make_page() {
  auto length = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void* memory = mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory != MAP_FAILED && madvise(memory, length, MADV_WIPEONFORK) == 0) {
    return {new (memory) std::atomic<std::uint64_t>(0), true};
  }
  // Never freed, like the page: marks may outlive everything.
  return {new std::atomic<std::uint64_t>(0), false};
}

// Never the same in two processes that could hold each other's marks: a process id comes again, a moment does not.
std::uint64_t fresh_value() {
  auto now = std::chrono::steady_clock::now().time_since_epoch().count();
  auto value = static_cast<std::uint64_t>(now) ^ static_cast<std::uint64_t>(getpid()) << 44;
  return value == 0 ? 1 : value;
}

}  // namespace

ProcessMark::ProcessMark() : process_(getpid()) {
  static const Page page = make_page();
  word_ = page.word;
  emptied_ = page.emptied;
  value_ = word_->load();
  if (value_ != 0) return;  // every call looks at the word: it is written once, not at every mark
  std::uint64_t none = 0;
  word_->compare_exchange_strong(none, fresh_value());
  value_ = word_->load();
}

}  // namespace stile::types

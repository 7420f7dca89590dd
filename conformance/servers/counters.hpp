// What a crowd of callers counts while it runs, in memory that its check reads and that outlives a kill.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

namespace stile::conformance::servers {

/// Answers by what they say of the server.
struct Counters {
  std::atomic<std::uint64_t> ok, refused, full, read_only, unavailable, unknown, late, strange, superseded;
  void add(std::string_view status);
};

/// A file, mapped. Throws std::system_error.
class SharedCounters {
 public:
  explicit SharedCounters(const std::string& path);
  ~SharedCounters();
  SharedCounters(const SharedCounters&) = delete;
  SharedCounters& operator=(const SharedCounters&) = delete;
  Counters& operator*() const { return *at_; }
  Counters* operator->() const { return at_; }

 private:
  Counters* at_;
};

}  // namespace stile::conformance::servers

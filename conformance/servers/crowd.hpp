// Many callers in one process: threads that do everything at once, one that reads what they write, note it in a ledger,
// and count what they hear.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "dialogue/standstill.hpp"
#include "servers/caller_main.hpp"
#include "servers/counters.hpp"
#include "servers/ledger.hpp"
#include "store/link.hpp"

namespace stile::conformance::servers {

/// What each thread of a process but the reader writes to.
struct UnderWay {
  void set(unsigned thread, const std::string& workflow);
  std::string one(std::uint64_t random);

  std::mutex guard;
  std::vector<std::string> workflows;
};

/// Runs until it is destroyed; then every thread ends its call.
class Crowd {
 public:
  Crowd(std::shared_ptr<store::Backend> backend, const Job& job);
  ~Crowd();
  Crowd(const Crowd&) = delete;
  Crowd& operator=(const Crowd&) = delete;

 private:
  std::shared_ptr<store::Backend> backend_;
  Job job_;
  LedgerWriter ledger_;
  SharedCounters counters_;
  Standstill standstill_;
  UnderWay under_way_;
  std::atomic<bool> over_{false};
  std::vector<std::jthread> threads_;  // last: they end before what they use
};

}  // namespace stile::conformance::servers

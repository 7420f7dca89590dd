// Many callers in one process: threads that do everything at once, note it in a ledger, and count what they hear.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "dialogue/standstill.hpp"
#include "servers/caller_main.hpp"
#include "servers/counters.hpp"
#include "servers/ledger.hpp"
#include "store/link.hpp"

namespace stile::conformance::servers {

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
  std::atomic<bool> over_{false};
  std::vector<std::jthread> threads_;  // last: they end before what they use
};

}  // namespace stile::conformance::servers

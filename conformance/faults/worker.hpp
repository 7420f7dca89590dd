// A worker: what it does to one workflow, step by step, so that it can be killed or frozen at each of them.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "check.hpp"
#include "faults/ledger.hpp"
#include "store/link.hpp"
#include "target.hpp"

namespace stile::conformance::faults {

/// Where workers of one trial meet: a namespace, a ledger, a history.
struct Site {
  const Target& target;
  std::string ns;
  std::string folder;
  Duration lease;

  std::string ledger() const { return folder + "/ledger.jsonl"; }
  /// Opens the store with the history layer on; each process writes a file of its own.
  std::shared_ptr<store::Backend> open() const;
};

/// A folder and a namespace of its own for a trial. Leases are short where the store's clock is the real one.
Site make_site(const Target& target, const std::string& name);

inline constexpr std::array<std::string_view, 6> pass_steps{"enqueue", "receive", "record", "supply", "append", "ack"};

/// Called before each step with its place, and after it; may not return.
using Gate = std::function<void(std::size_t step, bool after)>;

class Worker {
 public:
  Worker(const Site& site, std::shared_ptr<store::Backend> store, std::string who);

  /// enqueue, receive with lease, record, supply, append, ack with release: of the workflow and queue of this name.
  /// True when it got as far as an ack that was ok.
  bool pass(const std::string& workflow, const Gate& gate = {});

  /// How long its receives wait: an empty answer at once promises nothing (W7).
  void wait_for(Duration wait) { wait_ = wait; }

  json::object call(json::object request) { return ledger_.call(client_, who_, request); }
  Client& client() { return client_; }
  const Site& site() const { return site_; }

 private:
  json::object request(std::size_t step, const std::string& workflow);

  const Site& site_;
  Client client_;
  Ledger ledger_;
  const std::string who_;
  Duration wait_{2'000'000};
  std::uint64_t values_ = 0;
  json::object delivery_;
};

/// Holds the trial to its ledger and to the judge, who reads the histories of its folder.
Outcome judge_site(const Site& site, const Held& held);

}  // namespace stile::conformance::faults

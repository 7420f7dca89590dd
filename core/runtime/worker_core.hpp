// What a Worker is made of: kinds, a receiver, a pool of passes, a heartbeat.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "runtime/drive.hpp"
#include "runtime/pool.hpp"
#include "stile/worker.hpp"

namespace stile::runtime {

/// Owned copy of WorkerOptions.
struct WorkerSettings {
  explicit WorkerSettings(const WorkerOptions& options);

  unsigned concurrency;
  Duration lease, drain, step_warning;
  int deliveries;
  std::vector<std::string> queues;
  bool check_values;
  std::string build;
};

class WorkerCore : public std::enable_shared_from_this<WorkerCore> {
 public:
  WorkerCore(Store store, const WorkerOptions& options);

  void add(std::string_view kind, std::shared_ptr<const detail::Body> body);
  void run(std::stop_token stop);
  unsigned run_until_idle();
  WorkerCounts counts() const;

 private:
  struct Counters {
    std::atomic<std::uint64_t> passes{0}, taken_over{0}, completed{0}, waiting{0}, stuck{0}, lost{0}, troubled{0};
    std::atomic<std::uint64_t> rejected{0};
  };
  /// What was received, and how its times relate to this host's.
  struct Arrived {
    Delivery delivery;
    StoreTime store_time{};
    Deadline sent{}, heard{};
  };

  std::vector<std::string> queues() const;
  Receive request(const std::vector<std::string>& queues, unsigned room, Duration wait) const;
  void receive_until(std::stop_token stop, const std::shared_ptr<Keeper>& keeper, Pool& pool);
  void run_delivery(Arrived arrived, Keeper* keeper);
  void count(End::Kind kind);
  /// True when it was put aside instead of run.
  bool put_aside(const Delivery& delivery, Pass& pass);

  Store store_;
  WorkerSettings settings_;
  bool manual_clock_;
  Bodies bodies_;
  Counters counters_;
  std::stop_source drain_;
};

}  // namespace stile::runtime

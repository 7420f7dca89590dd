// What stands behind a store handle: lanes for ordinary calls, sessions for waiting ones, sending again.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "stile/store.hpp"
#include "store/lane.hpp"
#include "store/link.hpp"
#include "store/operation.hpp"
#include "store/retry.hpp"
#include "store/sessions.hpp"
#include "types/process_mark.hpp"

namespace stile::store {

class Core final : public Source {
 public:
  /// Connects and asks the store who it is; throws Error. A store that is unprepared opens all the same (S1).
  Core(std::shared_ptr<Backend> backend, const OpenOptions& options);
  ~Core() override;

  /// Does the operations of one caller, all sealed or refused, with after_ok as R3 means it. Every one has a status
  /// when it returns. [any thread]
  void run(std::span<Operation* const> ops, const CallOptions& options);

  const StoreInfo& info() const;
  const Backend& backend() const { return *backend_; }
  void close();

 private:
  struct Call {
    Deadline deadline;
    const std::stop_token& stop;  // the caller's: copying it costs what all who share it pay
    bool resend;
  };
  std::unique_ptr<Link> connect(Deadline deadline) override;
  std::optional<std::size_t> batch_limit() const override;
  void learn(Link& link, std::uint64_t serial, Deadline deadline) override;

  void keep_info(StoreInfo info);
  static void refuse_closed(std::span<Operation* const> ops);

  Lane& choose_lane();
  void run_together(std::span<Operation* const> ops, const Call& call);
  void run_alone(Operation& operation, const Call& call);
  void send_alone(Operation& operation, const Call& call);
  bool pause_before_resend(std::span<Operation* const> ops, int sends, const Call& call);
  bool over(const Call& call) const { return closed_ || call.stop.stop_requested(); }
  bool sleep_until(Deadline until, const std::stop_token& stop);

  types::ProcessMark process_;
  std::shared_ptr<Backend> backend_;
  Duration timeout_;
  unsigned asked_lanes_;

  std::vector<std::unique_ptr<Lane>> lanes_;
  Sessions sessions_;

  std::mutex mutex_;
  std::condition_variable woken_;
  std::atomic<bool> closed_{false};
  std::vector<std::unique_ptr<const StoreInfo>> learnt_;  // kept: references to them were handed out
  std::atomic<const StoreInfo*> known_{nullptr};
};

}  // namespace stile::store

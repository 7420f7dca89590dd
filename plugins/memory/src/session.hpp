// A session: runs batches on the shards, waits where an operation says so.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>

#include "space.hpp"
#include "stile/sdk/entropy.hpp"
#include "stile/sdk/waiting.hpp"

namespace stile::memory {

class Session {
 public:
  explicit Session(std::shared_ptr<Space> space)
      : space_(std::move(space)), turn_(space_->first_turn()), last_(turn_), waits_(space_->room(), space_->clock()) {}

  bool execute(const stile_call& call, std::span<stile_op* const> ops);
  void interrupt(std::uint64_t serial) noexcept { waits_.interrupt(serial); }

 private:
  void one(const stile_call& call, Held& held, stile_op& op);
  void on_shard(Held& held, stile_op& op, std::string_view id, const engine::Receipt* receipt = nullptr);
  void on_receipt(Held& held, stile_op& op, const stile_bytes& receipt);
  /// Runs what changes a shard; whatever stops it in the middle leaves the shard's indexes right.
  template <class Body>
  void guarded(Held& held, stile_op& op, Body&& body);
  template <class Body>
  void on_whole(stile_op& op, Body&& body);

  void receive(const stile_call& call, Held& held, stile_op& op);
  /// One look for what is due. `everywhere`: also where the hints say that nothing is due.
  void look_for_due(Held& held, stile_op& op, bool everywhere);
  /// Where the next look begins: the partitions take turns (W7), but most looks begin where this session worked last,
  /// for what it enqueued or works on is near.
  std::size_t next_turn() {
    if (++looks_ % looks_a_turn != 0) return last_;
    return turn_ = (turn_ + 1) % space_->size();
  }
  std::vector<Span> next_due(Held& held, const std::vector<std::string>& queues);
  void watch(const stile_call& call, Held& held, stile_op& op);
  void look_for_changes(Held& held, stile_op& op);
  void trim(Held& held, stile_op& op);

  engine::Context context(Time now, const stile_op& op);

  std::shared_ptr<Space> space_;
  // Each move to another partition brings some ten lines from the processor that worked there last.
  static constexpr std::size_t looks_a_turn = 16;
  std::size_t turn_;  // whose turn it was
  std::size_t last_;  // where this session worked last
  std::size_t looks_ = 0;
  sdk::Entropy entropy_;
  sdk::Waits waits_;
};

}  // namespace stile::memory

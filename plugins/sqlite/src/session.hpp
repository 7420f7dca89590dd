// One caller: takes a batch apart into what reads, what writes together, what waits, what runs the caller's code.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <span>

#include "item.hpp"
#include "parking.hpp"
#include "store.hpp"
#include "watcher.hpp"

namespace stile::sqlite {

class Session {
 public:
  explicit Session(Store& store) : store_(store) {}

  /// Makes the store's namespace known, and made where it is new, if that can be done by the deadline, of
  /// CLOCK_MONOTONIC. Throws StoreError.
  void introduce(std::int64_t deadline);

  /// False = drop this session.
  bool execute(const stile_call& call, std::span<stile_op* const> ops);
  void interrupt(std::uint64_t serial) noexcept;

 private:
  Item item_of(std::int64_t deadline, std::span<stile_op* const> ops);
  void do_part(Item& item);
  void prepare(Item& item);
  void receive(Item& item);
  void watch(Item& item);
  void effect(Item& item);
  void wait_for_wakeup(Item& item, Waiter& waiter, std::int64_t wait);
  bool rest(Waiter& waiter, std::int64_t until);
  enum class Sight { nothing, due, over };
  Sight look_patiently(const Waiter& waiter, std::int64_t& manual_end, std::int64_t wait, std::int64_t deadline);
  Sight look_for_wakeups(const Waiter& waiter, std::int64_t& manual_end, std::int64_t wait, std::int64_t deadline);
  void answer_empty(stile_op& op);

  Store& store_;
  Parking parking_;
  std::int64_t seen_clock_ = 0;    ///< at the last look, where it stands still
  std::mutex mutex_;               ///< the two below belong together
  std::uint64_t running_ = 0;      ///< the serial of the call that runs, 0 = none
  std::uint64_t called_back_ = 0;  ///< every call up to this one is to return soon
  std::atomic<bool> interrupted_{false};
};

}  // namespace stile::sqlite

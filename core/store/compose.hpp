// Composition: what a store does not couple, made of what it has.
//
// Three things, each only where the store does not declare it:
//  one_commit       supply and append with enqueue become enqueue after the fallback interval, the write, enqueue as
//                   asked (W9). A crash between them leaves a wakeup too many. Only where that wakeup is delivered
//                   before the write and the caller dies after it does a record stand that nobody looks at.
//  coupled_receive  receive with acquire or load becomes receive, then acquire and load of each delivery. What differs
//                   from D9 where a lease is held: the wakeup is put off by snooze at its first delivery (which leaves
//                   its count as it was) and by nack at a later one (which counts it), it loses its place, is in flight
//                   for a moment, and is looked at again within 5 s instead of at the very release of that lease.
//  push_records     watch becomes one poll for all who wait, after 5 ms and ever more rarely, up to 1 s.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <vector>

#include "stile/abi.h"
#include "stile/admin.hpp"
#include "store/operation.hpp"
#include "store/relay.hpp"

namespace stile::store {

/// How long nobody may look at a wakeup whose hint was lost (W5).
inline constexpr Duration fallback_interval{5'000'000};

/// What a store couples by itself, and what composition must know of it.
struct Coupling {
  bool one_commit = false, coupled_receive = false, push_records = false;
  stile_limits limits{};
  std::int64_t store_time = 0;  ///< by its clock, when monotonic was this host's
  Deadline monotonic{};

  explicit Coupling(const StoreInfo& info);
  bool complete() const { return one_commit && coupled_receive && push_records; }
  bool does_by_itself(const stile_op& op) const;
  /// Its clock now, near enough to choose a delay by.
  std::int64_t about_now() const;
  /// The arguments of an operation are in order; else it is answered.
  bool check(stile_op& op) const;
};

/// Long enough for anybody, and short enough to be added to a moment.
inline constexpr std::int64_t longest_wait = INT64_MAX / 4000;

/// A part of an operation: its answer is in the memory of the whole.
stile_op part_of(const stile_op& whole, std::uint32_t kind, const void* request, void* result, std::uint32_t must = 0);

/// The op_id of a part of an operation: the same for every send of it, none where the whole has none.
stile_id part_id(const stile_id& whole, std::string_view part);

/// When the wakeup that covers a write is due: not before the write had time to land, nor before what was asked.
stile_enqueue covering(const stile_enqueue& asked, std::int64_t about_now);
/// What one enqueue would have answered, from the answers of the covering one and of the one as asked.
std::uint32_t state_of_both(std::uint32_t covering, std::uint32_t asked, bool asked_for_later);

/// How a delivery whose workflow is leased is put off: see above.
struct PutOff {
  bool snooze = false;  ///< else nack
  std::int64_t until = 0;
};
PutOff put_off(std::uint32_t delivery_count, std::int64_t held_until, std::int64_t store_time);

/// When a watched workflow is looked at again: 5 ms, growing by half up to 1 s.
class Pace {
 public:
  Deadline due() const { return due_; }
  void start(Deadline now) { due_ = now; }
  void looked(Deadline now);

 private:
  Duration interval_{5'000};
  Deadline due_{};
};

/// The one poll for all who watch a store that does not push records. Whoever watches and finds nobody polling polls
/// for everybody, over its own link.
class WatchPoll {
 public:
  class Waiter;
  /// Executes loads over the caller's link; ok when each was answered.
  using Look = std::function<Status(std::span<stile_op* const> loads)>;
  /// Answers a watch once it was looked for at until, or by at_last.
  void watch(stile_op& op, Deadline until, Deadline at_last, const Look& look,
             const std::function<bool()>& interrupted);
  /// Wakes everybody, to see whether they were interrupted.
  void notify();

 private:
  Status poll(std::unique_lock<std::mutex>& lock, Deadline now, const Look& look);
  Deadline next_due() const;
  Waiter* find(std::uint64_t serial) const;

  std::mutex mutex_;
  std::vector<Waiter*> waiters_;
  std::uint64_t last_serial_ = 0;
  bool polling_ = false;
  Waiter* keeper_ = nullptr;  // wakes when the next look is due
};

/// One execute whose operations are partly composed. Operations keep their order; what is sent plain is sent together.
class Composition {
 public:
  Composition(InnerCalls& calls, const Coupling& coupling, WatchPoll& poll, const stile_call& call)
      : calls_(calls), coupling_(coupling), poll_(poll), call_(call) {}

  Fate run(std::span<stile_op* const> ops);

 private:
  struct Covered {  // a write with its two enqueues
    stile_op *whole, cover, write, enqueue;
    bool for_later;
    stile_enqueue covering;
    stile_enqueue_request cover_request, enqueue_request;
    stile_enqueue_result cover_result, enqueue_result;
    union {
      stile_supply_request supply;
      stile_append_request append;
    };
  };
  struct Taken;  // a delivery on its way to the caller, with its acquire and load

  bool starts(stile_op& op, bool first);
  void add(stile_op& op) { pending_.push_back(&op); }
  void add_covered(stile_op& op);
  static void finish(Covered& covered);
  void flush();
  void send(std::span<stile_op* const> ops);
  void execute(std::span<stile_op* const> ops);

  void receive(stile_op& op);
  bool receive_some(stile_op& op, stile_receive_request& request, std::vector<stile_delivery*>& kept, Status& trouble);
  void lease_and_load(const stile_op& op, std::vector<Taken>& taken);
  void put_off_held(const stile_op& op, std::vector<Taken>& taken, std::int64_t store_time);
  void watch(stile_op& op);

  InnerCalls& calls_;
  const Coupling& coupling_;
  WatchPoll& poll_;
  stile_call call_;
  Fate fate_ = Fate::keep;
  std::int32_t previous_ = STILE_OK;  // of the operation before the first pending one
  bool anything_before_ = false;
  unsigned put_off_ = 0;  // wakeups, in this execute
  std::vector<stile_op*> pending_;
  std::vector<std::unique_ptr<Covered>> covered_;
};

}  // namespace stile::store

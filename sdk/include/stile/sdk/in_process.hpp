// What a store in one process has besides its tables: a clock, a waiting room, an epoch, and the operations that
// concern nothing else (info, prepare, advance).
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stile/sdk/author.h"
#include "stile/sdk/clock.hpp"
#include "stile/sdk/engine/context.hpp"
#include "stile/sdk/entropy.hpp"
#include "stile/sdk/options.hpp"
#include "stile/sdk/waiting.hpp"

namespace stile::sdk {

/// One for an opened store, and for all that share it. Any thread.
class InProcess {
 public:
  /// What info says. The texts and the list are static; manual_clock may stand in it: it is said where the clock is
  /// one.
  struct Words {
    std::string_view plugin, durability, server;
    std::span<const stile_text> capabilities;
  };

  InProcess(const Words& words, const stile_limits& limits, bool manual_clock)
      : words_(words), limits_(limits), epoch_(hex(Entropy().id())), clock_(manual_clock) {}

  const stile_limits& limits() const { return limits_; }
  Clock& clock() { return clock_; }
  WaitingRoom& room() { return room_; }
  /// The store's time, for what concerns no tables.
  engine::Time now() {
    const std::lock_guard lock(mutex_);
    return clock_.now(last_);
  }

  /// Answers whether it was not before.
  bool prepare() { return !prepared_.exchange(true); }

  /// May this operation of a batch be done? If not, it is answered.
  bool admit(std::span<stile_op* const> ops, std::size_t i) {
    const stile_clock clock{[](void* of) { return static_cast<const Clock*>(of)->glance(); }, &clock_};
    return stile_admit(ops.data(), i, ops.size(), &limits_, &clock, prepared_.load(std::memory_order_relaxed)) != 0;
  }

  /// info, prepare, advance: answered. False: it is another operation.
  bool run(stile_op& op) {
    switch (op.kind) {
      case STILE_OP_INFO: info(op); return true;
      case STILE_OP_PREPARE: prepare(op); return true;
      case STILE_OP_ADVANCE: advance(op); return true;
      default: return false;
    }
  }

 private:
  static std::string hex(const stile_id& id) {
    std::string out;
    for (const std::uint8_t byte : id.bytes) {
      out += "0123456789abcdef"[byte >> 4];
      out += "0123456789abcdef"[byte & 15];
    }
    return out;
  }

  void info(stile_op& op) {
    std::vector<stile_text> declared;
    for (const stile_text& one : words_.capabilities)
      if (clock_.manual() || view(one) != "manual_clock") declared.push_back(one);
    auto& out = engine::result_of<stile_info_result>(op);
    stile_bytes epoch{}, capabilities{};
    auto* limits = STILE_NEW(&op, stile_limits);
    if (limits == nullptr || !stile_copy(&op, &epoch, epoch_.data(), epoch_.size()) ||
        !stile_copy(&op, &capabilities, declared.data(), declared.size() * sizeof(stile_text)))
      return;
    *limits = limits_;
    out.plugin = text(words_.plugin);
    out.store_time = now();
    out.epoch = epoch;
    out.durability = text(words_.durability);
    out.server = text(words_.server);
    out.capabilities = reinterpret_cast<const stile_text*>(capabilities.ptr);
    out.n_capabilities = declared.size();
    out.limits = limits;
    engine::accept(op);
  }

  void prepare(stile_op& op) {
    const bool check_only = engine::request_of<stile_prepare_request>(op).check_only != 0;
    if (check_only && !prepared_)
      return engine::refuse(op, STILE_UNPREPARED, "the store is not prepared: run prepare without check_only");
    engine::result_of<stile_prepare_result>(op).migrated = !check_only && prepare() ? 1 : 0;
    engine::accept(op);
  }

  void advance(stile_op& op) {
    if (!clock_.manual())
      return engine::refuse(op, STILE_UNSUPPORTED, "this store's clock is the system's: open it with clock=manual");
    const engine::Time now = clock_.advance(engine::request_of<stile_advance_request>(op).by);
    if (now == 0) return engine::refuse(op, STILE_INVALID, "by ends after the year 9999");
    room_.wake_all();
    engine::result_of<stile_advance_result>(op).store_time = now;
    engine::accept(op);
  }

  const Words words_;
  const stile_limits limits_;
  const std::string epoch_;  // another one each time: what was here before is gone (S2)
  Clock clock_;
  WaitingRoom room_;
  std::atomic<bool> prepared_{false};
  std::mutex mutex_;
  ClockMemory last_;
};

/// The limits that fit nearly every store; partitions and writers are one's own.
constexpr stile_limits usual_limits(std::uint64_t partitions = 1, std::uint64_t writers = 1) {
  stile_limits out{};
  out.struct_size = sizeof out;
  out.id_bytes = 512;
  out.value_bytes = std::uint64_t{64} << 20;
  out.reply_bytes = std::uint64_t{16} << 20;
  out.error_bytes = 4096;
  out.receipt_bytes = 1024;
  out.batch = 1024;
  out.page = 1000;
  out.queues = 256;
  out.partitions = partitions;
  out.writers = writers;
  return out;
}

/// The option of a store with a clock that can be moved by hand: `clock=manual`.
inline constexpr stile_option clock_option = {
    sizeof(stile_option),
    STILE_OPTION_CHOICE,
    0,
    0,
    STILE_LIT("clock"),
    STILE_LIT("system"),
    STILE_LIT("system|manual"),
    STILE_LIT("whose time it is: the system's, or one that stands still until `advance`"),
    0,
    0};

}  // namespace stile::sdk

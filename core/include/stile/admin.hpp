// The operations on the store as a whole, typed: prepare, info, stats, list, trim, render, advance (contract S, T, R7).
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "stile/operations.hpp"
#include "stile/types.hpp"

namespace stile {
inline namespace v1 {

struct Prepared {
  bool migrated = false;
};
/// Creates or migrates the store's schema (S1).
struct Prepare {
  using Answer = Prepared;
  bool check_only = false;
};

struct StoreInfo {
  struct Limits {
    std::uint64_t id_bytes = 0, value_bytes = 0, reply_bytes = 0, error_bytes = 0, receipt_bytes = 0, batch = 0;
    std::uint64_t page = 0, queues = 0, partitions = 0, writers = 0;
  };
  std::string plugin;
  StoreTime store_time{};
  Bytes epoch;
  std::string durability, server;
  std::vector<std::string> capabilities;
  Limits limits;

  bool has(std::string_view capability) const;
};
/// Who this store is and what it promises (S2, S3).
struct Info {
  using Answer = StoreInfo;
};

struct StoreStats {
  std::uint64_t ready = 0, delayed = 0, in_flight = 0, dead = 0;
  std::uint64_t workflows = 0, finished = 0, records = 0, documents = 0, stored_bytes = 0;
  std::optional<Duration> oldest_ready_age{};
  std::optional<StoreTime> next_due_at{};
  std::vector<std::string_view> approximate;  ///< the figures that are estimates
};
/// Counts at some moment of the call (S4).
struct Stats {
  using Answer = StoreStats;
  std::optional<std::string_view> queue{};
};

struct Listed {
  struct Item {
    Bytes workflow, queue;
    State state{};
    std::optional<StoreTime> due_at{};
    std::uint32_t delivery_count = 0;
    std::uint64_t records = 0, fence_number = 0;
    std::optional<StoreTime> live_until{}, finished_at{}, last_written_at{};
    bool cancel_requested = false;
    Bytes last_error;
  };
  std::vector<Item> workflows;
  std::optional<Bytes> next{};
};
/// The known workflows by id (S4).
struct List {
  using Answer = Listed;
  std::optional<State> state{};
  std::optional<std::string_view> queue{};
  std::string_view prefix{};
  std::optional<Duration> idle_for{};
  std::string_view after{};
  std::optional<std::uint32_t> limit{};
};

struct Trimmed {
  std::uint64_t removed = 0;
  bool more = false;
};
/// Removes finished workflows untouched for older_than, bounded work a call (T1-T7).
struct Trim {
  using Answer = Trimmed;
  Duration older_than{};
  std::uint32_t limit = 1000;
};

struct Rendered {
  std::string text;
  std::vector<Parameter> params{};
  std::vector<Bytes> keys;
};
/// Says an unfenced write instead of doing it, for the caller's own transaction (R7).
struct Render {
  using Answer = Rendered;
  std::string_view language;
  std::variant<Enqueue, Supply, Append, Put, Erase, Cancel, RequestCancel> say;
};

struct Advanced {
  StoreTime store_time{};
};
/// Moves a manual clock (A14).
struct Advance {
  using Answer = Advanced;
  Duration by{};
};

}  // namespace v1
}  // namespace stile

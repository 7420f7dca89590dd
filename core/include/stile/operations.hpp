// The operations on workflows, queues and documents, typed: a request is data, its answer is data. Those on the store
// as a whole are in stile/admin.hpp.
//
// Requests only look at what they are given: it must live until the call returns, no longer. What may be left out has
// its default here; durations are lengths, instants are by the store's clock. Ids in comments are the contract's.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "stile/effect.hpp"
#include "stile/types.hpp"

namespace stile {
inline namespace v1 {

/// Where a wakeup is (S4), and what enqueue and reject answer.
enum class State : std::uint32_t {
  ready = STILE_STATE_READY,
  delayed = STILE_STATE_DELAYED,
  in_flight = STILE_STATE_IN_FLIGHT,
  dead = STILE_STATE_DEAD,
  finished = STILE_STATE_FINISHED,    ///< list only: no wakeup, finished
  idle = STILE_STATE_IDLE,            ///< list only: no wakeup, not finished
  coalesced = STILE_STATE_COALESCED,  ///< one waited already (W2)
  deferred = STILE_STATE_DEFERRED,    ///< in flight; kept for its end (W3)
  requeued = STILE_STATE_REQUEUED,    ///< reject: a deferred enqueue brought it back (W3)
};
/// "ready", "in_flight", ...
std::string_view name_of(State state);

/// When and where a workflow should run; neither delay nor at = now, both = invalid (W8).
struct Wakeup {
  std::optional<Duration> delay{};
  std::optional<StoreTime> at{};
  std::optional<std::string_view> queue{};  ///< none = the workflow's last one (W10)
};

/// One record of a checkpoint.
struct StoredRecord {
  Bytes key;
  Bytes value;
  std::int64_t position = 0;
  StoreTime written_at{};
};

// ---- the lease of a workflow

struct Acquired {
  Fence fence;
  StoreTime live_until{}, budget_until{};
  bool cancel_requested = false;
};
/// Grants the lease of a free workflow (A1, A2). `held`: Failure::held_until says when the other one lapses.
struct Acquire {
  using Answer = Acquired;
  std::string_view workflow;
  Duration ttl{}, budget{};
  bool force = false;  ///< an operator's: over a live lease (A13); never sent again by the core
  Id op_id{};          ///< empty = the core draws one, here and below
};

struct Renewed {
  StoreTime live_until{}, budget_until{};
  bool cancel_requested = false;
};
/// A sign of life (A7). `lapsed`: the budget is spent.
struct Renew {
  using Answer = Renewed;
  std::string_view workflow;
  Fence fence;
  Duration ttl{};
  std::optional<Duration> budget{};  ///< none = leave its end where it is
};

struct Released {};
/// Frees the lease and keeps the fence (A8).
struct Release {
  using Answer = Released;
  std::string_view workflow;
  Fence fence;
};

// ---- checkpoint

struct Loaded {
  std::vector<StoredRecord> records;
  std::uint64_t fence_number = 0;
  bool cancel_requested = false, finished = false;
  bool more = false;  ///< exact: there are records above the last one here
};
/// Records in order of first recording (B3, B6).
struct Load {
  using Answer = Loaded;
  std::string_view workflow;
  std::int64_t after = 0;
  std::optional<std::uint32_t> limit{};      ///< none = the store's page
  std::optional<std::uint64_t> max_bytes{};  ///< none = the store's bound
  std::optional<std::string_view> key{};     ///< that record alone
};

struct Recorded {
  Bytes value;  ///< what stands: the winner's, which is the caller's own when first
  bool first = false;
  std::int64_t position = 0;
  StoreTime written_at{};
};
/// Writes a step's outcome under a fence; the first write of a key wins (B1, B2).
struct Record {
  using Answer = Recorded;
  std::string_view workflow;
  Fence fence;
  std::string_view key, value;
  Id op_id{};
};

struct Supplied {
  Bytes value;
  bool first = false;
  std::int64_t position = 0;
  StoreTime written_at{};
  std::optional<State> state{};           ///< with enqueue
  std::optional<StoreTime> visible_at{};  ///< with enqueue, unless dead
};
/// Writes a value from outside, and may enqueue in the same commit (B7, W9).
struct Supply {
  using Answer = Supplied;
  std::string_view workflow, key, value;
  std::optional<Wakeup> enqueue{};
  Id op_id{};
};

struct Appended {
  Bytes key;  ///< of the message that stands
  std::int64_t position = 0;
  bool duplicate = false;
  std::optional<State> state{};
  std::optional<StoreTime> visible_at{};
};
/// Puts a message into the inbox (I1-I5).
struct Append {
  using Answer = Appended;
  std::string_view workflow, value;
  std::optional<std::string_view> message_id{};  ///< none = the op_id serves as one (I3)
  std::optional<Wakeup> enqueue{};
  Id op_id{};
};

struct Transacted {
  Bytes value;
  bool ran = false;
  std::int64_t position = 0;
  StoreTime written_at{};
};
/// Runs an effect and records its value, together or not at all.
struct Transact {
  using Answer = Transacted;
  std::string_view workflow;
  Fence fence;
  std::string_view key;
  std::variant<Statement, Callback> effect;
  Id op_id{};
};

struct Rebased {
  std::uint64_t removed = 0;
  std::int64_t position = 0;
  StoreTime written_at{};
};
/// Removes every record but inbox entries above inbox_after, then records key; one commit (B11).
struct Rebase {
  using Answer = Rebased;
  std::string_view workflow;
  Fence fence;
  std::string_view inbox_after{};  ///< an inbox key; empty keeps all of the inbox
  std::string_view key, value;
  Id op_id{};
};

struct Discarded {
  std::uint64_t removed = 0;
};
/// Forgets the workflow, whole; with cancel its wakeup too (A10, C6).
struct Discard {
  using Answer = Discarded;
  std::string_view workflow;
  bool cancel = false;
  Id op_id{};
};

struct CancelRequested {};
/// Sets the flag that acquire, renew, extend, load and receive report (C8).
struct RequestCancel {
  using Answer = CancelRequested;
  std::string_view workflow;
  Id op_id{};
};

struct Watched {
  std::vector<std::size_t> changed;  ///< indices into Watch::workflows; one that did not change may be named
};
/// Waits until one of the workflows may have a record above its after (B14).
struct Watch {
  using Answer = Watched;
  struct Item {
    std::string_view workflow;
    std::int64_t after = 0;
  };
  std::vector<Item> workflows;
  Duration wait{0};
};

// ---- queue

struct Enqueued {
  State state{};
  std::optional<StoreTime> visible_at{};  ///< none when dead
};
/// "This workflow should run" (W1-W3).
struct Enqueue {
  using Answer = Enqueued;
  std::string_view workflow;
  std::optional<Duration> delay{};
  std::optional<StoreTime> at{};
  std::optional<std::string_view> queue{};
  bool revive = false;  ///< a dead wakeup becomes ready (D7)
  Id op_id{};
};

struct Delivery {
  Bytes workflow, queue;
  Bytes receipt;  ///< names this delivery in its answers
  std::uint32_t delivery_count = 0;
  StoreTime visible_at{};
  Bytes last_error;
  bool cancel_requested = false;
  Fence fence;  ///< with acquire, as are the two below
  StoreTime live_until{}, budget_until{};
  std::vector<StoredRecord> records;  ///< with load, as are the two below
  bool more = false, finished = false;
};
struct Received {
  std::vector<Delivery> deliveries;
  bool more = false;  ///< ask again at once
  StoreTime store_time{};
};
/// Hands out what is due, earliest first, with the lease and the records where asked (D1-D10, W4-W7, W10).
struct Receive {
  using Answer = Received;
  struct Lease {
    Duration ttl{}, budget{};
  };
  struct Records {
    std::optional<std::uint32_t> limit{};
    std::optional<std::uint64_t> max_bytes{};
  };
  std::vector<std::string_view> queues{std::string_view()};  ///< in order of preference
  std::uint32_t max = 1;
  Duration lease{};
  Duration wait{0};
  std::optional<Lease> acquire{};
  std::optional<Records> load{};
  Id op_id{};
  bool again = false;  ///< only what the first send with this op_id handed out (R1); the core sets it when it resends
};

struct Extended {
  StoreTime visible_at{};
  bool cancel_requested = false;
  std::optional<StoreTime> live_until{}, budget_until{};  ///< with renew
};
/// A delivery's sign of life, and with renew the lease's too: both or neither (D3).
struct Extend {
  using Answer = Extended;
  struct Renewal {
    Fence fence;
    Duration ttl{};
    std::optional<Duration> budget{};
  };
  std::string_view receipt;
  Duration lease{};
  std::optional<Renewal> renew{};
};

struct Acked {
  bool requeued = false;
};
/// This delivery is done (D6, W3).
struct Ack {
  using Answer = Acked;
  std::string_view receipt;
  bool finished = false;
  std::optional<Fence> fence{};  ///< refuse with `fenced` unless it is current (D8), here and below
  bool release = false;          ///< free the lease in the same commit
  Id op_id{};
};

struct Snoozed {
  StoreTime visible_at{};
};
/// Run it again later (D5). One of delay and at.
struct Snooze {
  using Answer = Snoozed;
  std::string_view receipt;
  std::optional<Duration> delay{};
  std::optional<StoreTime> at{};
  std::optional<Fence> fence{};
  bool release = false;
  Id op_id{};
};

struct Nacked {
  StoreTime visible_at{};
  std::uint32_t delivery_count = 0;  ///< of the answered delivery
};
/// It failed, try again (D5, D11).
struct Nack {
  using Answer = Nacked;
  std::string_view receipt;
  Duration delay{0};
  std::optional<std::string_view> error{};
  std::optional<Fence> fence{};
  bool release = false;
  Id op_id{};
};

struct Rejected {
  State state{};  ///< dead or requeued
};
/// Put it aside as dead (D7).
struct Reject {
  using Answer = Rejected;
  std::string_view receipt;
  std::optional<std::string_view> error{};
  std::optional<Fence> fence{};
  bool release = false;
  Id op_id{};
};

struct Cancelled {
  bool removed = false;
};
/// Removes the wakeup, whatever it is (C1-C7).
struct Cancel {
  using Answer = Cancelled;
  std::string_view workflow;
  Id op_id{};
};

// ---- documents

struct Document {
  Bytes value, version;
  std::optional<StoreTime> expires_at{};
};
/// `not_found` when there is none.
struct Get {
  using Answer = Document;
  std::string_view key;
};

/// What must hold for a put or an erase.
struct If {
  enum class Kind : std::uint32_t { any = STILE_IF_ANY, absent = STILE_IF_ABSENT, version = STILE_IF_VERSION };
  Kind kind = Kind::any;
  std::string_view text{};  ///< the version

  static constexpr If any() { return {}; }
  static constexpr If absent() { return {Kind::absent, {}}; }
  static constexpr If version(std::string_view version) { return {Kind::version, version}; }
};
/// The ttl of a put that leaves the present expiry (K5).
inline constexpr Duration keep_ttl{STILE_TTL_KEEP};

struct Stored {
  Bytes version;
};
/// Writes a document if the condition holds. `conflict`: Failure::current is what is there (K1-K5).
struct Put {
  using Answer = Stored;
  std::string_view key, value;
  If condition{};
  Duration ttl{0};  ///< 0 = never expires; keep_ttl
  Id op_id{};
};

struct Erased {
  bool removed = false;
};
/// Removes a document if the condition holds (K3, K6).
struct Erase {
  using Answer = Erased;
  std::string_view key;
  If condition{};
  Id op_id{};
};

struct Scanned {
  struct Item {
    Bytes key, version;
    std::optional<StoreTime> expires_at{};
  };
  std::vector<Item> documents;
  std::optional<Bytes> next{};  ///< the after of the next page
};
/// Keys with a prefix in byte order (K7).
struct Scan {
  using Answer = Scanned;
  std::string_view prefix{};
  std::string_view after{};
  std::optional<std::uint32_t> limit{};
};

}  // namespace v1
}  // namespace stile

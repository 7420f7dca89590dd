// What the engine keeps: the row of a workflow, its records and message ids, documents. Plain data, no behaviour.
//
// A store keeps these as it likes (columns, a packed string, a struct in memory); the engine alone gives them meaning.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

#include "stile/abi.h"

namespace stile::sdk::engine {

/// Unix microseconds by the store's clock. 0 = none.
using Time = std::int64_t;
/// Microseconds.
using Span = std::int64_t;

inline constexpr Time never = INT64_MAX;
/// The last microsecond of the year 9999 (W8).
inline constexpr Time last_instant = INT64_C(253402300799999999);
/// How long a husk, an erased document and the memory of a cancelled receipt stay (C2, K3).
inline constexpr Span husk_time = INT64_C(600) * 1000 * 1000;

inline std::string_view view(const stile_bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.ptr), static_cast<std::size_t>(bytes.len)};
}
inline stile_bytes bytes(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}
inline bool same(const stile_id& a, const stile_id& b) { return std::memcmp(a.bytes, b.bytes, sizeof a.bytes) == 0; }
inline bool none(const stile_id& id) { return same(id, stile_id{}); }

/// What a workflow's wakeup is. `cancelled` is no state: see Row::cancelled_at.
enum class Wakeup : std::uint8_t {
  none = 0,
  waiting = 1,    // ready when due <= now, else delayed
  in_flight = 2,  // delivered; due is when it can be delivered again
  dead = 3,       // put aside by reject
};

/// Which of trim's indexes a row stands in. The time beside it is a lower bound: trim looks at the row and moves on.
enum class TrimClass : std::uint8_t {
  none = 0,
  finished = 1,         // finished, no wakeup: trim_at = the last accepted write or answer (T2)
  finished_leased = 2,  // the same, but leased: trim_at = the end of that lease
  leftover = 3,         // a husk, or an id with nothing but a fence number: trim_at = when trim may remove it
};

/// The fixed part of a row. Trivially copyable and without padding, so that a store may keep its bytes as they are.
struct RowCore {
  // Lease (A). number 0 = never granted, or discarded since: then the next number starts above the floor.
  std::uint64_t number = 0;
  stile_id stamp{};
  Span ttl = 0;
  Time alive = 0;   // the lease is live while now < alive
  Time budget = 0;  // its end, whatever the signs of life; 0 after a release

  // Wakeup (W, D).
  Time due = 0;                // when it can be delivered (again)
  Time since = 0;              // with put_off: the time by which it keeps its place (D9)
  Time pend = 0;               // the earliest enqueue kept while in flight (W3); 0 = none
  stile_id receive{};          // the receipt's nonce: the op_id of the receive ...
  std::uint64_t delivery = 0;  // ... and a number that rises with every delivery; both stay after the answer
  Time cancelled_at = 0;       // when cancel took that receipt away (C2); 0 = it did not

  // Checkpoint (B). position 0 = no record yet: then the next position starts above the floor.
  std::int64_t position = 0;  // of the last record
  std::uint64_t records = 0;
  Time written_at = 0;  // of the last record
  Time finished_at = 0;
  Time touched_at = 0;   // the last accepted write or answer (T2), at first the first operation
  Time happened_at = 0;  // the last change of any kind
  Time trim_at = 0;      // with trim_class

  // Memory of what was answered (R1).
  stile_id answer_op{};   // the last ack, snooze, nack or reject
  Time answer_at = 0;     // its visible_at
  stile_id enqueue_op{};  // the last enqueue, also inside supply and append
  Time enqueue_at = 0;    // its visible_at
  stile_id cancel_op{};
  stile_id request_cancel_op{};
  stile_id discard_op{};
  std::uint64_t discard_removed = 0;

  std::uint32_t answer_count = 0;  // its delivery_count
  std::uint32_t count = 0;         // deliveries since the last ack or snooze (D5)
  std::uint32_t epoch = 0;         // the store's at the last change (S2)
  Wakeup wakeup = Wakeup::none;
  TrimClass trim_class = TrimClass::none;
  std::uint8_t put_off = 0;           // D9: due is a lease's end
  std::uint8_t cancel_requested = 0;  // C8
  std::uint8_t granted_by = 0;        // STILE_OP_ACQUIRE or STILE_OP_RECEIVE, for stamp
  std::uint8_t answer_kind = 0;       // STILE_OP_* of answer_op
  std::uint8_t answer_flag = 0;       // ack: requeued; reject: the STILE_STATE_*
  std::uint8_t enqueue_kind = 0;      // STILE_OP_* of enqueue_op
  std::uint8_t enqueue_state = 0;     // STILE_STATE_* it was answered
  std::uint8_t cancel_removed = 0;
  std::uint8_t has_next_queue = 0;
  std::uint8_t reserved = 0;
};
static_assert(std::is_trivially_copyable_v<RowCore> && std::has_unique_object_representations_v<RowCore>);

/// The row of one workflow. A store derives its own from it, to keep where the row came from.
struct Row : RowCore {
  std::string id;
  std::string queue;       // of the wakeup; kept after it (W10)
  std::string next_queue;  // with has_next_queue: named while in flight, takes effect with the answer (W10)
  std::string error;       // last_error; empty = none (D11)

  bool has_wakeup() const { return wakeup != Wakeup::none; }
  /// Known workflows are listed and counted; what is left of others is a husk.
  bool known() const {
    return records != 0 || number != 0 || has_wakeup() || cancel_requested != 0 || finished_at != 0;
  }
  /// Waiting or in flight: it stands in the due index of its queue.
  bool in_due_index() const { return wakeup == Wakeup::waiting || wakeup == Wakeup::in_flight; }
  /// Where it stands among those that are due (W7).
  Time place() const { return put_off ? since : due; }
  bool leased(Time now) const { return now < alive; }
};

/// A record as it stands or as it is to be written. Views: valid until the next call of the tables.
struct Record {
  std::string_view key;
  std::string_view value;
  std::int64_t position = 0;
  Time written_at = 0;
  stile_id op{};           // that wrote it (R1)
  std::uint32_t kind = 0;  // STILE_OP_* of op
};

inline constexpr std::string_view inbox_prefix = "inbox:";

/// What names a message: the two kinds never equal each other (I3).
enum class MessageKind : std::uint8_t { message_id = 0, op_id = 1 };

/// Where a message went. Outlives its record (B11).
struct Message {
  std::int64_t position = 0;
  stile_id op{};  // that appended it
};

/// One remembered put or erase of a document (K3).
struct DocumentOp {
  stile_id op{};              // all zero = sent without; it takes its place all the same
  std::uint64_t version = 0;  // put: what it made
  std::uint32_t kind = 0;     // STILE_OP_PUT or STILE_OP_ERASE
  std::uint32_t removed = 0;  // erase: what it answered
};
static_assert(std::has_unique_object_representations_v<DocumentOp>);

/// A document, or the husk of one.
struct Document {
  static constexpr std::size_t memory = 8;

  std::string key;
  std::string value;
  std::uint64_t version = 0;  // of the last put; rises, never repeats for a key (K2)
  Time expires_at = 0;        // 0 = never
  Time erased_at = 0;         // 0 = it was not: then it is there unless it expired
  std::uint32_t n_ops = 0;    // of ops, oldest first
  std::array<DocumentOp, memory> ops{};

  bool live(Time now) const { return erased_at == 0 && (expires_at == 0 || now < expires_at) && version != 0; }
  /// When it went or will go; 0 = never. What the index of gone documents is sorted by.
  Time gone_at() const { return erased_at != 0 ? erased_at : expires_at; }
};

/// What stats asks of the tables (S4). Times as in Row.
struct Totals {
  std::uint64_t ready = 0, delayed = 0, in_flight = 0, dead = 0;
  std::uint64_t workflows = 0, finished = 0, records = 0, documents = 0, stored_bytes = 0;
  Time oldest_ready = 0;          // least place() of a waiting row with due <= now; 0 = none is ready
  Time next_due = 0;              // least due above now of a waiting or in-flight row; 0 = none
  std::uint32_t approximate = 0;  // STILE_APPROX_*
};

}  // namespace stile::sdk::engine

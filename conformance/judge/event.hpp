// One operation of a recorded history: who asked what and when, and what was answered.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "stile/abi.h"

namespace stile::conformance::judge {

/// Microseconds: a length, an instant of the recorder's monotonic clock, or one of the store's clock.
using Time = std::int64_t;
/// Later than every instant; its negative is earlier than every instant. Sums stay within int64.
inline constexpr Time never = Time{1} << 61;

/// Bytes, by their place in Names: equal bytes have equal numbers.
enum class Text : std::uint32_t { none = 0, unknown = UINT32_MAX };

/// A fence by its two parts. No number: none. unknown: granted by an operation whose answer was lost.
struct FenceName {
  static constexpr std::int64_t unknown = -1;
  std::int64_t number = 0;
  Text stamp = Text::none;
  bool operator==(const FenceName&) const = default;
};

/// A part of one of the lists of a history.
struct Range {
  std::uint32_t begin = 0, end = 0;
  std::uint32_t size() const { return end - begin; }
};

/// Where a line stands: which file, which byte.
struct Place {
  std::uint32_t file = 0, length = 0;
  std::uint64_t offset = 0;
};

/// When something shall run: an instant, or a delay.
struct When {
  Time value = 0;
  bool instant = false;
};

/// What a request said, of all operations; what does not apply is zero.
struct Asked {
  Text workflow = Text::none, key = Text::none, value = Text::none, op_id = Text::none, receipt = Text::none;
  Text queue = Text::none, message_id = Text::none, error = Text::none, version = Text::none, prefix = Text::none;
  Text page_after = Text::none;  ///< of scan
  FenceName fence;
  Time ttl = 0, budget = 0, lease = 0, wait = 0, older_than = 0;
  When when;
  std::int64_t after = 0;  ///< of load; of rebase the position that its inbox_after names
  std::int64_t max = 1;
  Range queues;
  Range watched;  ///< of watch
  enum class If : std::uint8_t { any, absent, version } condition = If::any;
  bool force = false, cancel = false, revive = false, enqueue = false, finished = false, release = false;
  bool after_ok = false, again = false, acquire = false, load = false, has_fence = false, has_queue = false;
  bool has_error = false, has_message_id = false, has_key = false, keep_ttl = false;
  bool narrowed = false;  ///< list: only some of the workflows, by more than a prefix; stats: of one queue
};

/// What an answer said: of an operation, or of one delivery inside the answer of receive.
struct Told {
  Text value = Text::none, key = Text::none, version = Text::none, queue = Text::none, last_error = Text::none;
  Text workflow = Text::none, receipt = Text::none;  ///< of a delivery
  Text next = Text::none;                            ///< of scan
  FenceName fence;
  std::int64_t position = 0, fence_number = 0, removed = 0, delivery_count = 0;
  Time written_at = 0, live_until = 0, budget_until = 0, visible_at = 0, store_time = 0, expires_at = 0;
  Range records;                ///< of load and of a delivery
  Range deliveries;             ///< of receive
  Range documents;              ///< of scan
  Range listed;                 ///< of list
  Range figures;                ///< of stats: one, or none
  std::int64_t partitions = 0;  ///< of info
  std::uint32_t state = 0;
  bool first = false, duplicate = false, cancel_requested = false, finished = false, more = false;
  bool requeued = false, ran = false, has_visible_at = false, has_next = false;
  bool woken = false;  ///< watch: it names a workflow
};

/// A record, a document as they stood in a page.
struct SeenRecord {
  std::int64_t position = 0;
  Text key = Text::none, value = Text::none;
  Time written_at = 0;
};
struct SeenDocument {
  Text key = Text::none, version = Text::none;
  Time expires_at = 0;
};

/// What a watch names: a workflow, and the position up to which it was read.
struct Watched {
  Text workflow = Text::none;
  std::int64_t after = 0;
};
/// A workflow as it stood in a page of list.
struct Listed {
  Text workflow = Text::none, queue = Text::none, last_error = Text::none;
  std::uint32_t state = 0;
  std::int64_t delivery_count = 0, records = 0, fence_number = 0;
  bool finished = false, cancel_requested = false;
};
/// What stats counted.
struct Figures {
  std::int64_t ready = 0, delayed = 0, in_flight = 0, dead = 0, workflows = 0, finished = 0, records = 0;
  bool approximate = false;
};

/// An operation. It took effect, if it did, between invoke and end.
struct Event {
  static constexpr std::int32_t unanswered = STILE_UNSET;

  std::uint32_t client = 0;
  std::uint32_t kind = 0;  ///< STILE_OP_*
  std::uint64_t call = 0, place = 0;
  Time invoke = 0;
  Time returned = never;  ///< when the answer came; never, where none did
  Time end = never;       ///< the same, but never where the answer leaves open whether it happened
  std::int32_t status = unanswered;
  Asked asked;
  Told told;
  Place asked_at, told_at;

  bool ok() const { return status == STILE_OK; }
  /// It may have happened, or may yet happen, once (R2).
  bool in_doubt() const { return status == unanswered || status == STILE_UNKNOWN || status == STILE_INTERNAL; }
  /// It is over before the other begins.
  bool before(const Event& other) const { return end < other.invoke; }
};

}  // namespace stile::conformance::judge

// What the contract says a store holds: workflows with their lease, records and wakeup, and documents. Nothing of how.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json.hpp>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "model/moment.hpp"

namespace stile::conformance::model {

namespace json = boost::json;

/// A write that the store remembers by its op_id (R1).
struct Memory {
  std::string op_id;
  std::string op;
  json::object answer;  ///< what was answered then
  std::string receipt;  ///< of an answer: the receipt it showed
  bool operator==(const Memory&) const = default;
};

/// The lease of the current fence: live, lapsed or released (A5).
struct Lease {
  std::string fence;    ///< NUMBER.STAMP
  std::string granter;  ///< acquire or receive: the operation its op_id was given to
  Time ttl = 0;         ///< of the latest acquire or renew (A6)
  Moment live_until;
  Moment budget_until;

  bool live(Now now) const { return !now.reached(live_until); }
  std::uint64_t number() const;
  std::string stamp() const;
  bool operator==(const Lease&) const = default;
};

struct Record {
  std::string key;
  std::string value;
  Moment written_at;
  std::string op_id;
  std::string op;  ///< which operation wrote it
  bool operator==(const Record&) const = default;
};

/// A message id, or the op_id that serves as one; the two kinds never equal each other (I3).
struct MessageId {
  bool by_op_id = false;
  std::string bytes;
  auto operator<=>(const MessageId&) const = default;
};

struct Message {
  std::string key;
  std::int64_t position = 0;
  std::string op_id;
  bool operator==(const Message&) const = default;
};

/// "This workflow should run."
struct Wakeup {
  enum class State { waiting, in_flight, dead } state = State::waiting;
  Moment due;                             ///< waiting: when it became or becomes due; in flight: when its lease ends
  std::optional<Moment> put_off;          ///< D9: until this end of the lease that it met, or the lease's release
  bool perhaps_put_off = false;           ///< the last receive may have met it, or not: `list` tells
  bool extended = false;                  ///< put off and extended since: D9 keeps it put off, D4 makes it live again
  std::vector<Moment> perhaps_due;        ///< other due times that the contract allows; `list` tells
  std::vector<Moment> also_due;           ///< told as its due time as well: when the last put-off ended, for one
  std::optional<Moment> old_place;        ///< A13 read the other way: since when it keeps its place (D9)
  std::string receipt;                    ///< in flight: the one that works
  std::string receive_op_id;              ///< in flight: of the receive that handed it out
  std::optional<Moment> deferred;         ///< W3: the earliest enqueue since it was delivered
  std::optional<std::string> queue_next;  ///< W10: named by such an enqueue
  std::int64_t count = 0;                 ///< D5
  std::string last_error;                 ///< D11

  /// A delivery, an answer, a new enqueue: nothing of an earlier putting-off counts any more.
  void forget_put_off() {
    put_off.reset();
    perhaps_put_off = extended = false;
    perhaps_due.clear();
    also_due.clear();
    old_place.reset();
  }
  bool operator==(const Wakeup&) const = default;
};

/// When something was last done to a workflow: surely then, perhaps later. Some writes change nothing that lasts, and
/// the contract does not say whether they count.
struct Touched {
  std::optional<Moment> surely;
  std::optional<Moment> perhaps;
  bool operator==(const Touched&) const = default;
};

struct Workflow {
  std::optional<Lease> lease;              ///< none: no fence number (A10)
  bool granted_in_an_old_life = false;     ///< before a discard that left the wakeup
  std::map<std::int64_t, Record> records;  ///< by position
  std::int64_t last_position = 0;          ///< of this life; 0 = none yet
  bool position_may_jump = false;          ///< after a rebase or a new life: rising, but not by one
  std::map<MessageId, Message> messages;
  bool cancel_requested = false;
  std::optional<Moment> finished;
  std::optional<Wakeup> wakeup;
  std::string queue;
  std::optional<std::string> perhaps_queue;  ///< the contract leaves open which of the two; `list` tells
  std::optional<std::string> cancelled_receipt;
  Moment cancelled_at;
  Memory last_answer, last_enqueue, last_cancel, last_request_cancel, last_discard;
  std::set<std::string> along;             ///< op_ids of supplies and appends that enqueued: perhaps the last enqueue
  std::set<std::string> unclear;           ///< op_ids of which the contract does not say whether they are remembered
  Touched touched;                         ///< T2: accepted writes and answers
  Moment first_operation, last_operation;  ///< S4 idle_for; husks
  bool perhaps_gone = false;               ///< the last trim may have taken it; `list` tells

  bool known() const;
  const Record* record(std::string_view key) const;
  std::int64_t last_record() const { return records.empty() ? 0 : records.rbegin()->first; }
  bool leased(Now now) const { return lease && lease->live(now); }
  bool shows_current(const std::optional<std::string>& fence) const { return lease && fence && *fence == lease->fence; }
  bool operator==(const Workflow&) const = default;
};

/// What outlives forgetting: a store keeps it in its floor (A1, B4).
struct Past {
  std::uint64_t fence = 0;
  std::int64_t position = 0;
  bool operator==(const Past&) const = default;
};

struct Document {
  bool there = false;
  std::string value;
  std::string version;
  std::optional<Moment> expires;
  std::deque<Memory> memories;  ///< K3: the successful puts and erases, latest first
  Moment last_operation;

  bool live(Now now) const { return there && !(expires && now.reached(*expires)); }
  bool operator==(const Document&) const = default;
};

/// What the store declares of itself.
struct Terms {
  std::set<std::string> capabilities;
  std::uint64_t id_bytes = 512;
  std::uint64_t value_bytes = 16u << 20;
  std::uint64_t error_bytes = 1024;
  std::uint64_t reply_bytes = 1u << 20;
  std::uint64_t page = 1000;
  std::uint64_t queues = 1;
  std::uint64_t partitions = 1;

  bool can(std::string_view capability) const { return capabilities.count(std::string(capability)) != 0; }
  bool operator==(const Terms&) const = default;
};

struct World {
  Terms terms;
  std::map<std::string, Workflow> workflows;  ///< known ones and husks
  std::map<std::string, Past> past;
  std::map<std::string, std::string> receipts;            ///< every one ever given, and its workflow
  std::map<std::string, Document> documents;              ///< live, expired and erased ones
  std::map<std::string, std::set<std::string>> versions;  ///< every one ever given, by key (K2)
  bool passed_over = false;  ///< the last receive was empty although something was due (W7)

  Workflow* find(const std::string& id);
  /// The workflow as an accepted operation at `now` finds or makes it.
  Workflow& make(const std::string& id, Now now);
  Document* find_document(const std::string& key, Now now);
  bool operator==(const World&) const = default;
};

/// Ends what ended by itself: a put-off whose lease has lapsed (D9), the memory of a cancelled receipt (C2).
void settle(Workflow& workflow, Now now);

/// Whether a wakeup can be delivered. Perhaps: put off until a lease's end that has moved since.
enum class Due { no, perhaps, yes };
Due due(const Workflow& workflow, Now now);

/// A5, A8, A10: the lease ends now, its budget with it, and what it put off is due again (D9).
void end_lease(Workflow& workflow, Now now);
/// A6: an accepted write under a live lease.
void sign_of_life(Workflow& workflow, Now now);
/// D9: what a lease put off has waited long enough.
void end_put_off(Workflow& workflow, Moment when);

/// The memory of all but records, messages and the lease is no longer certain.
void doubt_memories(Workflow& workflow);

/// The two parts of a fence as text.
std::uint64_t fence_number(std::string_view fence);
std::string fence_stamp(std::string_view fence);

/// I1: "inbox:" and the position in 20 decimal digits.
std::string inbox_key(std::int64_t position);
bool is_inbox_key(std::string_view key);

}  // namespace stile::conformance::model

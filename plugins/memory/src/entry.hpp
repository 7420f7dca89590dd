// What the memory store keeps of a workflow and of a document.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "stile/sdk/engine/row.hpp"
#include "time_index.hpp"

namespace stile::memory {

namespace engine = sdk::engine;
using engine::Span;
using engine::Time;

/// A record, and which operation wrote it.
struct StoredRecord {
  std::string key;
  std::string value;
  std::int64_t position = 0;
  Time written_at = 0;
  stile_id op{};
  std::uint32_t kind = 0;

  engine::Record view() const { return {key, value, position, written_at, op, kind}; }
  std::uint64_t bytes() const { return sizeof *this + key.size() + value.size(); }
};

/// The records of one workflow by position, and by key once there are many; its message ids.
class Checkpoint {
 public:
  const StoredRecord* find(std::string_view key) const;
  void add(const engine::Record& record);
  /// Erases all but inbox records above a position; answers how many, and adds their size to bytes.
  std::uint64_t erase_but_inbox(std::int64_t above, std::uint64_t& bytes);
  /// The first record above a position: records from there on are [that, end).
  std::size_t above(std::int64_t position) const;
  /// Erases records and message ids from the end; answers how many.
  std::size_t shrink(std::size_t most, std::uint64_t& bytes);

  const StoredRecord& at(std::size_t index) const { return *records_[index]; }
  std::size_t size() const { return records_.size(); }
  bool empty() const { return records_.empty() && messages_ == nullptr; }
  std::size_t items() const { return records_.size() + (messages_ ? messages_->size() : 0); }

  const engine::Message* message(engine::MessageKind kind, std::string_view name) const;
  void add_message(engine::MessageKind kind, std::string_view name, const engine::Message& message);

 private:
  static constexpr std::size_t few = 16;  // up to here a look at each key beats hashing

  void index_all();

  std::vector<std::unique_ptr<StoredRecord>> records_;
  std::unique_ptr<std::unordered_map<std::string_view, const StoredRecord*>> by_key_;
  std::unique_ptr<std::unordered_map<std::string, engine::Message>> messages_;
};

class Queue;

/// Where an entry stands among the wakeups of its queue.
enum class Place : std::uint8_t { none, ready, lapsed, later };

/// The row of a workflow, and how the shard's indexes know it: `as_*` is what they were last told, so that a change of
/// the row is found by comparing.
struct Entry : engine::Row {
  std::uint64_t hash = 0;  // of id, for the table
  Checkpoint checkpoint;
  TimeHook<Entry> due_hook;
  TimeHook<Entry> trim_hook;
  Queue* as_queue = nullptr;
  engine::Wakeup as_wakeup = engine::Wakeup::none;
  engine::TrimClass as_trim = engine::TrimClass::none;
  Place place_in_queue = Place::none;
  bool as_known = false;
  bool as_finished = false;
  bool stored = false;
  std::uint64_t as_records = 0;
  std::uint64_t as_bytes = 0;
};

/// A document and its place in the index of what goes or went.
struct StoredDocument : engine::Document {
  TimeHook<StoredDocument> gone_hook;
  bool stored = false;
  bool as_live = false;
  std::uint64_t as_bytes = 0;
};

/// The wakeups of one queue in one shard.
class alignas(64) Queue {
 public:
  explicit Queue(std::string_view name) : name_(name) {}

  const std::string& name() const { return name_; }
  /// Puts an entry where its row says; takes it out where the row has no wakeup to deliver.
  void place(Entry& entry, Time now);
  void remove(Entry& entry);
  /// Does an entry of this queue stand where its row says?
  bool holds(const Entry& entry, Time now) const {
    if (entry.wakeup == engine::Wakeup::dead) return true;
    if (entry.due > now) return entry.place_in_queue == Place::later && entry.due_hook.time == entry.due;
    const Place due = entry.wakeup == engine::Wakeup::waiting ? Place::ready : Place::lapsed;
    return entry.place_in_queue == due && entry.due_hook.time == entry.place();
  }
  /// The earliest of those due, or null (W7).
  Entry* first_due(Time now);
  /// When the first of those not yet due is due; engine::never if there is none.
  Time next_due() const { return later_.empty() ? engine::never : later_.first()->due_hook.time; }

  /// A time before which nothing of it is due: 0 while something is.
  Time earliest() const { return ready_.empty() && lapsed_.empty() ? next_due() : 0; }

  void count(engine::Totals& totals, Time now);
  bool unused() const { return ready_.empty() && lapsed_.empty() && later_.empty() && dead == 0; }

  /// Gives everything in flight, in no order.
  template <class Visit>
  void each_in_flight(Visit&& visit) const {
    const auto in_flight_only = [&](Entry& entry) {
      if (entry.wakeup == engine::Wakeup::in_flight) visit(entry);
    };
    lapsed_.each(in_flight_only);
    later_.each(in_flight_only);
  }

 private:
  using Index = TimeIndex<Entry, &Entry::due_hook>;

  /// Those whose time has come move from later to ready or lapsed, where they stand by their place (D9, W7).
  void come_due(Time now);

  Index ready_;  // waiting and due
  Index later_;  // delayed, put off, or in flight and alive

 public:
  std::uint64_t in_flight = 0;
  std::uint64_t dead = 0;

 private:
  Index lapsed_;  // in flight, the delivery's lease ended
  std::string name_;
};

}  // namespace stile::memory

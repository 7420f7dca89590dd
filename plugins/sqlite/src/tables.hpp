// The engine's tables over one connection: prepared statements inside a transaction somebody else begins and ends.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "connection.hpp"
#include "packed_records.hpp"
#include "side_file.hpp"
#include "stile/sdk/engine/row.hpp"
#include "stile/sdk/engine/tables.hpp"
#include "tail.hpp"

namespace stile::sqlite {

/// What a transaction changed that somebody may wait for; said after its commit.
struct Touched {
  Mask ready = 0;                     ///< queues that got a wakeup that is due
  Mask workflows = 0;                 ///< workflows that got a record, or lost theirs
  std::int64_t next_due = INT64_MAX;  ///< the earliest wakeup that is not due yet ...
  Mask delayed = 0;                   ///< ... and the queues of all such
  bool clock = false;                 ///< a clock that stands still was moved
};

/// Counts of stores too large to be counted at each stats: at most a minute old (S4). Any thread.
class Estimates {
 public:
  struct Counts {
    std::uint64_t workflows = 0, finished = 0, records = 0, documents = 0;
    std::int64_t counted_at = 0;  ///< by CLOCK_MONOTONIC
  };
  enum class Of { workflows, documents };

  /// The counts of a namespace if they are fresh enough.
  std::optional<Counts> find(std::int64_t ns, Of of, std::int64_t monotonic_now);
  void keep(std::int64_t ns, Of of, const Counts& counts);

 private:
  std::mutex mutex_;
  std::map<std::pair<std::int64_t, Of>, Counts> counts_;
};

class Tables {
 public:
  /// Where a wakeup stands in stile_due.
  enum class Lane : std::int64_t { waiting = 0, put_off = 1, in_flight = 2, in_flight_put_off = 3, dead = 4, none = 5 };

  struct Row : engine::Row {
    std::int64_t life = 0;  ///< names its records; 0 = it never had one
    Tail tail;              ///< the last of them
    bool stored = false;
    // What the indexes hold of it.
    Lane lane = Lane::none;
    std::int64_t lane_due = 0, lane_since = 0;
    std::string lane_queue;
    engine::TrimClass listed_class = engine::TrimClass::none;
    std::int64_t listed_at = 0;
  };

  Tables(Connection& connection, Estimates& estimates) : connection_(connection), estimates_(estimates) {}

  /// One operation begins, in a namespace, at a store time. The transaction is open.
  void enter(std::int64_t ns, std::int64_t now);
  /// Asked after each step of something long: has it gone on until others should have their turn (T5)?
  bool held_long();
  /// What an effect may not outlast, by CLOCK_MONOTONIC.
  void set_deadline(std::int64_t deadline) { deadline_ = deadline; }
  /// It ended well; what it has yet to write is written, and nothing of it is looked at any more.
  void leave();
  /// The transaction ended. What was cached of it is forgotten, and after a roll-back never was.
  void committed();
  void rolled_back();

  const Touched& touched() const { return touched_; }
  std::int64_t ns() const { return ns_; }
  /// The namespace's clock where it stands still (A14), else 0.
  std::int64_t manual_clock() { return floors().manual_clock; }
  void set_manual_clock(std::int64_t to);
  Connection& connection() { return connection_; }

  /// When the next wakeup of a queue can be delivered; INT64_MAX = it has none.
  std::int64_t next_due(std::string_view queue);

  // --- the concept engine::Tables, whose words are the law here ---
  Row* find(std::string_view id);
  Row& make(std::string_view id);
  void save(Row& row);
  void forget(Row& row);

  const engine::Record* find_record(const Row& row, std::string_view key);
  const engine::Record* add_record(Row& row, const engine::Record& record);
  template <class See>
  void each_record(const Row& row, std::int64_t after, See see) {
    held_.reset();
    if (row.life == 0) return;
    if (row.tail.records_elsewhere()) {
      Query found(connection_, Sql::runs_after, row.life, after);
      const auto seen = [&](const engine::Record& record) { return record.position <= after || see(record); };
      while (found.next())
        if (!each_of_run(found.bytes(1), seen)) return;
    }
    for (std::size_t at = Tail::start; row.tail.read(at, record_);)
      if (record_.position > after && !see(static_cast<const engine::Record&>(record_))) return;
  }
  std::uint64_t erase_records(Row& row, std::int64_t inbox_after);
  void drop_checkpoint(Row& row);
  const engine::Message* find_message(const Row& row, engine::MessageKind kind, std::string_view id);
  void add_message(Row& row, engine::MessageKind kind, std::string_view id, const engine::Message& message);

  Row* first_due(std::string_view queue, std::int64_t now);
  template <class See>
  void each_in_flight(const stile_id& op, See see) {
    for (const std::string& id : ids_in_flight()) {
      Row* row = find(id);
      if (row && row->wakeup == engine::Wakeup::in_flight && engine::same(row->receive, op)) see(*row);
    }
  }

  engine::Document* find_document(std::string_view key);
  engine::Document& make_document(std::string_view key);
  void save_document(engine::Document& document);
  void forget_document(engine::Document& document);
  template <class See>
  void each_document(std::string_view prefix, std::string_view after, See see) {
    const bool exclusive = after >= prefix && !after.empty();
    Query found(connection_, exclusive ? Sql::documents_after : Sql::documents_from, ns_,
                Blob(exclusive ? after : prefix));
    engine::Document seen;
    while (found.next() && found.bytes(0).substr(0, prefix.size()) == prefix) {
      seen.key = found.bytes(0);
      seen.version = static_cast<std::uint64_t>(found.integer(1));
      seen.expires_at = found.integer(2);
      seen.erased_at = found.integer(3);
      if (!see(static_cast<const engine::Document&>(seen))) return;
    }
  }
  engine::Document* first_gone(std::int64_t until);

  template <class See>
  void each_row(std::string_view prefix, std::string_view after, See see) {
    const bool exclusive = after >= prefix && !after.empty();
    Query found(connection_, exclusive ? Sql::rows_after : Sql::rows_from, ns_, Blob(exclusive ? after : prefix));
    Row seen;
    while (found.next() && found.bytes(0).substr(0, prefix.size()) == prefix) {
      seen.id = found.bytes(0);
      read_row(found, 1, seen);
      if (!see(static_cast<const engine::Row&>(seen))) return;
    }
  }
  std::uint64_t floor() { return floors().numbers; }
  void raise_floor(std::uint64_t number) { raise(floors().numbers, number); }
  std::uint64_t document_floor() { return floors().documents; }
  void raise_document_floor(std::uint64_t number) { raise(floors().documents, number); }
  Row* first_trim(engine::TrimClass trim_class, std::int64_t until);
  std::size_t erase_remains(std::size_t limit);
  engine::Totals totals(std::int64_t now, const std::string_view* queue);

  // --- engine::Effects: effect.cpp ---
  bool speaks(const stile_effect& effect) const;
  std::int32_t run_effect(stile_op& op, const stile_effect& effect, std::string_view* value, std::string* error);

 private:
  struct StoredDocument : engine::Document {
    bool stored = false;
    std::int64_t aside = 0;  ///< where its value lies; 0 = in the row
    std::int64_t listed_at = 0;
  };
  struct Floors {
    std::uint64_t numbers = 0, documents = 0;
    bool raised = false;            ///< in memory only, until the operation ends
    std::int64_t manual_clock = 0;  ///< 0 = the clock runs
  };

  void read_row(const Rows& found, int column, Row& row);
  // The records of a run until the visitor answers false; answers what it did last. Throws where none stands.
  template <class See>
  bool each_of_run(std::string_view run, See see) {
    for (std::size_t at = 0; at < run.size();) {
      if (!unpack(run, at, record_))
        throw StoreError(STILE_CORRUPT, connection_.path() + ": stile_record.records cannot be read");
      if (!see(static_cast<const engine::Record&>(record_))) return false;
    }
    return true;
  }
  bool load_document(std::string_view key);
  /// Larger values of documents do not stand in their row (schema_6.sql).
  static constexpr std::size_t most_in_row = 512;
  /// Puts a value aside, in the place of another or in a new one (0); answers where it lies.
  std::int64_t put_aside(std::int64_t place, std::string_view value);
  void move_in_due_index(Row& row);
  void move_in_trim_index(Row& row);
  void take_life(Row& row);
  void insert_run(const Row& row, std::string_view run);
  std::size_t erase_piece(std::int64_t life, std::size_t most);
  std::vector<std::string> ids_in_flight();
  std::vector<std::string> queues_with_wakeups();
  void count_rows(engine::Totals& totals);
  void count_documents(std::int64_t now, engine::Totals& totals);
  std::int64_t count_up_to(std::int64_t limit, Estimates::Counts& counts);
  std::int64_t count_documents_up_to(std::int64_t limit, std::int64_t now, Estimates::Counts& counts);
  void add_totals(std::string_view queue, std::int64_t now, engine::Totals& totals);
  Floors& floors();
  void raise(std::uint64_t& floor, std::uint64_t number) {
    if (number <= floor) return;
    floor = number;
    floors_->raised = true;
  }

  Connection& connection_;
  Estimates& estimates_;
  std::int64_t ns_ = 0;
  std::int64_t now_ = 0;
  std::int64_t entered_at_ = 0;  ///< by CLOCK_MONOTONIC
  int steps_ = 0;                ///< of something long, since then
  std::int64_t deadline_ = INT64_MAX;
  Touched touched_;

  Row row_;
  bool row_saved_ = false;  ///< row_ was just saved: a chain's next operation finds it without a look
  engine::Record record_;
  std::optional<Query> held_;  ///< the run that record_ looks into
  engine::Message message_;
  StoredDocument document_;
  std::optional<Floors> floors_;
  std::string effect_value_;

  // Lives are drawn in blocks, so that a new workflow does not write a counter.
  std::int64_t next_life_ = 0, end_of_lives_ = 0;
};

static_assert(engine::Tables<Tables>);

}  // namespace stile::sqlite

// What a store must offer the engine: a handful of tables inside one transaction. All meaning is in the engine.
//
// A `Tables` object is one open transaction on one partition (a store without partitions has one). The store takes its
// lock or begins, measures its clock, runs one or more operations of the engine, and commits. The engine asks for
// little: an enqueue is find + save, a record is find + add_record + save. It refuses before it writes: when an
// operation ends with another status than STILE_OK, it has called nothing that changes anything (but what effects
// wrote, which run_effect undoes itself).
//
// Failures of the store (busy, full, disk error) are thrown as engine::Failure; the engine lets them pass, and the
// store rolls the operation back and answers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <exception>
#include <string>
#include <string_view>
#include <utility>

#include "stile/sdk/engine/row.hpp"

namespace stile::sdk::engine {

/// Thrown by tables when the store fails under them. `status` says whether it may have happened.
class Failure : public std::exception {
 public:
  Failure(std::int32_t status, std::string text, std::string native = {})
      : status_(status), text_(std::move(text)), native_(std::move(native)) {}
  const char* what() const noexcept override { return text_.c_str(); }
  std::int32_t status() const { return status_; }
  const std::string& text() const { return text_; }
  const std::string& native() const { return native_; }

 private:
  std::int32_t status_;
  std::string text_;
  std::string native_;
};

// The parts that a store may keep (S3): documents; leases and records; queues on top of those; all of it. What tables
// have not got, run answers `unsupported`. Pointers and references that these functions give, and views inside them,
// stay valid until the next call of find, make, first_due, first_trim (rows), of a record function (records), of a
// document function (documents). Bytes are std::string_view; order of bytes is memcmp order.

/// Documents (K).
template <class T>
concept DocumentTables = requires(T& t, std::string_view bytes, Document& document, std::uint64_t number,
                                  bool (*see_document)(const Document&)) {
  { t.find_document(bytes) } -> std::convertible_to<Document*>;  // husks and expired ones too; null = neither
  { t.make_document(bytes) } -> std::convertible_to<Document&>;  // not stored until save_document
  {t.save_document(document)};                                   // keeps the index of gone_at() in step
  // Documents with the prefix and key > after in byte order, husks too, until the visitor answers false.
  {t.each_document(bytes, bytes, see_document)};
  // What forgotten documents leave behind (K2). Durable with this commit; raise never lowers.
  { t.document_floor() } -> std::same_as<std::uint64_t>;
  {t.raise_document_floor(number)};
};

/// Leases and records (A, B, I).
template <class T>
concept RowTables = requires(T& t, typename T::Row& row, std::string_view bytes, std::uint64_t number,
                             const Record& record, MessageKind kind, const Message& message,
                             bool (*see_record)(const Record&)) {
  // --- rows -------------------------------------------------------------------------------------------------------
  // The store's own row: engine::Row and whatever finds it again.
  requires std::derived_from<typename T::Row, Row>;
  // The row of an id, or null.
  { t.find(bytes) } -> std::same_as<typename T::Row*>;
  // A fresh row with that id, not stored until save. Called only when find gave null.
  { t.make(bytes) } -> std::same_as<typename T::Row&>;
  // Stores the row: one insert or update. Keeps the indexes in step with it: the due index (row.in_due_index(), queue,
  // due, place()), trim's (trim_class, trim_at), the order of ids, and the counts of totals (known(), finished_at,
  // records, wakeup).
  {t.save(row)};
  // What forgotten ids leave behind (A1). Durable with this commit; raise never lowers.
  { t.floor() } -> std::same_as<std::uint64_t>;
  {t.raise_floor(number)};

  // --- records of a row -------------------------------------------------------------------------------------------
  // The record of a key, or null.
  { t.find_record(row, bytes) } -> std::same_as<const Record*>;
  // Adds a record unless the key is there: null = added, else the record that stands. The row may not be stored yet
  // (made in this operation); save follows.
  { t.add_record(row, record) } -> std::same_as<const Record*>;
  // Gives the records with position > after in order, until the visitor answers false.
  {t.each_record(row, std::int64_t{}, see_record)};
  // rebase: erases every record but those whose key starts with "inbox:" and whose position is above the one given.
  // Message ids stay. Answers how many went.
  { t.erase_records(row, std::int64_t{}) } -> std::same_as<std::uint64_t>;
  // discard and trim: all records and message ids of the row go, in one step for every observer, at a cost that does
  // not grow with their number where the store can: what cannot go at once is left to erase_remains (B13).
  {t.drop_checkpoint(row)};
  // The message ids of a row (I3). Written once each.
  { t.find_message(row, kind, bytes) } -> std::same_as<const Message*>;
  {t.add_message(row, kind, bytes, message)};
};

/// Wakeups and deliveries (C, D, W).
template <class T>
concept QueueTables = RowTables<T> &&
    requires(T& t, std::string_view bytes, Time time, const stile_id& op, void (*see_delivery)(typename T::Row&)) {
  // Of the rows of that queue with in_due_index() and due <= now, one with the least place() (W7), or null.
  { t.first_due(bytes, time) } -> std::same_as<typename T::Row*>;
  // Every row in flight whose `receive` is op. Rare: may look at everything in flight.
  {t.each_in_flight(op, see_delivery)};
};

/// What an operator sees and what trim takes away (S4, T), of a store that keeps all of the contract.
template <class T>
concept UpkeepTables = requires(T& t, typename T::Row& row, Document& document, std::string_view bytes, Time time,
                                TrimClass trim_class, std::size_t limit, bool (*see_row)(const Row&),
                                const std::string_view* queue) {
  // Rows with the prefix and id > after in byte order, husks too, until the visitor answers false.
  {t.each_row(bytes, bytes, see_row)};
  // Counts, of one queue where queue is not null (S4). Documents that are not live(now) do not count.
  { t.totals(time, queue) } -> std::same_as<Totals>;
  // A row of that class with trim_at <= time, the earliest first, or null.
  { t.first_trim(trim_class, time) } -> std::same_as<typename T::Row*>;
  // Forgets the row and whatever still hangs on it. The engine has raised the floor.
  {t.forget(row)};
  // Erases at most limit records and message ids that drop_checkpoint left behind; answers how many went.
  { t.erase_remains(limit) } -> std::same_as<std::size_t>;
  // A document with 0 < gone_at() <= time, the earliest first, or null.
  { t.first_gone(time) } -> std::convertible_to<Document*>;
  {t.forget_document(document)};
};

/// All of the contract.
template <class T>
concept Tables = DocumentTables<T> && QueueTables<T> && UpkeepTables<T>;

/// Tables of a store that has effects (E). run_effect runs it inside the transaction, with *op's arena for what it
/// hands out, and answers STILE_OK and *value (valid until the next call), or STILE_EFFECT_FAILED with *error after
/// undoing all the effect did. speaks says whether the language and the form are declared.
template <class T>
concept Effects = requires(T& t, stile_op& op, const stile_effect& effect, std::string_view* value,
                           std::string* error) {
  { t.speaks(effect) } -> std::same_as<bool>;
  { t.run_effect(op, effect, value, error) } -> std::same_as<std::int32_t>;
};

}  // namespace stile::sdk::engine

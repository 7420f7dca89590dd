// Records, messages, and lives that are over.
//
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <cstring>

#include "clock.hpp"
#include "tables.hpp"

namespace stile::sqlite {
namespace {

constexpr std::size_t inbox_digits = 20;
constexpr std::size_t largest_piece = 128;
constexpr std::size_t most_in_run = 16;  // records, by their heads
static_assert(Tail::most / 40 <= most_in_run);
constexpr std::int64_t quick = 1'000;

// The position in an inbox key; 0 when it is not one that an append gives out.
std::int64_t inbox_position(std::string_view key) {
  if (key.size() != engine::inbox_prefix.size() + inbox_digits) return 0;
  std::int64_t position = 0;
  const char* end = key.data() + key.size();
  const auto parsed = std::from_chars(key.data() + engine::inbox_prefix.size(), end, position);
  return parsed.ec == std::errc{} && parsed.ptr == end ? position : 0;
}

void read_op(std::string_view bytes, stile_id& op) {
  op = stile_id{};
  if (bytes.size() == sizeof op.bytes) std::memcpy(op.bytes, bytes.data(), sizeof op.bytes);
}

}  // namespace

const engine::Record* Tables::find_record(const Row& row, std::string_view key) {
  held_.reset();
  if (row.life == 0) return nullptr;
  for (std::size_t at = Tail::start; row.tail.read(at, record_);)
    if (record_.key == key) return &record_;
  if (!row.tail.records_elsewhere()) return nullptr;
  if (is_inbox(key)) {
    const std::int64_t position = inbox_position(key);
    if (position == 0) return nullptr;
    held_.emplace(connection_, Sql::run_at, row.life, position);
  } else {
    held_.emplace(connection_, Sql::run_of_key, row.life, Blob(key));
  }
  if (held_->next() && !each_of_run(held_->bytes(0), [&](const engine::Record& at) { return at.key != key; }))
    return &record_;
  held_.reset();
  return nullptr;
}

void Tables::insert_run(const Row& row, std::string_view run) {
  std::int64_t last = 0;
  each_of_run(run, [&](const engine::Record& record) {
    last = record.position;
    if (!is_inbox(record.key)) connection_.run(Sql::insert_key, row.life, Blob(record.key), record.position);
    return true;
  });
  connection_.run(Sql::insert_run, row.life, last, Blob(run));
}

const engine::Record* Tables::add_record(Row& row, const engine::Record& record) {
  held_.reset();
  if (row.life == 0) take_life(row);
  if (!is_inbox(record.key)) {
    if (const engine::Record* standing = find_record(row, record.key)) return standing;
  }
  if (!row.tail.has_room_for(record)) {
    if (!row.tail.records().empty()) insert_run(row, row.tail.records());
    row.tail.spilled();
  }
  if (row.tail.has_room_for(record)) {
    row.tail.add(record);
  } else {
    std::string run;
    pack(record, run);
    insert_run(row, run);
  }
  touched_.workflows |= mask_of(ns_, row.id.data(), row.id.size());
  return nullptr;
}

std::uint64_t Tables::erase_records(Row& row, std::int64_t inbox_after) {
  held_.reset();
  if (row.life == 0) return 0;
  std::uint64_t erased = row.tail.erase(inbox_after);
  if (!row.tail.records_elsewhere()) return erased;
  connection_.run(Sql::erase_keys, row.life);
  std::string left;
  for (std::int64_t last = 0;;) {
    std::size_t size = 0;
    left.clear();
    {
      Query found(connection_, Sql::runs_after, row.life, last);
      if (!found.next()) return erased;
      last = found.integer(0);
      size = found.bytes(1).size();
      each_of_run(found.bytes(1), [&](const engine::Record& record) {
        is_inbox(record.key) && record.position > inbox_after ? pack(record, left) : void(++erased);
        return true;
      });
    }
    if (left.empty())
      connection_.run(Sql::delete_run, row.life, last);
    else if (left.size() != size)
      connection_.run(Sql::save_run, Blob(left), row.life, last);
  }
}

void Tables::drop_checkpoint(Row& row) {
  held_.reset();
  touched_.workflows |= mask_of(ns_, row.id.data(), row.id.size());
  if (row.life == 0) return;
  if (row.tail.records_elsewhere() || row.tail.messages_elsewhere()) connection_.run(Sql::insert_gone, row.life);
  row.life = 0;
  row.tail.clear();
}

const engine::Message* Tables::find_message(const Row& row, engine::MessageKind kind, std::string_view id) {
  if (row.life == 0 || !row.tail.messages_elsewhere()) return nullptr;
  Query found(connection_, Sql::find_message, row.life, static_cast<std::int64_t>(kind), Blob(id));
  if (!found.next()) return nullptr;
  message_.position = found.integer(0);
  read_op(found.bytes(1), message_.op);
  return &message_;
}

void Tables::add_message(Row& row, engine::MessageKind kind, std::string_view id, const engine::Message& message) {
  if (row.life == 0) take_life(row);
  row.tail.set_messages_elsewhere();
  Rows run(connection_, connection_.statement(Sql::insert_message));
  Binder to(run);
  to.add(row.life);
  to.add(static_cast<std::int64_t>(kind));
  to.add(Blob(id));
  to.add(message.position);
  to.add_id(message.op);
  run.next();
}

// Answers how much went; less than most when nothing is left.
std::size_t Tables::erase_piece(std::int64_t life, std::size_t most) {
  const auto run = [&](Sql which, std::size_t limit) {
    return static_cast<std::size_t>(connection_.run(which, life, limit));
  };
  // A run counts for as many records as it may have.
  std::size_t gone = run(Sql::erase_gone_records, (most + most_in_run - 1) / most_in_run) * most_in_run;
  if (gone < most) gone += run(Sql::erase_gone_keys, most - gone);
  if (gone < most) gone += run(Sql::erase_gone_messages, most - gone);
  if (gone < most) connection_.run(Sql::delete_gone, life);
  return std::min(gone, most);
}

// In pieces, so that it can stop in between. How long a record takes depends on its size, of which 16 MiB is possible.
std::size_t Tables::erase_remains(std::size_t limit) {
  std::size_t erased = 0, piece = 1;
  while (erased < limit && !held_long()) {
    std::int64_t life = 0;
    {
      Query found(connection_, Sql::first_gone);
      if (!found.next()) break;
      life = found.integer(0);
    }
    const std::int64_t start = monotonic_now();
    erased += erase_piece(life, std::min(limit - erased, piece));
    piece = monotonic_now() - start < quick ? std::min(piece * 2, largest_piece) : 1;
  }
  return erased;
}

}  // namespace stile::sqlite

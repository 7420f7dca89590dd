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
constexpr std::int64_t quick = 1'000;

// The position in an inbox key; 0 when it is not one that an append gives out.
std::int64_t inbox_position(std::string_view key) {
  if (key.size() != engine::inbox_prefix.size() + inbox_digits) return 0;
  std::int64_t position = 0;
  const char* end = key.data() + key.size();
  const auto parsed = std::from_chars(key.data() + engine::inbox_prefix.size(), end, position);
  return parsed.ec == std::errc{} && parsed.ptr == end ? position : 0;
}

void inbox_key(std::int64_t position, std::string& key) {
  char digits[inbox_digits];
  std::memset(digits, '0', sizeof digits);
  for (std::size_t at = inbox_digits; position > 0 && at > 0; position /= 10)
    digits[--at] = static_cast<char>('0' + position % 10);
  key.assign(engine::inbox_prefix);
  key.append(digits, sizeof digits);
}

void read_op(std::string_view bytes, stile_id& op) {
  op = stile_id{};
  if (bytes.size() == sizeof op.bytes) std::memcpy(op.bytes, bytes.data(), sizeof op.bytes);
}

}  // namespace

void Tables::read_record(const Rows& found) {
  record_.position = found.integer(0);
  record_.written_at = found.integer(1);
  read_op(found.bytes(2), record_.op);
  record_.kind = static_cast<std::uint32_t>(found.integer(3));
  if (found.null(4)) {
    inbox_key(record_.position, record_key_);
    record_.key = record_key_;
  } else {
    record_.key = found.bytes(4);
  }
  record_.value = found.bytes(5);
}

const engine::Record* Tables::find_record(const Row& row, std::string_view key) {
  held_.reset();
  if (row.life == 0) return nullptr;
  for (std::size_t at = Tail::start; row.tail.read(at, record_);)
    if (record_.key == key) return &record_;
  if (!row.tail.records_elsewhere()) return nullptr;
  if (is_inbox(key)) {
    const std::int64_t position = inbox_position(key);
    if (position == 0) return nullptr;
    held_.emplace(connection_, Sql::record_at, row.life, position);
  } else {
    held_.emplace(connection_, Sql::record_of_key, row.life, Blob(key));
  }
  if (!held_->next()) {
    held_.reset();
    return nullptr;
  }
  read_record(*held_);
  // The position of a step is no inbox key.
  if (record_.key != key) {
    held_.reset();
    return nullptr;
  }
  return &record_;
}

void Tables::insert_record(const Row& row, const engine::Record& record) {
  Rows run(connection_, connection_.statement(Sql::insert_record));
  Binder to(run);
  to.add(row.life);
  to.add(record.position);
  to.add(record.written_at);
  to.add_id(record.op);
  to.add(static_cast<std::int64_t>(record.kind));
  to.add_some(record.key, !is_inbox(record.key));
  to.add(Blob(record.value));
  run.next();
}

const engine::Record* Tables::add_record(Row& row, const engine::Record& record) {
  held_.reset();
  if (row.life == 0) take_life(row);
  if (!is_inbox(record.key)) {
    if (const engine::Record* standing = find_record(row, record.key)) return standing;
  }
  if (!row.tail.has_room_for(record)) {
    for (std::size_t at = Tail::start; row.tail.read(at, record_);) insert_record(row, record_);
    row.tail.spilled();
  }
  if (row.tail.has_room_for(record))
    row.tail.add(record);
  else
    insert_record(row, record);
  touched_.workflows |= mask_of(ns_, row.id.data(), row.id.size());
  return nullptr;
}

std::uint64_t Tables::erase_records(Row& row, std::int64_t inbox_after) {
  held_.reset();
  if (row.life == 0) return 0;
  const std::uint64_t erased = row.tail.erase(inbox_after);
  if (!row.tail.records_elsewhere()) return erased;
  return erased + static_cast<std::uint64_t>(connection_.run(Sql::erase_records, row.life, inbox_after));
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
    const std::size_t most = std::min(limit - erased, piece);
    auto gone = static_cast<std::size_t>(connection_.run(Sql::erase_gone_records, life, most));
    if (gone < most) gone += static_cast<std::size_t>(connection_.run(Sql::erase_gone_messages, life, most - gone));
    if (gone < most) connection_.run(Sql::delete_gone, life);
    erased += gone;
    piece = monotonic_now() - start < quick ? std::min(piece * 2, largest_piece) : 1;
  }
  return erased;
}

}  // namespace stile::sqlite

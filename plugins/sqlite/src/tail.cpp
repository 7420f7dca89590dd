// The bytes of a tail.
//
// SPDX-License-Identifier: Apache-2.0
#include "tail.hpp"

#include <cstring>
#include <utility>

namespace stile::sqlite {
namespace {

struct Head {
  std::int64_t position, written_at;
  stile_id op;
  std::uint32_t kind;
  std::uint16_t key_size, value_size;
};
static_assert(sizeof(Head) == 40, "no padding: it is stored as it is");
static_assert(Tail::most <= UINT16_MAX);

std::size_t size_of(const engine::Record& record) { return sizeof(Head) + record.key.size() + record.value.size(); }

}  // namespace

void Tail::mark(char bit) { bytes_[0] = static_cast<char>(bytes_[0] | bit); }

bool Tail::assign(std::string_view bytes, const engine::Row& row, std::int64_t life) {
  bytes_ = bytes;
  if (bytes.empty() || life == 0) return bytes.empty() && life == 0 && row.records == 0;
  if ((bytes[0] & ~(records_bit | messages_bit)) != 0) return false;
  engine::Record record;
  std::size_t at = start;
  std::uint64_t count = 0;
  for (std::int64_t last = 0; read(at, record); last = record.position, ++count)
    if (record.position <= last) return false;
  return at == bytes.size() && (count == 0 || record.position == row.position) &&
         (records_elsewhere() ? count <= row.records : count == row.records);
}

bool Tail::has_room_for(const engine::Record& record) const { return bytes_.size() + size_of(record) <= most; }

void Tail::add(const engine::Record& record) {
  const Head head{record.position,
                  record.written_at,
                  record.op,
                  record.kind,
                  static_cast<std::uint16_t>(record.key.size()),
                  static_cast<std::uint16_t>(record.value.size())};
  bytes_.append(reinterpret_cast<const char*>(&head), sizeof head);
  bytes_.append(record.key);
  bytes_.append(record.value);
}

void Tail::spilled() {
  mark(records_bit);
  bytes_.resize(start);
}

std::uint64_t Tail::erase(std::int64_t inbox_after) {
  std::uint64_t erased = 0;
  Tail kept;
  kept.bytes_.assign(1, bytes_[0]);
  engine::Record record;
  for (std::size_t at = start; read(at, record);) {
    if (record.position > inbox_after && is_inbox(record.key))
      kept.add(record);
    else
      ++erased;
  }
  bytes_ = std::move(kept.bytes_);
  return erased;
}

bool Tail::read(std::size_t& at, engine::Record& record) const {
  Head head;
  if (at + sizeof head > bytes_.size()) return false;
  std::memcpy(&head, bytes_.data() + at, sizeof head);
  const std::size_t end = at + sizeof head + head.key_size + head.value_size;
  if (end > bytes_.size()) return false;
  const std::string_view rest = std::string_view(bytes_).substr(at + sizeof head);
  record.position = head.position;
  record.written_at = head.written_at;
  record.op = head.op;
  record.kind = head.kind;
  record.key = rest.substr(0, head.key_size);
  record.value = rest.substr(head.key_size, head.value_size);
  at = end;
  return true;
}

}  // namespace stile::sqlite

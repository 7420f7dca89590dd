// The bytes of a tail.
//
// SPDX-License-Identifier: Apache-2.0
#include "tail.hpp"

#include <utility>

#include "packed_records.hpp"

namespace stile::sqlite {

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

bool Tail::has_room_for(const engine::Record& record) const { return bytes_.size() + packed_size(record) <= most; }

void Tail::add(const engine::Record& record) { pack(record, bytes_); }

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

bool Tail::read(std::size_t& at, engine::Record& record) const { return unpack(bytes_, at, record); }

}  // namespace stile::sqlite

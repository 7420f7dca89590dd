// The bytes of packed records.
//
// SPDX-License-Identifier: Apache-2.0
#include "packed_records.hpp"

#include <cstring>

namespace stile::sqlite {
namespace {

struct Head {
  std::int64_t position, written_at;
  stile_id op;
  std::uint32_t value_size;
  std::uint16_t key_size, kind;
};
static_assert(sizeof(Head) == 40, "no padding: it is stored as it is");
static_assert(STILE_OP_COUNT <= UINT16_MAX);

}  // namespace

std::size_t packed_size(const engine::Record& record) { return sizeof(Head) + record.key.size() + record.value.size(); }

void pack(const engine::Record& record, std::string& to) {
  const Head head{record.position,
                  record.written_at,
                  record.op,
                  static_cast<std::uint32_t>(record.value.size()),
                  static_cast<std::uint16_t>(record.key.size()),
                  static_cast<std::uint16_t>(record.kind)};
  to.append(reinterpret_cast<const char*>(&head), sizeof head);
  to.append(record.key);
  to.append(record.value);
}

bool unpack(std::string_view from, std::size_t& at, engine::Record& record) {
  Head head;
  if (at + sizeof head > from.size()) return false;
  std::memcpy(&head, from.data() + at, sizeof head);
  const std::size_t end = at + sizeof head + head.key_size + head.value_size;
  if (end > from.size()) return false;
  record.position = head.position;
  record.written_at = head.written_at;
  record.op = head.op;
  record.kind = head.kind;
  record.key = from.substr(at + sizeof head, head.key_size);
  record.value = from.substr(at + sizeof head + head.key_size, head.value_size);
  at = end;
  return true;
}

}  // namespace stile::sqlite

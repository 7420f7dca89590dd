// Records into an answer: load, and the records that come with a delivery (B3, B6).
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "stile/sdk/engine/state.hpp"

namespace stile::sdk::engine {

/// A page of records: how many, how many bytes of keys and values, and whether the first is given whatever its size.
struct Page {
  std::uint32_t limit = 0;
  std::uint64_t bytes = 0;
  bool at_least_one = true;
};

inline Page page_of(const stile_limits& limits, std::uint32_t limit, std::uint64_t max_bytes, bool at_least_one) {
  const auto most = static_cast<std::uint32_t>(std::min<std::uint64_t>(limits.page, UINT32_MAX));
  return {std::min(limit, most), std::min(max_bytes, limits.reply_bytes), at_least_one};
}

struct Loaded {
  stile_record* first = nullptr;
  std::uint64_t bytes = 0;
  bool more = false;
};

inline stile_record* copy_record(stile_op& op, const Record& record) {
  Carver carver(op, sizeof(stile_record) + record.key.size() + record.value.size());
  auto* made = carver.element<stile_record>();
  made->key = carver.copy(record.key);
  made->value = carver.copy(record.value);
  made->position = record.position;
  made->written_at = record.written_at;
  return made;
}

/// The records above `after` that fit the page. The last record always stands at row.position, so more is exact.
template <RowTables T>
Loaded load_page(T& tables, stile_op& op, typename T::Row& row, std::int64_t after, const Page& page) {
  Loaded out;
  if (row.records == 0 || after >= row.position) return out;
  stile_record** tail = &out.first;
  std::uint32_t given = 0;
  std::int64_t last = after;
  tables.each_record(row, after, [&](const Record& record) {
    if (given == page.limit) return false;
    const std::uint64_t size = record.key.size() + record.value.size();
    if (out.bytes + size > page.bytes && !(given == 0 && page.at_least_one)) return false;
    *tail = copy_record(op, record);
    tail = &(*tail)->next;
    out.bytes += size;
    last = record.position;
    return ++given < page.limit && last < row.position;
  });
  out.more = last < row.position;
  return out;
}

template <RowTables T>
void load(T& tables, const Context& context, stile_op& op) {
  const auto& asked = request_of<stile_load_request>(op);
  auto& out = result_of<stile_load_result>(op);
  auto* row = look(tables, context, view(asked.workflow));
  if (row == nullptr) return accept(op);
  out.cancel_requested = row->cancel_requested;
  out.fence_number = row->number;
  out.finished = row->finished_at != 0 ? 1 : 0;
  if (asked.has_key) {
    if (const Record* record = row->records != 0 ? tables.find_record(*row, view(asked.key)) : nullptr)
      out.records = copy_record(op, *record);
    return accept(op);
  }
  const Loaded loaded =
      load_page(tables, op, *row, asked.after, page_of(*context.limits, asked.limit, asked.max_bytes, true));
  out.records = loaded.first;
  out.more = loaded.more ? 1 : 0;
  accept(op);
}

}  // namespace stile::sdk::engine

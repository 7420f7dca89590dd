// transact: an effect and its record, together or not at all (contract E).
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "stile/sdk/engine/checkpoint.hpp"

namespace stile::sdk::engine {

namespace transact_detail {

inline void answer(stile_op& op, const Record& record, bool ran) {
  auto& out = result_of<stile_transact_result>(op);
  out.value = copy(op, record.value);
  out.position = record.position;
  out.written_at = record.written_at;
  out.ran = ran ? 1 : 0;
}

inline void refuse_copied(stile_op& op, std::int32_t status, std::string_view text) {
  const stile_bytes kept = copy(op, text);
  op.status = status;
  op.error = {reinterpret_cast<const char*>(kept.ptr), kept.len};
}

}  // namespace transact_detail

/// The tables run the effect inside the transaction this is called in, so whatever supply or lease comes meanwhile
/// comes before or after it whole (E3, E5). A store that lets others write while an effect runs checks again before it
/// commits.
template <RowTables T>
void transact(T& tables, const Context& context, stile_op& op) {
  using namespace checkpoint_detail;
  const auto& asked = request_of<stile_transact_request>(op);
  const auto key = view(asked.key);
  auto* row = look(tables, context, view(asked.workflow));
  const Record* standing = row != nullptr ? tables.find_record(*row, key) : nullptr;
  if (standing != nullptr) {
    const Written by = who_wrote(op, *standing);
    if (by == Written::reused) return refuse_reused(op);
    if (by == Written::mine) {
      transact_detail::answer(op, *standing, true);
      return accept(op);
    }
  }
  if constexpr (!Effects<T>) {
    return refuse(op, STILE_UNSUPPORTED, "this store runs no effects");
  } else {
    if (!tables.speaks(*asked.effect))
      return refuse(op, STILE_UNSUPPORTED, "this store does not run effects of that language or form");
    if (row == nullptr || !fence_current(*row, asked.fence)) return refuse_fenced(op);
    if (standing != nullptr) {  // E2
      transact_detail::answer(op, *standing, false);
    } else {
      std::string_view value;
      std::string error;
      const std::int32_t status = tables.run_effect(op, *asked.effect, &value, &error);
      if (status != STILE_OK) return transact_detail::refuse_copied(op, status, error);
      const Record made = next_record(tables, *row, context, op, key, value);
      transact_detail::answer(op, made, true);
      tables.add_record(*row, made);
      count_record(*row, made);
    }
    sign_of_life(*row, context.now);
    row->touched_at = context.now;
    store(tables, context, *row);
    accept(op);
  }
}

}  // namespace stile::sdk::engine

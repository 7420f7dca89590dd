// A record into an answer.
//
// SPDX-License-Identifier: Apache-2.0
#include "records.hpp"

namespace stile::postgres {

void Records::add(stile_op& op, const Received& row) {
  const sdk::engine::InboxKey inbox(row.a());
  const std::string_view key = row.has_name() ? row.name() : inbox.view();
  sdk::engine::Carver carver(op, sizeof(stile_record) + key.size() + row.value().size());
  auto* made = carver.element<stile_record>();
  made->key = carver.copy(key);
  made->value = carver.copy(row.value());
  made->position = row.a();
  made->written_at = row.b();
  *tail_ = made;
  tail_ = &made->next;
}

}  // namespace stile::postgres

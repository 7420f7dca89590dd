// What render hands out: the insert into stile_said, and its parameters in the order of the table.
//
// SPDX-License-Identifier: Apache-2.0
#include "render.hpp"

#include <array>
#include <string_view>

#include "statements.hpp"
#include "stile/sdk/check.h"
#include "stile/sdk/engine/context.hpp"
#include "stile/sdk/plugin.hpp"
#include "store.hpp"

namespace stile::sqlite {
namespace {

// The parameters of sql/say.sql.
enum Column : std::size_t {
  ns,
  kind,
  op_id,
  subject,
  key,
  value,
  enqueue_at,
  is_instant,
  queue,
  flag,
  version,
  ttl,
  column_count
};
using Columns = std::array<stile_value, column_count>;

stile_value bytes_value(stile_bytes data) { return {STILE_TYPE_BYTES, 0, 0, 0, data}; }
stile_value number_value(std::int64_t number) { return {STILE_TYPE_INTEGER, 0, number, 0, {nullptr, 0}}; }

void say_enqueue(const stile_enqueue* asked, Columns& columns) {
  if (!asked) return;
  columns[enqueue_at] = number_value(asked->when);
  columns[is_instant] = number_value(asked->is_instant);
  if (asked->has_queue) columns[queue] = bytes_value(asked->queue);
}

// False: not an operation that render says.
bool say(const stile_op& said, Columns& columns) {
  columns.fill({STILE_TYPE_NULL, 0, 0, 0, {nullptr, 0}});
  columns[kind] = number_value(said.kind);
  if (!engine::none(said.op_id)) columns[op_id] = bytes_value({said.op_id.bytes, sizeof said.op_id.bytes});
  switch (said.kind) {
    case STILE_OP_SUPPLY: {
      const auto& asked = engine::request_of<stile_supply_request>(said);
      columns[subject] = bytes_value(asked.workflow);
      columns[key] = bytes_value(asked.key);
      columns[value] = bytes_value(asked.value);
      say_enqueue(asked.enqueue, columns);
      return true;
    }
    case STILE_OP_APPEND: {
      const auto& asked = engine::request_of<stile_append_request>(said);
      columns[subject] = bytes_value(asked.workflow);
      if (asked.has_message_id) columns[key] = bytes_value(asked.message_id);
      columns[value] = bytes_value(asked.value);
      say_enqueue(asked.enqueue, columns);
      return true;
    }
    case STILE_OP_REQUEST_CANCEL:
      columns[subject] = bytes_value(engine::request_of<stile_request_cancel_request>(said).workflow);
      return true;
    case STILE_OP_CANCEL:
      columns[subject] = bytes_value(engine::request_of<stile_cancel_request>(said).workflow);
      return true;
    case STILE_OP_ENQUEUE: {
      const auto& asked = engine::request_of<stile_enqueue_request>(said);
      columns[subject] = bytes_value(asked.workflow);
      columns[flag] = number_value(asked.revive);
      say_enqueue(asked.enqueue, columns);
      return true;
    }
    case STILE_OP_PUT: {
      const auto& asked = engine::request_of<stile_put_request>(said);
      columns[subject] = bytes_value(asked.key);
      columns[value] = bytes_value(asked.value);
      columns[flag] = number_value(asked.condition);
      columns[version] = bytes_value(asked.version);
      columns[ttl] = number_value(asked.ttl);
      return true;
    }
    case STILE_OP_ERASE: {
      const auto& asked = engine::request_of<stile_erase_request>(said);
      columns[subject] = bytes_value(asked.key);
      columns[flag] = number_value(asked.condition);
      columns[version] = bytes_value(asked.version);
      return true;
    }
    default: return false;
  }
}

}  // namespace

void render(const Store& store, stile_op& op) {
  const auto& asked = engine::request_of<stile_render_request>(op);
  if (sdk::view(asked.language) != "sql")
    return engine::refuse(op, STILE_UNSUPPORTED, "this store says operations in the language sql only");
  stile_op said = *asked.op;
  Columns columns;
  if (!say(said, columns))
    return engine::refuse(op, STILE_UNSUPPORTED,
                          "render says unfenced writes: supply, append, request_cancel, "
                          "enqueue, cancel, put, erase");
  const stile_clock clock{[](void*) { return store_clock(); }, nullptr};
  if (!stile_check(&said, &limits, &clock)) return engine::refuse(op, said.status, sdk::view(said.error));
  columns[ns] = bytes_value(engine::copy(op, store.ns()));
  auto* params = static_cast<stile_value*>(engine::allocate(op, sizeof columns));
  for (std::size_t i = 0; i < column_count; ++i) {
    params[i] = columns[i];
    if (i != ns && columns[i].type == STILE_TYPE_BYTES)
      params[i].data = engine::copy(op, engine::view(columns[i].data));
  }
  std::string_view text = text_of(Sql::say);
  text.remove_prefix(text.find("\nINSERT") + 1);
  auto& out = engine::result_of<stile_render_result>(op);
  out.text = sdk::text(text);
  out.params = params;
  out.n_params = column_count;
  op.status = STILE_OK;
}

}  // namespace stile::sqlite

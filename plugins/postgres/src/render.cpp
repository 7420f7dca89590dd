// render: an unfenced write as a statement for the caller's own transaction (R7).
//
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <string>

#include "session.hpp"
#include "stile/sdk/check.h"
#include "stile/sdk/engine/context.hpp"
#include "stile/sdk/plugin.hpp"

namespace stile::postgres {
namespace {

using sdk::engine::copy;

constexpr stile_value null_value = {STILE_TYPE_NULL, 0, 0, 0, {nullptr, 0}};

stile_value bytes_value(stile_op& op, std::string_view bytes) { return {STILE_TYPE_BYTES, 0, 0, 0, copy(op, bytes)}; }
stile_value bytes_value(stile_op& op, const stile_bytes* bytes) {
  return bytes ? bytes_value(op, sdk::engine::view(*bytes)) : null_value;
}
stile_value number_value(bool has, std::int64_t number) {
  return has ? stile_value{STILE_TYPE_INTEGER, 0, number, 0, {nullptr, 0}} : null_value;
}

bool is_rendered(std::uint32_t kind) {
  switch (kind) {
    case STILE_OP_SUPPLY:
    case STILE_OP_APPEND:
    case STILE_OP_REQUEST_CANCEL:
    case STILE_OP_ENQUEUE:
    case STILE_OP_CANCEL:
    case STILE_OP_PUT:
    case STILE_OP_ERASE: return true;
    default: return false;
  }
}

}  // namespace

void Session::render(stile_op& op) {
  const auto& asked = sdk::engine::request_of<stile_render_request>(op);
  if (sdk::view(asked.language) != "sql")
    return sdk::engine::refuse(op, STILE_UNSUPPORTED, "this store says operations in the language sql only");
  stile_op said = *asked.op;
  if (!is_rendered(said.kind))
    return sdk::engine::refuse(op, STILE_UNSUPPORTED,
                               "render says unfenced writes: supply, append, request_cancel, enqueue, cancel, put, "
                               "erase");
  const stile_clock clock = STILE_REALTIME_CLOCK;
  if (!stile_check(&said, &limits, &clock)) return sdk::engine::refuse(op, said.status, sdk::view(said.error));
  Fields fields;
  read_fields(said, fields);
  const std::array<stile_value, 11> values = {
      bytes_value(op, store_.options().ns),
      number_value(true, fields.kind),
      number_value(true, fields.flags),
      sdk::engine::none(fields.op) ? null_value : bytes_value(op, view_of(fields.op)),
      bytes_value(op, fields.subject),
      bytes_value(op, fields.key),
      bytes_value(op, fields.value),
      number_value(fields.has_n1, fields.n1),
      number_value(fields.has_n2, fields.n2),
      number_value(fields.has_n3, fields.n3),
      bytes_value(op, fields.queue),
  };
  auto* params = static_cast<stile_value*>(sdk::engine::allocate(op, sizeof values));
  std::copy(values.begin(), values.end(), params);
  std::string_view text = texts()[Sql::render].text;
  text.remove_prefix(text.find("\nSELECT") + 1);
  auto& out = sdk::engine::result_of<stile_render_result>(op);
  out.text = sdk::text(text);
  out.params = params;
  out.n_params = values.size();
  op.status = STILE_OK;
}

}  // namespace stile::postgres

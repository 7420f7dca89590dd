// Effects and the transaction that is lent to a callback.
//
// SPDX-License-Identifier: Apache-2.0
#include "store/effect.hpp"

#include <exception>

namespace stile {
namespace store {
namespace {

// The callback of the ABI: nothing that the caller's function throws may leave it (law 9).
std::int32_t run_callback(void* ctx, const stile_tx* tx, stile_bytes* value, stile_text* error) {
  auto& calling = *static_cast<Operation::Calling*>(ctx);
  try {
    Transaction transaction(*tx);
    calling.value = (*calling.run)(transaction);
    *value = bytes_of(calling.value);
    return STILE_OK;
  } catch (const std::exception& thrown) {
    calling.error = thrown.what();
  } catch (...) {
    calling.error = "the effect threw something that is no std::exception";
  }
  *error = text_of(calling.error);
  return STILE_EFFECT_FAILED;
}

void fill(Operation& operation, stile_effect& to, const Statement& from) {
  Arena& arena = operation.arena();
  to.form = STILE_EFFECT_STATEMENT;
  to.language = arena.copy_text(from.language);
  to.text = arena.copy_text(from.text);
  auto* params = arena.make_array<stile_value>(from.params.size());
  for (std::size_t i = 0; i < from.params.size(); ++i) {
    params[i] = value_of(from.params[i]);
    params[i].data = arena.copy(view(params[i].data));
  }
  to.params = params;
  to.n_params = from.params.size();
  auto* keys = arena.make_array<stile_bytes>(from.keys.size());
  for (std::size_t i = 0; i < from.keys.size(); ++i) keys[i] = arena.copy(from.keys[i]);
  to.keys = keys;
  to.n_keys = from.keys.size();
}

void fill(Operation& operation, stile_effect& to, const Callback& from) {
  operation.calling = std::make_unique<Operation::Calling>();
  operation.calling->run = &from.run;
  to.form = STILE_EFFECT_CALLBACK;
  to.language = operation.arena().copy_text(from.language);
  to.ctx = operation.calling.get();
  to.run = run_callback;
  if (!from.run) operation.refuse(Status::invalid, "effect: the callback is empty");
}

}  // namespace

const stile_effect* make_effect(Operation& operation, const std::variant<Statement, Callback>& effect) {
  auto* to = operation.arena().make<stile_effect>();
  std::visit([&](const auto& from) { fill(operation, *to, from); }, effect);
  return to;
}

stile_value value_of(const Parameter& parameter) {
  stile_value out{};
  out.type = static_cast<std::uint32_t>(parameter.index());
  switch (parameter.index()) {
    case STILE_TYPE_INTEGER: out.integer = std::get<std::int64_t>(parameter); break;
    case STILE_TYPE_REAL: out.real = std::get<double>(parameter); break;
    case STILE_TYPE_TEXT: out.data = bytes_of(std::get<std::string>(parameter)); break;
    case STILE_TYPE_BYTES: out.data = bytes_of(std::get<Blob>(parameter).bytes); break;
    default: break;
  }
  return out;
}

Parameter parameter_of(const stile_value& value) {
  switch (value.type) {
    case STILE_TYPE_INTEGER: return value.integer;
    case STILE_TYPE_REAL: return value.real;
    case STILE_TYPE_TEXT: return std::string(view(value.data));
    case STILE_TYPE_BYTES: return Blob{Bytes(view(value.data))};
    default: return std::monostate{};
  }
}

}  // namespace store

inline namespace v1 {

static_assert(std::is_same_v<std::variant_alternative_t<STILE_TYPE_NULL, Parameter>, std::monostate>);
static_assert(std::is_same_v<std::variant_alternative_t<STILE_TYPE_INTEGER, Parameter>, std::int64_t>);
static_assert(std::is_same_v<std::variant_alternative_t<STILE_TYPE_REAL, Parameter>, double>);
static_assert(std::is_same_v<std::variant_alternative_t<STILE_TYPE_TEXT, Parameter>, std::string>);
static_assert(std::is_same_v<std::variant_alternative_t<STILE_TYPE_BYTES, Parameter>, Blob>);

Transaction::Rows Transaction::query(std::string_view text, const std::vector<Parameter>& params) {
  std::vector<stile_value> values;
  values.reserve(params.size());
  for (const Parameter& parameter : params) values.push_back(store::value_of(parameter));
  stile_rows rows{};
  rows.struct_size = sizeof(rows);
  std::int32_t status = tx_->query(tx_->ctx, store::text_of(text), values.data(), values.size(), &rows);
  if (status != STILE_OK)
    throw Error(Failure{static_cast<Status>(status), std::string(store::view(rows.error)),
                        std::string(store::view(rows.native)), Duration{0}});
  Rows out;
  out.affected = rows.affected;
  for (const stile_row* row = rows.rows; row; row = row->next) {
    std::vector<Parameter>& columns = out.rows.emplace_back();
    columns.reserve(row->columns);
    for (std::uint32_t i = 0; i < row->columns; ++i) columns.push_back(store::parameter_of(row->values[i]));
  }
  return out;
}

void* Transaction::native(std::string_view type) { return tx_->native(tx_->ctx, store::text_of(type)); }

}  // namespace v1
}  // namespace stile

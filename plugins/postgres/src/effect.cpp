// transact: an effect and its record in one transaction, without a lock on the workflow while it runs (E).
//
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <cstring>
#include <string>
#include <vector>

#include "batch.hpp"
#include "clock.hpp"
#include "session.hpp"
#include "stile/sdk/engine/context.hpp"
#include "stile/sdk/plugin.hpp"

namespace stile::postgres {
namespace {

using sdk::engine::copy;
using sdk::engine::request_of;
using sdk::engine::result_of;
using sdk::engine::view;

// The effect itself failed: nothing of it remains, and the operation is answered EFFECT_FAILED.
struct EffectFailed {
  std::string text;
  std::string native;
};

// A statement that would end the transaction it is lent, or nest another in it.
bool touches_transaction(std::string_view text) {
  std::string word;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (std::isalpha(static_cast<unsigned char>(c)) != 0) {
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (!word.empty()) {
      break;
    } else if (text.substr(at, 2) == "--") {
      at = std::min(text.find('\n', at), text.size());
    } else if (text.substr(at, 2) == "/*") {
      at = std::min(text.find("*/", at), text.size() - 1) + 1;
    }
  }
  for (const char* one : {"begin", "start", "commit", "end", "rollback", "abort", "prepare", "savepoint", "release"})
    if (word == one) return true;
  return false;
}

std::string number_text(double number) {
  char text[40];
  const auto end = std::to_chars(text, text + sizeof text, number).ptr;
  return {text, end};
}

Params params_of(const stile_value* values, std::uint64_t count) {
  Params out;
  for (std::uint64_t i = 0; i < count; ++i) {
    const stile_value& value = values[i];
    switch (value.type) {
      case STILE_TYPE_INTEGER: out.text(std::to_string(value.integer)); break;
      case STILE_TYPE_REAL: out.text(number_text(value.real)); break;
      case STILE_TYPE_TEXT: out.text(std::string(view(value.data))); break;
      case STILE_TYPE_BYTES: out.view(value.data); break;
      default: out.none();
    }
  }
  return out;
}

// A column as an effect's caller has it: whole numbers, reals, bytes; everything else as its text.
enum Oid : unsigned {
  oid_bool = 16,
  oid_bytea = 17,
  oid_int8 = 20,
  oid_int2 = 21,
  oid_int4 = 23,
  oid_float4 = 700,
  oid_float8 = 701
};

// The open transaction of an effect.
class Effect {
 public:
  Effect(Connection& connection, stile_op& op, std::int64_t deadline)
      : connection_(connection), op_(op), deadline_(deadline) {}

  std::string run(const stile_effect& effect) {
    if (effect.form == STILE_EFFECT_CALLBACK) return run_callback(effect);
    const Result result = query(sdk::view(effect.text), effect.params, effect.n_params);
    if (PQntuples(result.get()) == 0 || PQnfields(result.get()) == 0)
      throw EffectFailed{"the statement gave no row: its value is the first column of one", {}};
    const stile_value value = value_of(result, 0, 0);
    if (value.type != STILE_TYPE_TEXT && value.type != STILE_TYPE_BYTES)
      throw EffectFailed{"the value is neither text nor bytea: cast it", {}};
    return std::string(view(value.data));
  }

 private:
  Result query(std::string_view text, const stile_value* params, std::uint64_t n_params) {
    if (touches_transaction(text)) throw EffectFailed{"an effect may not end the transaction it is lent", {}};
    if (text.find('\0') != std::string_view::npos) throw EffectFailed{"the text holds a zero byte", {}};
    const Params values = params_of(params, n_params);
    try {
      // Results as text: a value is what people would read, whatever its type.
      return connection_.run_effect(std::string(text), values, deadline_);
    } catch (const Lost&) {
      throw;
    } catch (const StoreError& error) {
      if (error.status() == STILE_FULL || is_conflict(error.native()) || connection_.broken()) throw;
      throw EffectFailed{error.text(), error.native()};
    }
  }

  stile_value value_of(const Result& result, int row, int column) {
    stile_value out{};
    if (PQgetisnull(result.get(), row, column) != 0) return out;
    const char* data = PQgetvalue(result.get(), row, column);
    const auto size = static_cast<std::size_t>(PQgetlength(result.get(), row, column));
    switch (PQftype(result.get(), column)) {
      case oid_int2:
      case oid_int4:
      case oid_int8:
        out.type = STILE_TYPE_INTEGER;
        std::from_chars(data, data + size, out.integer);
        return out;
      case oid_bool:
        out.type = STILE_TYPE_INTEGER;
        out.integer = data[0] == 't';
        return out;
      case oid_float4:
      case oid_float8:
        out.type = STILE_TYPE_REAL;
        out.real = std::strtod(data, nullptr);
        return out;
      case oid_bytea: {
        std::size_t length = 0;
        unsigned char* bytes = PQunescapeBytea(reinterpret_cast<const unsigned char*>(data), &length);
        if (bytes == nullptr) throw StoreError(STILE_FULL, "out of memory");
        out.type = STILE_TYPE_BYTES;
        const std::unique_ptr<unsigned char, void (*)(void*)> owned(bytes, PQfreemem);
        out.data = copy(op_, {reinterpret_cast<const char*>(bytes), length});
        return out;
      }
      default:
        out.type = STILE_TYPE_TEXT;
        out.data = copy(op_, {data, size});
        return out;
    }
  }

  void give_rows(const Result& result, stile_rows* out) {
    stile_row** tail = &out->rows;
    const int columns = PQnfields(result.get());
    for (int i = 0; i < PQntuples(result.get()); ++i) {
      sdk::engine::Carver carver(op_, sizeof(stile_row));
      auto* row = carver.element<stile_row>();
      auto* values = static_cast<stile_value*>(
          sdk::engine::allocate(op_, sizeof(stile_value) * static_cast<std::size_t>(columns)));
      for (int column = 0; column < columns; ++column) values[column] = value_of(result, i, column);
      row->columns = static_cast<std::uint32_t>(columns);
      row->values = values;
      *tail = row;
      tail = &row->next;
    }
    const char* affected = PQcmdTuples(result.get());
    std::from_chars(affected, affected + std::strlen(affected), out->affected);
    if (std::strncmp(PQcmdStatus(result.get()), "SELECT", 6) == 0) out->affected = 0;
  }

  static std::int32_t query_of_callback(void* ctx, stile_text text, const stile_value* params, std::uint64_t n_params,
                                        stile_rows* out) {
    auto& self = *static_cast<Effect*>(ctx);
    const std::uint32_t size = out->struct_size;
    *out = {};
    out->struct_size = size;
    std::string said, native;
    try {
      self.failed_ = true;
      const Result result = self.query(sdk::view(text), params, n_params);
      self.give_rows(result, out);
      self.failed_ = false;
      return STILE_OK;
    } catch (const EffectFailed& failed) {
      said = failed.text, native = failed.native;
    } catch (const StoreError& error) {
      said = error.text(), native = error.native();
    } catch (const std::exception& error) {
      said = error.what();
    }
    try {
      const stile_bytes copied = copy(self.op_, said), code = copy(self.op_, native);
      out->error = {reinterpret_cast<const char*>(copied.ptr), copied.len};
      out->native = {reinterpret_cast<const char*>(code.ptr), code.len};
      self.why_ = {said, native};
    } catch (const std::exception&) {
      // No memory even for the text.
    }
    return STILE_EFFECT_FAILED;
  }

  static void* native_of_callback(void* ctx, stile_text type) {
    return sdk::view(type) == "PGconn" ? static_cast<Effect*>(ctx)->connection_.handle() : nullptr;
  }

  std::string run_callback(const stile_effect& effect) {
    const stile_tx tx = {sizeof(stile_tx), 0, this, query_of_callback, native_of_callback};
    stile_bytes value = {};
    stile_text error = {};
    const std::int32_t status = effect.run(effect.ctx, &tx, &value, &error);
    if (connection_.broken()) throw Lost("the connection broke while the effect ran");
    if (status != STILE_OK) {
      std::string text(sdk::view(error));
      throw EffectFailed{text.empty() ? why_.text : text, why_.native};
    }
    // A failed statement ends a transaction here, whatever the caller makes of it.
    if (failed_ || !connection_.in_transaction())
      throw EffectFailed{why_.text.empty() ? "the effect ended the transaction it was lent" : why_.text, why_.native};
    return std::string(view(value));
  }

  Connection& connection_;
  stile_op& op_;
  std::int64_t deadline_;
  bool failed_ = false;
  EffectFailed why_;
};

void tell_transact(stile_op& op, const Row& row) {
  auto& out = result_of<stile_transact_result>(op);
  out.value = copy(op, row.bytes(column::val));
  out.ran = static_cast<std::uint32_t>(row.integer(column::flag));
  out.position = row.integer(column::a);
  out.written_at = row.integer(column::b);
  op.status = STILE_OK;
}

/// UNSET where the functions say nothing yet.
std::int32_t status_of(const Row& row) {
  return row.none(column::status) ? STILE_UNSET : static_cast<std::int32_t>(row.integer(column::status));
}

void refuse_status(stile_op& op, std::int32_t said) {
  if (said == STILE_INVALID) return sdk::engine::refuse_reused(op);
  sdk::engine::refuse_fenced(op);
}

Params subject_of(const Store& store, const stile_transact_request& asked) {
  Params out;
  out.integer(store.number()).view(asked.workflow).integer(static_cast<std::int64_t>(asked.fence.number));
  out.id(asked.fence.stamp).view(asked.key);
  return out;
}

// How long an effect may hold others up when whoever runs it is frozen: its lease's ttl, and up to a second (E8) of
// which this takes half, for servers that are busy.
std::string begin_text(std::int64_t ttl, std::int64_t left) {
  constexpr std::int64_t more = second_us / 2;
  const auto milliseconds = [](std::int64_t us) {
    return std::to_string(std::clamp<std::int64_t>(us / 1000, 1, INT32_MAX));
  };
  return "SET LOCAL idle_in_transaction_session_timeout TO " + milliseconds(after(ttl, more)) +
         "; SET LOCAL statement_timeout TO " + milliseconds(std::min(after(ttl, more), left));
}

}  // namespace

void Session::transact(stile_op& op) {
  const auto& asked = request_of<stile_transact_request>(op);
  const stile_effect& effect = *asked.effect;
  const bool speaks = sdk::view(effect.language) == "sql" &&
                      (effect.form == STILE_EFFECT_STATEMENT || effect.form == STILE_EFFECT_CALLBACK);
  const auto end = [&](const std::string* value) {
    Params params = subject_of(store_, asked);
    value ? params.view(*value) : params.none();
    params.id(op.op_id);
    return connection_->run(texts()[Sql::transact_end], params, deadline_);
  };
  const auto roll_back = [&] {
    if (!connection_->broken()) connection_->script("ROLLBACK", deadline_);
  };
  for (int tries = 0; tries < 8; ++tries) {
    Params params = subject_of(store_, asked);
    params.id(op.op_id);
    const Result begun = connection_->run(texts()[Sql::transact_begin], params, deadline_);
    const Row first(begun, 0);
    if (status_of(first) == STILE_OK && first.integer(column::flag) == 1) return tell_transact(op, first);
    if (status_of(first) == STILE_INVALID) return refuse_status(op, STILE_INVALID);
    if (!speaks)
      return sdk::engine::refuse(op, STILE_UNSUPPORTED, "this store does not run effects of that language or form");
    if (status_of(first) != STILE_UNSET) {
      // Refused, or recorded by another (E2): both are said from behind the lock of the workflow, so that they stand in
      // one order with its other writes; and the second is a sign of life.
      const Result ended = end(nullptr);
      const Row row(ended, 0);
      if (status_of(row) == STILE_UNSET) continue;  // it is otherwise by now
      if (status_of(row) != STILE_OK) return refuse_status(op, status_of(row));
      return tell_transact(op, row);
    }
    try {
      connection_->script(
          "BEGIN ISOLATION LEVEL READ COMMITTED; " +
              begin_text(first.integer(column::b), deadline_ == STILE_NEVER ? INT64_MAX : deadline_ - monotonic_now()),
          deadline_);
      const std::string value = Effect(*connection_, op, deadline_).run(effect);
      if (value.size() > limits.value_bytes) throw EffectFailed{"the value is over limits.value_bytes", {}};
      if (!connection_->in_transaction()) throw EffectFailed{"the effect ended the transaction it was lent", {}};
      const Result ended = end(&value);
      const Row row(ended, 0);
      const std::int32_t said = status_of(row);
      if (said != STILE_OK || row.integer(column::flag) == 0) {
        roll_back();
        if (said != STILE_OK) return refuse_status(op, said);
        continue;  // E5: another's record won
      }
      auto& out = result_of<stile_transact_result>(op);
      out.ran = 1;
      out.position = row.integer(column::a);
      out.written_at = row.integer(column::b);
      out.value = copy(op, value);
      connection_->script("COMMIT", deadline_);
      op.status = STILE_OK;
      if (row.integer(column::c) != 0) store_.listener().tell(store_.number(), What::record, view(asked.workflow), 0);
      return;
    } catch (const EffectFailed& failed) {
      roll_back();
      return sdk::answer(
          op, StoreError(STILE_EFFECT_FAILED, failed.text.empty() ? "the effect failed" : failed.text, failed.native));
    } catch (const Lost&) {
      throw;
    } catch (const StoreError& error) {
      roll_back();
      if (!is_conflict(error.native())) throw;
    }
  }
  sdk::answer(op, STILE_UNAVAILABLE, "others wrote the same key again and again; nothing was written; send it again");
}

}  // namespace stile::postgres

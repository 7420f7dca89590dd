// info, prepare, trim, advance.
//
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "session.hpp"
#include "stile/sdk/engine/context.hpp"
#include "stile/sdk/options.hpp"
#include "version.hpp"

namespace stile::postgres {
namespace {

using sdk::engine::copy;
using sdk::engine::request_of;
using sdk::engine::result_of;

stile_text copy_text(stile_op& op, std::string_view text) {
  const stile_bytes bytes = copy(op, text);
  return {reinterpret_cast<const char*>(bytes.ptr), bytes.len};
}

}  // namespace

Asked Session::ask_info() {
  Params params;
  params.integer(store_.number());
  return {&texts()[Sql::time], std::move(params)};
}

void Session::tell_info(stile_op& op, const Result& result) {
  if (PQntuples(result.get()) == 0) throw StoreError(STILE_UNPREPARED, "the schema is not whole: run prepare");
  const Row row(result, 0);
  auto& out = result_of<stile_info_result>(op);
  out.plugin = copy_text(op, std::string(plugin_name) + " " + plugin_version);
  out.store_time = row.integer(0);
  std::string epoch = std::to_string(row.integer(1)) + ".";
  for (const std::uint8_t byte : row.id(2).bytes) {
    epoch += "0123456789abcdef"[byte >> 4];
    epoch += "0123456789abcdef"[byte & 15];
  }
  out.epoch = copy(op, epoch);
  const bool relaxed = store_.options().relaxed;
  out.durability = sdk::text(relaxed ? "a crash of the server loses the latest commits, which are not waited for"
                                     : "survives a crash of the server: its log is flushed before an answer");
  out.server = copy_text(op, store_.server());
  auto* has = static_cast<stile_text*>(sdk::engine::allocate(op, sizeof all_capabilities));
  out.capabilities = has;
  auto* end = std::copy_n(all_capabilities.begin(), always, has);
  if (!relaxed) *end++ = all_capabilities[always];
  if (store_.manual_clock()) *end++ = all_capabilities[always + 1];
  out.n_capabilities = static_cast<std::uint64_t>(end - has);
  out.limits = &limits;
  op.status = STILE_OK;
}

void Session::prepare(stile_op& op) {
  const bool check_only = request_of<stile_prepare_request>(op).check_only != 0;
  const bool changes = postgres::prepare(*connection_, texts(), check_only, deadline_);
  if (changes && check_only)
    return sdk::engine::refuse(op, STILE_UNPREPARED, "the store is not prepared: run prepare without check_only");
  result_of<stile_prepare_result>(op).migrated = changes ? 1 : 0;
  store_.ready(*connection_, deadline_);
  op.status = STILE_OK;
}

void Session::trim(stile_op& op) {
  const auto& asked = request_of<stile_trim_request>(op);
  Params params;
  params.integer(store_.number()).integer(asked.older_than).integer(static_cast<std::int64_t>(asked.limit));
  const Result result = connection_->run(texts()[Sql::trim], params, deadline_);
  const Row row(result, 0);
  auto& out = result_of<stile_trim_result>(op);
  out.more = static_cast<std::uint32_t>(row.integer(0));
  out.removed = static_cast<std::uint64_t>(row.integer(1));
  op.status = STILE_OK;
}

void Session::advance(stile_op& op) {
  if (!store_.manual_clock())
    return sdk::engine::refuse(op, STILE_UNSUPPORTED, "this store's clock is the server's: open it with clock=manual");
  Params params;
  params.integer(store_.number()).integer(request_of<stile_advance_request>(op).by);
  const Result result = connection_->run(texts()[Sql::advance], params, deadline_);
  if (Row(result, 0).none(0)) return sdk::engine::refuse(op, STILE_INVALID, "by: the clock would pass the year 9999");
  result_of<stile_advance_result>(op).store_time = Row(result, 0).integer(0);
  op.status = STILE_OK;
  store_.listener().tell(store_.number(), What::clock, {}, 0);
}

}  // namespace stile::postgres

// load, get, scan, list, stats, info: how each is asked, and what its rows say.
//
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <utility>

#include "records.hpp"
#include "session.hpp"
#include "stile/sdk/engine/context.hpp"
#include "stile/sdk/plugin.hpp"

namespace stile::postgres {
namespace {

using sdk::engine::Carver;
using sdk::engine::copy;
using sdk::engine::request_of;
using sdk::engine::result_of;
using sdk::engine::view;

std::int32_t page_of(std::uint32_t limit) {
  return static_cast<std::int32_t>(std::min<std::uint64_t>(limit, limits.page));
}

// The first key behind all that have the prefix; none where there is no such.
void add_end(Params& params, std::string_view prefix) {
  std::string end(prefix);
  while (!end.empty() && static_cast<unsigned char>(end.back()) == 0xff) end.pop_back();
  if (end.empty()) {
    params.none();
    return;
  }
  end.back() = static_cast<char>(static_cast<unsigned char>(end.back()) + 1);
  params.add(std::move(end));
}

}  // namespace

Asked Session::ask_load(const stile_op& op) {
  const auto& asked = request_of<stile_load_request>(op);
  Params params;
  params.integer(store_.number()).view(asked.workflow).integer(asked.after).integer(page_of(asked.limit));
  params.integer(static_cast<std::int64_t>(std::min(asked.max_bytes, limits.reply_bytes)));
  asked.has_key ? params.view(asked.key) : params.none();
  return {&texts()[Sql::load], std::move(params)};
}

void Session::tell_load(stile_op& op, const Result& result) {
  auto& out = result_of<stile_load_result>(op);
  Records records(&out.records);
  for (int i = 0; i < PQntuples(result.get()); ++i) {
    const Received row(result, i);
    if (row.what() == Received::record) {
      records.add(op, row);
      continue;
    }
    out.fence_number = static_cast<std::uint64_t>(row.c());
    out.more = row.has(Received::more);
    out.cancel_requested = row.has(Received::cancel_requested);
    out.finished = row.has(Received::finished);
  }
  op.status = STILE_OK;
}

Asked Session::ask_get(const stile_op& op) {
  Params params;
  params.integer(store_.number()).view(request_of<stile_get_request>(op).key);
  return {&texts()[Sql::get], std::move(params)};
}

void Session::tell_get(stile_op& op, const Result& result) {
  if (PQntuples(result.get()) == 0)
    return sdk::engine::refuse(op, STILE_NOT_FOUND, "there is no document with this key");
  const Row row(result, 0);
  auto& out = result_of<stile_get_result>(op);
  out.version = copy(op, sdk::engine::VersionText(static_cast<std::uint64_t>(row.integer(0))).view());
  out.expires_at = row.integer(1);
  out.value = copy(op, row.bytes(2));
  op.status = STILE_OK;
}

Asked Session::ask_scan(const stile_op& op) {
  const auto& asked = request_of<stile_scan_request>(op);
  Params params;
  params.integer(store_.number()).view(asked.prefix).view(asked.after);
  add_end(params, view(asked.prefix));
  params.integer(page_of(asked.limit));
  return {&texts()[Sql::scan], std::move(params)};
}

void Session::tell_scan(stile_op& op, const Result& result) {
  const std::int32_t limit = page_of(request_of<stile_scan_request>(op).limit);
  auto& out = result_of<stile_scan_result>(op);
  stile_document** tail = &out.documents;
  const int rows = PQntuples(result.get());
  for (int i = 0; i < std::min(rows, limit); ++i) {
    const Row row(result, i);
    const sdk::engine::VersionText version(static_cast<std::uint64_t>(row.integer(1)));
    Carver carver(op, sizeof(stile_document) + row.bytes(0).size() + version.view().size());
    auto* made = carver.element<stile_document>();
    made->key = carver.copy(row.bytes(0));
    made->version = carver.copy(version.view());
    made->expires_at = row.integer(2);
    *tail = made;
    tail = &made->next;
    if (rows > limit) out.next = made->key;
  }
  out.has_next = rows > limit ? 1 : 0;
  op.status = STILE_OK;
}

Asked Session::ask_list(const stile_op& op) {
  const auto& asked = request_of<stile_list_request>(op);
  Params params;
  params.integer(store_.number()).view(asked.prefix).view(asked.after);
  add_end(params, view(asked.prefix));
  params.integer(page_of(asked.limit)).integer(static_cast<std::int32_t>(asked.state));
  asked.has_queue ? params.view(asked.queue) : params.none();
  asked.has_idle_for ? params.integer(asked.idle_for) : params.none();
  return {&texts()[Sql::list], std::move(params)};
}

void Session::tell_list(stile_op& op, const Result& result) {
  const std::int32_t limit = page_of(request_of<stile_list_request>(op).limit);
  auto& out = result_of<stile_list_result>(op);
  stile_workflow** tail = &out.workflows;
  const int rows = PQntuples(result.get());
  for (int i = 0; i < std::min(rows, limit); ++i) {
    const Row row(result, i);
    Carver carver(op, sizeof(stile_workflow) + row.bytes(0).size() + row.bytes(1).size() + row.bytes(2).size());
    auto* made = carver.element<stile_workflow>();
    made->workflow = carver.copy(row.bytes(0));
    made->queue = carver.copy(row.bytes(1));
    made->last_error = carver.copy(row.bytes(2));
    made->state = static_cast<std::uint32_t>(row.integer(3));
    made->due_at = row.integer(4);
    made->records = static_cast<std::uint64_t>(row.integer(5));
    made->fence_number = static_cast<std::uint64_t>(row.integer(6));
    made->live_until = row.integer(7);
    made->finished_at = row.integer(8);
    made->last_written_at = row.integer(9);
    made->delivery_count = static_cast<std::uint32_t>(row.integer(10));
    made->cancel_requested = static_cast<std::uint32_t>(row.integer(11));
    *tail = made;
    tail = &made->next;
    if (rows > limit) out.next = made->workflow;
  }
  out.has_next = rows > limit ? 1 : 0;
  op.status = STILE_OK;
}

Asked Session::ask_stats(const stile_op& op) {
  const auto& asked = request_of<stile_stats_request>(op);
  Params params;
  params.integer(store_.number());
  asked.has_queue ? params.view(asked.queue) : params.none();
  return {&texts()[Sql::stats], std::move(params)};
}

void Session::tell_stats(stile_op& op, const Result& result) {
  const Row row(result, 0);
  auto& out = result_of<stile_stats_result>(op);
  const auto number = [&row](int column) { return static_cast<std::uint64_t>(row.integer(column)); };
  out.ready = number(0);
  out.delayed = number(1);
  out.in_flight = number(2);
  out.dead = number(3);
  out.workflows = number(4);
  out.finished = number(5);
  out.records = number(6);
  out.documents = number(7);
  out.stored_bytes = number(8);
  out.oldest_ready_age = row.none(9) ? -1 : std::max<std::int64_t>(row.integer(11) - row.integer(9), 0);
  out.next_due_at = row.integer(10);
  op.status = STILE_OK;
}

Asked Session::ask(const stile_op& op) {
  switch (op.kind) {
    case STILE_OP_LOAD: return ask_load(op);
    case STILE_OP_GET: return ask_get(op);
    case STILE_OP_SCAN: return ask_scan(op);
    case STILE_OP_LIST: return ask_list(op);
    case STILE_OP_STATS: return ask_stats(op);
    default: return ask_info();
  }
}

void Session::tell(stile_op& op, const Result& result) {
  switch (op.kind) {
    case STILE_OP_LOAD: return tell_load(op, result);
    case STILE_OP_GET: return tell_get(op, result);
    case STILE_OP_SCAN: return tell_scan(op, result);
    case STILE_OP_LIST: return tell_list(op, result);
    case STILE_OP_STATS: return tell_stats(op, result);
    default: return tell_info(op, result);
  }
}

bool Session::is_read(std::uint32_t kind) {
  switch (kind) {
    case STILE_OP_LOAD:
    case STILE_OP_GET:
    case STILE_OP_SCAN:
    case STILE_OP_LIST:
    case STILE_OP_STATS:
    case STILE_OP_INFO: return true;
    default: return false;
  }
}

void Session::flush_reads() {
  if (reads_.empty()) return;
  const std::vector<stile_op*> ops = std::exchange(reads_, {});
  const auto refuse = [&](stile_op& op, const StoreError& error) {
    reset_answer(op);
    if (is_unprepared(error.native())) store_.unprepared();
    // Whatever was read, nothing happened.
    if (error.status() == STILE_UNKNOWN) return sdk::answer(op, STILE_UNAVAILABLE, error.text());
    sdk::answer(op, error);
  };
  try {
    std::vector<Asked> asked;
    for (const stile_op* op : ops) asked.push_back(ask(*op));
    connection_->run_each(asked, deadline_, [&](std::size_t i, const Result& result, const StoreError* error) {
      error ? refuse(*ops[i], *error) : tell(*ops[i], result);
    });
  } catch (const StoreError& error) {
    for (stile_op* op : ops)
      if (op->status == STILE_UNSET) refuse(*op, error);
  }
}

}  // namespace stile::postgres

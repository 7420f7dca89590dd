// load, get, scan, list, stats.
//
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "records.hpp"
#include "session.hpp"
#include "stile/sdk/engine/context.hpp"

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

void Session::load(stile_op& op) {
  const auto& asked = request_of<stile_load_request>(op);
  Params params;
  params.integer(store_.number()).view(asked.workflow).integer(asked.after).integer(page_of(asked.limit));
  params.integer(static_cast<std::int64_t>(std::min(asked.max_bytes, limits.reply_bytes)));
  asked.has_key ? params.view(asked.key) : params.none();
  const Result result = connection_->run(texts()[Sql::load], params, deadline_);
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

void Session::get(stile_op& op) {
  Params params;
  params.integer(store_.number()).view(request_of<stile_get_request>(op).key);
  const Result result = connection_->run(texts()[Sql::get], params, deadline_);
  if (PQntuples(result.get()) == 0)
    return sdk::engine::refuse(op, STILE_NOT_FOUND, "there is no document with this key");
  const Row row(result, 0);
  auto& out = result_of<stile_get_result>(op);
  out.version = copy(op, sdk::engine::VersionText(static_cast<std::uint64_t>(row.integer(0))).view());
  out.expires_at = row.integer(1);
  out.value = copy(op, row.bytes(2));
  op.status = STILE_OK;
}

void Session::scan(stile_op& op) {
  const auto& asked = request_of<stile_scan_request>(op);
  const std::int32_t limit = page_of(asked.limit);
  Params params;
  params.integer(store_.number()).view(asked.prefix).view(asked.after);
  add_end(params, view(asked.prefix));
  params.integer(limit);
  const Result result = connection_->run(texts()[Sql::scan], params, deadline_);
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

void Session::list(stile_op& op) {
  const auto& asked = request_of<stile_list_request>(op);
  const std::int32_t limit = page_of(asked.limit);
  Params params;
  params.integer(store_.number()).view(asked.prefix).view(asked.after);
  add_end(params, view(asked.prefix));
  params.integer(limit).integer(static_cast<std::int32_t>(asked.state));
  asked.has_queue ? params.view(asked.queue) : params.none();
  asked.has_idle_for ? params.integer(asked.idle_for) : params.none();
  const Result result = connection_->run(texts()[Sql::list], params, deadline_);
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

void Session::stats(stile_op& op) {
  const auto& asked = request_of<stile_stats_request>(op);
  Params params;
  params.integer(store_.number());
  asked.has_queue ? params.view(asked.queue) : params.none();
  const Result result = connection_->run(texts()[Sql::stats], params, deadline_);
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

}  // namespace stile::postgres

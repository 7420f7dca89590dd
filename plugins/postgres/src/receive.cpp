// One look of receive, and one of watch.
//
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "records.hpp"
#include "session.hpp"
#include "stile/sdk/engine/context.hpp"
#include "stile/sdk/engine/receipt.hpp"

namespace stile::postgres {
namespace {

using sdk::engine::request_of;
using sdk::engine::result_of;

Params params_of(const Store& store, const stile_op& op, bool again) {
  const auto& asked = request_of<stile_receive_request>(op);
  Array queues(Type::bytes);
  for (std::uint64_t i = 0; i < asked.n_queues; ++i) queues.add(asked.queues[i]);
  Params out;
  out.integer(store.number()).array(queues);
  out.integer(static_cast<std::int32_t>(std::min<std::uint32_t>(asked.max, 10'000))).integer(asked.lease);
  if (asked.acquire)
    out.integer(asked.acquire_ttl).integer(asked.acquire_budget);
  else
    out.none().none();
  if (asked.load)
    out.integer(static_cast<std::int32_t>(std::min<std::uint64_t>(asked.load_limit, limits.page)));
  else
    out.none();
  out.integer(static_cast<std::int64_t>(std::min(asked.load_max_bytes, limits.reply_bytes))).id(op.op_id);
  out.boolean(again);
  return out;
}

stile_delivery* copy_delivery(stile_op& op, const Received& row, bool loads) {
  sdk::engine::Row receipt;  // as write_receipt wants it
  receipt.receive = row.u();
  receipt.delivery = static_cast<std::uint64_t>(row.b());
  receipt.id = row.name();
  const std::size_t receipt_size = sdk::engine::Receipt::text_size(receipt.id.size());
  sdk::engine::Carver carver(
      op, sizeof(stile_delivery) + row.name().size() + row.queue().size() + receipt_size + row.value().size());
  auto* made = carver.element<stile_delivery>();
  made->workflow = carver.copy(row.name());
  made->queue = carver.copy(row.queue());
  made->last_error = carver.copy(row.value());
  char* text = carver.room(receipt_size);
  sdk::engine::write_receipt(receipt, text);
  made->receipt = sdk::engine::bytes({text, receipt_size});
  made->delivery_count = static_cast<std::uint32_t>(row.count());
  made->visible_at = row.a();
  made->cancel_requested = row.has(Received::cancel_requested);
  if (row.has(Received::with_fence)) {
    made->fence = {static_cast<std::uint64_t>(row.c()), row.v()};
    made->live_until = row.d();
    made->budget_until = row.e();
  }
  if (loads) {
    made->more = row.has(Received::more);
    made->finished = row.has(Received::finished);
  }
  return made;
}

}  // namespace

Session::Looked Session::receive_once(stile_op& op, bool again) {
  const bool loads = request_of<stile_receive_request>(op).load != 0;
  const Result result = connection_->run(texts()[Sql::receive], params_of(store_, op, again), deadline_);
  auto& out = result_of<stile_receive_result>(op);
  out = stile_receive_result{out.struct_size, 0, nullptr, 0};
  Looked looked;
  stile_delivery** tail = &out.deliveries;
  stile_record* first = nullptr;  // the records of a delivery come before it
  Records records(&first);
  for (int i = 0; i < PQntuples(result.get()); ++i) {
    const Received row(result, i);
    switch (row.what()) {
      case Received::record: records.add(op, row); break;
      case Received::delivery: {
        auto* made = copy_delivery(op, row, loads);
        made->records = first;
        first = nullptr;
        records = Records(&first);
        *tail = made;
        tail = &made->next;
        break;
      }
      case Received::end:
        out.more = row.has(Received::more);
        out.store_time = looked.now = row.a();
        looked.due = row.b();
        store_.reached(row.c());
        looked.others_wait = row.has(Received::others_wait) != 0;
        break;
    }
  }
  looked.any = out.deliveries != nullptr || out.more != 0;
  op.status = STILE_OK;
  return looked;
}

void Session::watch_once(stile_op& op) {
  const auto& asked = request_of<stile_watch_request>(op);
  Array ids(Type::bytes), afters(Type::int8);
  for (std::uint64_t i = 0; i < asked.n_watched; ++i) {
    ids.add(asked.watched[i].workflow);
    afters.number(asked.watched[i].after);
  }
  Params params;
  params.integer(store_.number()).array(ids).array(afters);
  const Result result = connection_->run(texts()[Sql::watch], params, deadline_);
  std::vector<std::uint64_t> changed;
  for (int i = 0; i < PQntuples(result.get()); ++i)
    changed.push_back(static_cast<std::uint64_t>(Row(result, i).integer(0)));
  auto& out = result_of<stile_watch_result>(op);
  out = stile_watch_result{out.struct_size, 0, nullptr, 0};
  sdk::answer_changed(op, changed);
}

}  // namespace stile::postgres

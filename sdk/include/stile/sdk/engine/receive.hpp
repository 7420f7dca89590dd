// receive: hands out what is due, earliest first (contract D, W7, W10, R1).
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "stile/sdk/engine/load.hpp"
#include "stile/sdk/engine/receipt.hpp"

namespace stile::sdk::engine {

/// One receive while it looks at queues and partitions, one after the other. A store with partitions calls take for
/// each queue in order of preference and, within it, for each partition in turn (W7, W10), each in a transaction of its
/// own, until done(); then finish.
class Receiver {
 public:
  static constexpr std::uint32_t max_put_off = 100;  // in one call (D9)

  Receiver(stile_op& op, const Context& context)
      : op_(op),
        asked_(request_of<stile_receive_request>(op)),
        nonce_(none(op.op_id) ? context.fresh : op.op_id),
        left_(asked_.max) {
    auto& out = result_of<stile_receive_result>(op);
    out = stile_receive_result{out.struct_size, 0, nullptr, 0};
    tail_ = &out.deliveries;
    if (asked_.load) page_ = page_of(*context.limits, asked_.load_limit, asked_.load_max_bytes, false);
  }

  /// R1, with the must-bit again: the deliveries of the first send that are still current, as they stand. To be called
  /// for each partition before anything else; if any was found, nothing more is to be handed out.
  template <QueueTables T>
  void take_again(T& tables, const Context& context) {
    std::vector<std::string> ids;
    tables.each_in_flight(nonce_, [&ids](const Row& row) { ids.push_back(row.id); });
    for (const std::string& id : ids) {
      auto* row = look(tables, context, id);
      if (row == nullptr || row->wakeup != Wakeup::in_flight || !same(row->receive, nonce_)) continue;
      tell(tables, *row, asked_.acquire != 0 && same(row->stamp, nonce_) && row->granted_by == STILE_OP_RECEIVE);
      again_ = true;
    }
  }
  bool found_again() const { return again_; }

  /// Hands out what is due in one queue of one partition.
  template <QueueTables T>
  void take(T& tables, const Context& context, std::string_view queue) {
    while (!done()) {
      auto* row = tables.first_due(queue, context.now);
      if (row == nullptr) return;
      if (row->epoch != context.epoch) bump_epoch(*row, context.epoch, context.now);
      if (asked_.acquire && row->leased(context.now)) {
        if (put_off_ == max_put_off) {
          more_ = stopped_ = true;
          return;
        }
        put_off(tables, context, *row);
        continue;
      }
      deliver(tables, context, *row);
    }
    if (!more_ && tables.first_due(queue, context.now) != nullptr) more_ = true;
  }

  /// Nothing more is to be handed out.
  bool done() const { return left_ == 0 || stopped_; }
  bool empty() const { return !given_; }
  /// It stopped short of something that may be due.
  bool more() const { return more_; }
  /// A store that did not look everywhere says so.
  void set_more() { more_ = true; }

  /// Answers the operation.
  void finish(Time now) {
    auto& out = result_of<stile_receive_result>(op_);
    out.more = more_ ? 1 : 0;
    out.store_time = now;
    accept(op_);
  }

 private:
  /// D9: due again when the lease ends or is released, keeping its place.
  template <QueueTables T>
  void put_off(T& tables, const Context& context, typename T::Row& row) {
    row.since = row.place();
    row.put_off = 1;
    row.due = row.alive;
    store(tables, context, row);
    ++put_off_;
  }

  template <QueueTables T>
  void deliver(T& tables, const Context& context, typename T::Row& row) {
    if (row.number == 0 || row.delivery == 0) {
      const std::uint64_t floor = tables.floor();
      if (row.delivery == 0) row.delivery = floor;
      if (asked_.acquire) take_lease(context, row, floor);
    } else if (asked_.acquire) {
      take_lease(context, row, 0);
    }
    ++row.delivery;
    ++row.count;
    row.receive = nonce_;
    row.wakeup = Wakeup::in_flight;
    row.due = later(context.now, asked_.lease);
    row.put_off = 0;
    row.since = 0;
    row.pend = 0;  // one redelivery answers for both (W3)
    row.cancelled_at = 0;
    tell(tables, row, asked_.acquire != 0);
    store(tables, context, row);
    --left_;
  }

  void take_lease(const Context& context, Row& row, std::uint64_t floor) {
    row.put_off = 0;  // it is delivered now: the new lease puts nothing off
    grant(row, nonce_, STILE_OP_RECEIVE, asked_.acquire_ttl, asked_.acquire_budget, floor, context.now);
  }

  /// Adds a delivery to the answer.
  template <QueueTables T>
  void tell(T& tables, typename T::Row& row, bool with_fence) {
    const std::size_t receipt_size = Receipt::text_size(row.id.size());
    Carver carver(op_, sizeof(stile_delivery) + row.id.size() + row.queue.size() + receipt_size + row.error.size());
    auto* made = carver.element<stile_delivery>();
    made->workflow = carver.copy(row.id);
    made->queue = carver.copy(row.queue);
    made->last_error = carver.copy(row.error);
    char* receipt = carver.room(receipt_size);
    write_receipt(row, receipt);
    made->receipt = bytes({receipt, receipt_size});
    made->delivery_count = row.count;
    made->visible_at = row.place();  // as it stands: not what it was put off to (D9)
    made->cancel_requested = row.cancel_requested;
    if (with_fence) {
      made->fence = fence_of(row);
      made->live_until = row.alive;
      made->budget_until = row.budget;
    }
    if (asked_.load) {
      const Loaded loaded = load_page(tables, op_, row, 0, page_);
      made->records = loaded.first;
      made->more = loaded.more ? 1 : 0;
      made->finished = row.finished_at != 0 ? 1 : 0;
      page_.bytes -= std::min(loaded.bytes, page_.bytes);
    }
    *tail_ = made;
    tail_ = &made->next;
    given_ = true;
  }

  stile_op& op_;
  const stile_receive_request& asked_;
  stile_id nonce_;
  std::uint32_t left_;
  std::uint32_t put_off_ = 0;
  Page page_;
  stile_delivery** tail_ = nullptr;
  bool given_ = false, again_ = false, more_ = false, stopped_ = false;
};

/// A whole receive on tables that are all there is, without waiting. A store waits by calling it again while it answers
/// nothing and not `more`.
template <QueueTables T>
void receive(T& tables, const Context& context, stile_op& op) {
  const auto& asked = request_of<stile_receive_request>(op);
  Receiver receiver(op, context);
  if ((op.must & STILE_MUST_AGAIN) != 0) receiver.take_again(tables, context);
  for (std::uint64_t i = 0; i < asked.n_queues && !receiver.found_again() && !receiver.done(); ++i)
    receiver.take(tables, context, view(asked.queues[i]));
  receiver.finish(context.now);
}

}  // namespace stile::sdk::engine

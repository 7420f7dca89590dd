// trim: removes what is finished and what is left over, in bounded steps (contract T).
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "stile/sdk/engine/state.hpp"

namespace stile::sdk::engine {

/// One trim while it works through a store's partitions, each in a transaction of its own.
class Trimmer {
 public:
  explicit Trimmer(stile_op& op)
      : op_(op),
        older_than_(request_of<stile_trim_request>(op).older_than),
        left_(request_of<stile_trim_request>(op).limit),
        work_(std::uint64_t{left_} * 10) {}

  /// Does what there is to do in one partition, as far as the bounds allow (T5).
  template <Tables T>
  void take(T& tables, const Context& context) {
    wake_leased(tables, context);
    remove_finished(tables, context);
    remove_leftovers(tables, context);
    remove_documents(tables, context);
    if (goes_on(tables)) work_ -= tables.erase_remains(work_);
    if (!goes_on(tables)) more_ = true;
  }

  /// The bound is reached: what was not looked at is for the next call.
  bool done() const { return work_ == 0; }
  void set_more() { more_ = true; }

  void finish() {
    auto& out = result_of<stile_trim_result>(op_);
    out.removed = removed_;
    out.more = more_ ? 1 : 0;
    accept(op_);
  }

 private:
  /// Not past the bound; nor, where a store says so, has it been held long enough (T5).
  template <Tables T>
  bool goes_on(T& tables) {
    if constexpr (requires { tables.held_long(); }) {
      if (work_ > 0 && tables.held_long()) work_ = 0;
    }
    return work_ > 0;
  }

  /// Finished workflows whose lease has ended since they were put aside.
  template <Tables T>
  void wake_leased(T& tables, const Context& context) {
    while (goes_on(tables)) {
      auto* row = tables.first_trim(TrimClass::finished_leased, context.now);
      if (row == nullptr) return;
      move(tables, context, *row);
    }
  }

  template <Tables T>
  void remove_finished(T& tables, const Context& context) {
    const Time before = context.now - older_than_;
    while (goes_on(tables)) {
      auto* row = tables.first_trim(TrimClass::finished, before);
      if (row == nullptr) return;
      if (row->finished_at == 0 || row->has_wakeup() || row->leased(context.now) || row->touched_at > before) {
        move(tables, context, *row);
        continue;
      }
      if (left_ == 0) {
        more_ = true;
        return;
      }
      --left_;
      ++removed_;
      forget(tables, *row);
    }
  }

  template <Tables T>
  void remove_leftovers(T& tables, const Context& context) {
    while (goes_on(tables)) {
      auto* row = tables.first_trim(TrimClass::leftover, context.now);
      if (row == nullptr) return;
      const bool left_over =
          !row->has_wakeup() && row->records == 0 && row->finished_at == 0 && row->cancel_requested == 0;
      if (!left_over || leftover_until(*row) > context.now) {
        move(tables, context, *row);
      } else {
        forget(tables, *row);
      }
    }
  }

  template <Tables T>
  void remove_documents(T& tables, const Context& context) {
    while (goes_on(tables)) {
      auto* document = tables.first_gone(context.now - husk_time);
      if (document == nullptr) return;
      tables.raise_document_floor(document->version);
      tables.forget_document(*document);
      --work_;
    }
  }

  /// Its place in the index was a lower bound, or of another time.
  template <Tables T>
  void move(T& tables, const Context& context, typename T::Row& row) {
    row.trim_class = TrimClass::none;
    row.trim_at = 0;
    place_for_trim(row, context.now);
    tables.save(row);
    --work_;
  }

  template <Tables T>
  void forget(T& tables, typename T::Row& row) {
    tables.raise_floor(std::max({row.number, static_cast<std::uint64_t>(row.position), row.delivery}));
    if (row.position != 0) tables.drop_checkpoint(row);
    tables.forget(row);
    --work_;
  }

  stile_op& op_;
  Span older_than_;
  std::uint32_t left_;
  std::uint64_t work_;
  std::uint64_t removed_ = 0;
  bool more_ = false;
};

/// A whole trim on tables that are all there is.
template <Tables T>
void trim(T& tables, const Context& context, stile_op& op) {
  Trimmer trimmer(op);
  trimmer.take(tables, context);
  trimmer.finish();
}

}  // namespace stile::sdk::engine

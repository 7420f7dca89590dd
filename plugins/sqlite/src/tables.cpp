// Rows, their wakeups and what trim looks at.
//
// SPDX-License-Identifier: Apache-2.0
#include "tables.hpp"

#include <algorithm>
#include <utility>

#include "clock.hpp"
#include "packed.hpp"

namespace stile::sqlite {
namespace {

constexpr std::int64_t lives_in_a_block = 1000;

// The commit is still to come, and takes as long again at worst; T5 allows 50 ms.
constexpr std::int64_t long_hold = 20'000;
constexpr int fewest_steps = 16;  // done in any case, however slow the machine: each call gets on

Tables::Lane lane_of(const engine::Row& row) {
  switch (row.wakeup) {
    case engine::Wakeup::waiting: return row.put_off ? Tables::Lane::put_off : Tables::Lane::waiting;
    case engine::Wakeup::in_flight: return row.put_off ? Tables::Lane::in_flight_put_off : Tables::Lane::in_flight;
    case engine::Wakeup::dead: return Tables::Lane::dead;
    case engine::Wakeup::none: break;
  }
  return Tables::Lane::none;
}

// The columns that find reads, in their order. The core must outlive the run.
void bind_row(Binder& to, const Tables::Row& row, const Packed& core) {
  if (row.life)
    to.add(row.life);
  else
    to.add(Null{});
  to.add(row.number);
  to.add(row.records);
  to.add(row.finished_at);
  to.add(static_cast<std::int64_t>(row.wakeup));
  to.add(static_cast<std::int64_t>(row.cancel_requested));
  to.add_some(row.queue, !row.queue.empty());
  to.add_some(row.next_queue, row.has_next_queue != 0);
  to.add_some(row.error, !row.error.empty());
  to.add(Blob(core.bytes()));
  to.add_some(row.tail.bytes(), row.life != 0);
}

}  // namespace

void Tables::enter(std::int64_t ns, std::int64_t now) {
  if (ns != ns_) {
    row_saved_ = false;
    floors_.reset();
  }
  ns_ = ns;
  now_ = now;
  entered_at_ = monotonic_now();
  steps_ = 0;
}

bool Tables::held_long() { return ++steps_ > fewest_steps && monotonic_now() - entered_at_ >= long_hold; }

void Tables::leave() {
  held_.reset();
  if (!floors_ || !floors_->raised) return;
  connection_.run(Sql::raise_floors, floors_->numbers, floors_->documents, ns_);
  floors_->raised = false;
}

void Tables::committed() {
  held_.reset();
  row_saved_ = false;
  floors_.reset();
  touched_ = Touched{};
}

void Tables::rolled_back() {
  committed();
  next_life_ = end_of_lives_ = 0;
}

void Tables::read_row(const Rows& found, int column, Row& row) {
  if (!unpack(found.bytes(column + 9), row))
    throw StoreError(STILE_CORRUPT, connection_.path() + ": stile_workflow.core cannot be read");
  row.stored = true;
  row.life = found.integer(column);
  row.number = static_cast<std::uint64_t>(found.integer(column + 1));
  row.records = static_cast<std::uint64_t>(found.integer(column + 2));
  row.finished_at = found.integer(column + 3);
  row.wakeup = static_cast<engine::Wakeup>(found.integer(column + 4));
  row.cancel_requested = static_cast<std::uint8_t>(found.integer(column + 5));
  row.queue = found.bytes(column + 6);
  row.next_queue = found.bytes(column + 7);
  row.error = found.bytes(column + 8);
  if (!row.tail.assign(found.bytes(column + 10), row, row.life))
    throw StoreError(STILE_CORRUPT, connection_.path() + ": stile_workflow.tail is not what its row says");
  row.lane = lane_of(row);
  row.lane_due = row.due;
  row.lane_since = row.since;
  row.lane_queue = row.queue;
  row.listed_class = row.trim_class;
  row.listed_at = row.trim_at;
}

Tables::Row* Tables::find(std::string_view id) {
  // Once handed out it may be changed without being saved, so it is good for one find.
  if (std::exchange(row_saved_, false) && row_.id == id) return &row_;
  Query found(connection_, Sql::find, ns_, Blob(id));
  if (!found.next()) return nullptr;
  row_.id = id;
  read_row(found, 0, row_);
  return &row_;
}

Tables::Row& Tables::make(std::string_view id) {
  row_ = Row{};
  row_.id = id;
  row_saved_ = false;
  return row_;
}

void Tables::save(Row& row) {
  {
    const Packed core(row);
    Rows run(connection_, connection_.statement(row.stored ? Sql::update_row : Sql::insert_row));
    Binder to(run);
    if (!row.stored) to.add(ns_), to.add(Blob(row.id));
    bind_row(to, row, core);
    if (row.stored) to.add(ns_), to.add(Blob(row.id));
    run.next();
  }
  row.stored = true;
  move_in_due_index(row);
  move_in_trim_index(row);
  row_saved_ = &row == &row_;
}

void Tables::move_in_due_index(Row& row) {
  const Lane lane = lane_of(row);
  const std::int64_t due = lane == Lane::dead ? 0 : row.due;
  if (lane == row.lane &&
      (lane == Lane::none || (due == row.lane_due && row.since == row.lane_since && row.queue == row.lane_queue)))
    return;
  if (row.lane != Lane::none)
    connection_.run(Sql::delete_due, ns_, Blob(row.lane_queue), static_cast<std::int64_t>(row.lane), row.lane_due,
                    Blob(row.id));
  row.lane = lane;
  row.lane_due = due;
  row.lane_since = row.since;
  row.lane_queue = row.queue;
  if (lane == Lane::none) return;
  connection_.run(Sql::insert_due, ns_, Blob(row.queue), static_cast<std::int64_t>(lane), due, row.since, Blob(row.id));
  if (lane == Lane::dead) return;
  const Mask mask = mask_of(ns_, row.queue.data(), row.queue.size());
  if (due <= now_) {
    touched_.ready |= mask;
  } else {
    touched_.delayed |= mask;
    touched_.next_due = std::min(touched_.next_due, due - now_);
  }
}

void Tables::move_in_trim_index(Row& row) {
  if (row.trim_class == row.listed_class && (row.trim_class == engine::TrimClass::none || row.trim_at == row.listed_at))
    return;
  if (row.listed_class != engine::TrimClass::none)
    connection_.run(Sql::delete_trim, ns_, static_cast<std::int64_t>(row.listed_class), row.listed_at, Blob(row.id));
  row.listed_class = row.trim_class;
  row.listed_at = row.trim_at;
  if (row.trim_class != engine::TrimClass::none)
    connection_.run(Sql::insert_trim, ns_, static_cast<std::int64_t>(row.trim_class), row.trim_at, Blob(row.id));
}

void Tables::forget(Row& row) {
  drop_checkpoint(row);
  row.wakeup = engine::Wakeup::none;
  row.trim_class = engine::TrimClass::none;
  move_in_due_index(row);
  move_in_trim_index(row);
  if (row.stored) connection_.run(Sql::delete_row, ns_, Blob(row.id));
  row.stored = false;
  row_saved_ = false;
}

Tables::Row* Tables::first_due(std::string_view queue, std::int64_t now) {
  std::string best;
  std::int64_t least = INT64_MAX;
  for (const Lane lane : {Lane::waiting, Lane::in_flight}) {
    Query head(connection_, Sql::first_due, ns_, Blob(queue), static_cast<std::int64_t>(lane));
    if (head.next() && head.integer(0) <= now && head.integer(0) < least) {
      least = head.integer(0);
      best = head.bytes(2);
    }
  }
  for (const Lane lane : {Lane::put_off, Lane::in_flight_put_off}) {
    Query head(connection_, Sql::first_put_off, ns_, Blob(queue), static_cast<std::int64_t>(lane), now);
    if (head.next() && head.integer(0) < least) {
      least = head.integer(0);
      best = head.bytes(1);
    }
  }
  if (least == INT64_MAX) return nullptr;
  Row* row = find(best);
  if (!row) throw StoreError(STILE_CORRUPT, connection_.path() + ": stile_due names a workflow that is not there");
  return row;
}

std::int64_t Tables::next_due(std::string_view queue) {
  std::int64_t least = INT64_MAX;
  for (const Lane lane : {Lane::waiting, Lane::put_off, Lane::in_flight, Lane::in_flight_put_off}) {
    Query head(connection_, Sql::first_due, ns_, Blob(queue), static_cast<std::int64_t>(lane));
    if (head.next()) least = std::min(least, head.integer(0));
  }
  return least;
}

std::vector<std::string> Tables::queues_with_wakeups() {
  std::vector<std::string> queues;
  std::string after;
  // The default queue has the empty name, which no queue comes before.
  for (const Lane lane : {Lane::waiting, Lane::put_off, Lane::in_flight, Lane::in_flight_put_off, Lane::dead}) {
    Query head(connection_, Sql::first_due, ns_, Blob(std::string_view{}), static_cast<std::int64_t>(lane));
    if (!head.next()) continue;
    queues.emplace_back();
    break;
  }
  for (;;) {
    Query found(connection_, Sql::next_queue, ns_, Blob(after));
    if (!found.next()) return queues;
    after = found.bytes(0);
    queues.push_back(after);
  }
}

std::vector<std::string> Tables::ids_in_flight() {
  std::vector<std::string> ids;
  for (const std::string& queue : queues_with_wakeups()) {
    for (const Lane lane : {Lane::in_flight, Lane::in_flight_put_off}) {
      Query found(connection_, Sql::lane_ids, ns_, Blob(queue), static_cast<std::int64_t>(lane));
      while (found.next()) ids.emplace_back(found.bytes(0));
    }
  }
  return ids;
}

Tables::Row* Tables::first_trim(engine::TrimClass trim_class, std::int64_t until) {
  std::string id;
  {
    Query found(connection_, Sql::first_trim, ns_, static_cast<std::int64_t>(trim_class), until);
    if (!found.next()) return nullptr;
    id = found.bytes(0);
  }
  Row* row = find(id);
  if (!row) throw StoreError(STILE_CORRUPT, connection_.path() + ": stile_trim names a workflow that is not there");
  return row;
}

void Tables::take_life(Row& row) {
  if (next_life_ == end_of_lives_) {
    {
      Query found(connection_, Sql::find_meta, std::string_view("next_life"));
      next_life_ = found.next() ? found.integer(0) : 1;
    }
    end_of_lives_ = next_life_ + lives_in_a_block;
    connection_.run(Sql::save_meta, std::string_view("next_life"), end_of_lives_);
  }
  row.life = next_life_++;
  row.tail.begin();
}

Tables::Floors& Tables::floors() {
  if (!floors_) {
    floors_ = Floors{};
    Query found(connection_, Sql::floors, ns_);
    if (found.next()) {
      floors_->numbers = static_cast<std::uint64_t>(found.integer(0));
      floors_->documents = static_cast<std::uint64_t>(found.integer(1));
      floors_->manual_clock = found.integer(2);
    }
  }
  return *floors_;
}

void Tables::set_manual_clock(std::int64_t to) {
  connection_.run(Sql::set_clock, to, ns_);
  floors().manual_clock = to;
  touched_.clock = true;
}

}  // namespace stile::sqlite

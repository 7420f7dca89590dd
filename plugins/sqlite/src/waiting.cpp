// receive and watch, which may wait.
//
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <utility>

#include "clock.hpp"
#include "session.hpp"
#include "stile/sdk/author.h"
#include "stile/sdk/engine/context.hpp"
#include "stile/sdk/plugin.hpp"

namespace stile::sqlite {
namespace {

constexpr std::int64_t busy_pause = 1'000;
constexpr const char* called_back = "the host called the call back; nothing was handed out";

std::int64_t later(std::int64_t now, std::int64_t span) { return span > INT64_MAX - now ? INT64_MAX : now + span; }

bool handed_out(const stile_op& op) {
  const auto& out = *static_cast<const stile_receive_result*>(op.result);
  return op.status != STILE_OK || out.deliveries || out.more;
}

}  // namespace

// Other connections hold the file's index for moments, when they open, close or begin the log anew. That is no reason
// for somebody who waits to give up waiting.
Session::Sight Session::look_patiently(const Waiter& waiter, std::int64_t& manual_end, std::int64_t wait,
                                       std::int64_t deadline) {
  for (;;) {
    try {
      return look_for_wakeups(waiter, manual_end, wait, deadline);
    } catch (const StoreError& error) {
      if (!is_busy(error) && error.status() != STILE_TIMED_OUT) throw;
      if (monotonic_now() >= deadline) return Sight::over;  // W6: a wait that ends is no error
    }
    const timespec rest = timespec_of(busy_pause);
    nanosleep(&rest, nullptr);
  }
}

// What is there for a receiver, without the write lock: most looks find nothing.
Session::Sight Session::look_for_wakeups(const Waiter& waiter, std::int64_t& manual_end, std::int64_t wait,
                                         std::int64_t deadline) {
  Database& database = store_.database();
  Database::Reader reader(database, deadline);
  Connection& connection = reader->connection;
  Tables& tables = reader->tables;
  connection.run(Sql::begin_read);
  Sight sight = Sight::nothing;
  if (Runner::something_said(connection)) {
    sight = Sight::due;  // hearing it writes, and may bring a wakeup
  } else {
    tables.enter(waiter.ns, 0);
    const std::int64_t stands = tables.manual_clock();
    const std::int64_t now = stands != 0 ? stands : database.now();
    seen_clock_ = stands;
    if (stands != 0 && manual_end == 0) manual_end = later(stands, wait);
    for (const std::string& queue : waiter.queues)
      if (tables.next_due(queue) <= now) sight = Sight::due;
    if (sight == Sight::nothing && stands != 0 && stands >= manual_end) sight = Sight::over;
  }
  tables.committed();
  connection.run(Sql::commit);
  database.check_still_there();
  return sight;
}

void Session::answer_empty(stile_op& op) {
  auto& out = engine::result_of<stile_receive_result>(op);
  out = stile_receive_result{out.struct_size, 0, nullptr, store_.database().now()};
  op.status = STILE_OK;
}

void Session::receive(Item& item) {
  stile_op& op = *item.ops[item.first];
  Database& database = store_.database();
  const stile_clock clock = database.clock();
  if (!stile_admit(item.ops.data(), item.first, item.ops.size(), &limits, &clock, 1)) return;
  const auto& asked = engine::request_of<stile_receive_request>(op);
  if (op.must & STILE_MUST_AGAIN) {
    store_.group().write(item);
    if (handed_out(op)) return;
    reset_answer(op);
  }
  Waiter waiter;
  waiter.parking = &parking_;
  for (std::uint64_t i = 0; i < asked.n_queues; ++i) waiter.queues.emplace_back(engine::view(asked.queues[i]));
  wait_for_wakeup(item, waiter, asked.wait);
  // Told, but not served, or more is there than it took: somebody else may have it.
  const bool told = !waiter.listed || !database.watcher().remove(waiter);
  const auto& out = engine::result_of<stile_receive_result>(op);
  const bool served = op.status == STILE_OK && out.deliveries;
  if (out.more || (told && !served)) database.watcher().hand_on(waiter);
}

// Stands in the lists until there is something to look at, or the time is over; answers whether to look. Whoever was
// not in the lists looks once more after they are, so that nothing falls between.
bool Session::rest(Waiter& waiter, std::int64_t until) {
  if (!std::exchange(waiter.listed, true)) {
    parking_.forget(Parking::look);
    waiter.stands = seen_clock_;
    store_.database().watcher().add(waiter);
    return true;
  }
  const bool look = (parking_.wait(Parking::look | Parking::interrupted, until) & Parking::look) != 0;
  if (look) waiter.listed = false;
  return look;
}

void Session::wait_for_wakeup(Item& item, Waiter& waiter, std::int64_t wait) {
  stile_op& op = *item.ops[item.first];
  const std::int64_t until = std::min(later(monotonic_now(), wait), item.deadline);
  std::int64_t manual_end = 0;
  waiter.ns = store_.number();
  try {
    for (bool look = true;;) {
      Sight sight = Sight::nothing;
      if (waiter.ns == 0)
        sight = Sight::due;  // there was no time to make the namespace: receiving does, or says why it cannot
      else if (look)
        sight = look_patiently(waiter, manual_end, wait, item.deadline);
      if (sight == Sight::due) {
        store_.group().write(item);
        if (handed_out(op)) return;
        reset_answer(op);
        if (waiter.ns == 0) waiter.ns = store_.number();  // not in the lists yet, which look at it
      }
      if (interrupted_) return sdk::answer(op, STILE_INTERRUPTED, called_back);
      if (sight == Sight::over || monotonic_now() >= until) return answer_empty(op);
      look = rest(waiter, until);
    }
  } catch (const StoreError& error) {
    reset_answer(op);
    sdk::answer(op, error);
  }
}

void Session::watch(Item& item) {
  stile_op& op = *item.ops[item.first];
  Database& database = store_.database();
  const auto& asked = engine::request_of<stile_watch_request>(op);
  const stile_clock clock = database.clock();
  if (!stile_admit(item.ops.data(), item.first, item.ops.size(), &limits, &clock, 1)) return;
  Waiter waiter;
  waiter.parking = &parking_;
  const std::int64_t until = std::min(later(monotonic_now(), asked.wait), item.deadline);
  std::int64_t manual_end = 0;
  try {
    introduce(item.deadline);
    waiter.ns = store_.number();
    for (std::uint64_t i = 0; i < asked.n_watched; ++i)
      waiter.workflows |= mask_of(waiter.ns, asked.watched[i].workflow.ptr, asked.watched[i].workflow.len);
    for (bool look = true;;) {
      if (look) {
        store_.group().read(item);
        if (op.status != STILE_OK || engine::result_of<stile_watch_result>(op).n_changed) break;
        if (look_patiently(waiter, manual_end, asked.wait, item.deadline) == Sight::over) break;
      }
      if (interrupted_) {
        reset_answer(op);
        sdk::answer(op, STILE_INTERRUPTED, called_back);
        break;
      }
      if (monotonic_now() >= until) break;
      look = rest(waiter, until);
      if (look) reset_answer(op);
    }
  } catch (const StoreError& error) {
    reset_answer(op);
    sdk::answer(op, error);
  }
  if (waiter.listed) database.watcher().remove(waiter);
}

}  // namespace stile::sqlite

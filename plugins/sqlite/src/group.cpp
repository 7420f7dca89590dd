// One thread leads: it takes the lock, does what is queued, commits, syncs, tells the others.
//
// SPDX-License-Identifier: Apache-2.0
#include "group.hpp"

#include <algorithm>
#include <ctime>

#include "clock.hpp"
#include "stile/sdk/plugin.hpp"
#include "store.hpp"

namespace stile::sqlite {
namespace {

// One transaction's share: what comes after it waits for the next, so that nobody waits long.
constexpr std::size_t most_together = 1'024;

constexpr const char* too_late = "the deadline passed while others held the file; nothing was written";

void answer_all(Item& item, std::int32_t status, std::string_view text) {
  for (std::size_t i = item.first; i < item.end; ++i)
    if (item.ops[i]->status == STILE_UNSET) sdk::answer(*item.ops[i], status, text);
}

Patience patience_of(const Item& item) {
  return {item.deadline, [&item] { return item.interrupted && item.interrupted->load(); }};
}

void answer_late(Item& item) {
  if (item.interrupted && item.interrupted->load())
    answer_all(item, STILE_INTERRUPTED, "the host called the call back; nothing was written");
  else
    answer_all(item, STILE_TIMED_OUT, too_late);
}

void reset(Item& item) {
  for (std::size_t i = item.first; i < item.end; ++i) reset_answer(*item.ops[i]);
}

// The failure of a transaction that was rolled back: whatever was thought of it, it has not happened.
void answer_failure(Item& item, const StoreError& error) {
  const std::int32_t status = error.status() == STILE_UNKNOWN ? STILE_UNAVAILABLE : error.status();
  for (std::size_t i = item.first; i < item.end; ++i)
    if (item.ops[i]->status == STILE_UNSET) sdk::answer(*item.ops[i], {status, error.text(), error.native()});
}

// After a sync that failed nobody knows what is on the disk (R2).
void doubt(Item& item, const StoreError& error) {
  for (std::size_t i = item.first; i < item.end; ++i) {
    stile_op& op = *item.ops[i];
    if (op.status != STILE_OK || !writes(op)) continue;
    reset_answer(op);
    sdk::answer(op, StoreError(STILE_UNKNOWN, error.text(), error.native()));
  }
}

}  // namespace

void Group::write(Item& item) {
  bool leads;
  {
    const std::lock_guard guard(mutex_);
    leads = !std::exchange(led_, true);
    item.state = leads ? Item::State::leading : Item::State::queued;
    item.parking->forget(Parking::done | Parking::lead);
    queue_.push_back(&item);
  }
  if (leads || wait_for_others(item) == Way::lead) lead(item);
}

Group::Way Group::wait_for_others(Item& item) {
  std::int64_t until = item.deadline;
  std::uint32_t listen = Parking::done | Parking::lead | Parking::interrupted;
  for (;;) {
    const std::uint32_t heard = item.parking->wait(listen, until);
    if (heard & Parking::done) return Way::done;
    if (heard & Parking::lead) return Way::lead;
    const std::lock_guard guard(mutex_);
    if (take_out(item)) {
      answer_late(item);
      return Way::gone;
    }
    // Somebody is doing it, or has just made this thread the leader: there is no way out before that is over.
    until = INT64_MAX;
    listen = Parking::done | Parking::lead;
  }
}

bool Group::take_out(Item& item) {
  if (item.state != Item::State::queued) return false;
  queue_.erase(std::find(queue_.begin(), queue_.end(), &item));
  return true;
}

std::vector<Item*> Group::take_all() {
  const std::lock_guard guard(mutex_);
  std::vector<Item*> items;
  std::size_t ops = 0;
  while (!queue_.empty()) {
    Item* item = queue_.front();
    ops += item->end - item->first;
    if (!items.empty() && ops > most_together) break;
    item->state = Item::State::taken;
    items.push_back(item);
    queue_.pop_front();
  }
  return items;
}

void Group::finish(const std::vector<Item*>& items, const Item& own) {
  const std::lock_guard guard(mutex_);
  for (Item* item : items) {
    item->state = Item::State::done;
    if (item != &own) item->parking->tell(Parking::done);
  }
}

void Group::pass_on_lead() {
  const std::lock_guard guard(mutex_);
  if (queue_.empty()) {
    led_ = false;
    return;
  }
  queue_.front()->state = Item::State::leading;
  queue_.front()->parking->tell(Parking::lead);
}

void Group::lead(Item& own) {
  std::vector<Item*> items;
  bool shared = false;
  try {
    auto lock = Database::WriteLock::take(database_, database_.writer().connection, patience_of(own));
    if (lock) {
      items = take_all();
      shared = together(items, *lock);
    } else {
      const std::lock_guard guard(mutex_);
      queue_.erase(std::find(queue_.begin(), queue_.end(), &own));
      items.push_back(&own);
      answer_late(own);
    }
  } catch (const StoreError&) {
    items = take_all();  // each operation meets that failure itself, or does not
  }
  if (!shared)
    for (Item* item : items) one_by_one(*item);
  finish(items, own);
  pass_on_lead();
}

// All items in one transaction. False: nothing of it happened, and each operation is to be done alone.
bool Group::together(const std::vector<Item*>& items, Database::WriteLock& lock) {
  Desk& desk = database_.writer();
  try {
    runner_.hear(desk);
    for (Item* item : items) runner_.run(*item, desk, true);
  } catch (const std::exception&) {
    desk.tables.rolled_back();
    lock.give_back();
    for (Item* item : items) reset(*item);
    return false;
  }
  try {
    end(desk, lock, items);
  } catch (const StoreError& error) {
    for (Item* item : items) error.status() == STILE_UNKNOWN ? doubt(*item, error) : reset(*item);
    return error.status() == STILE_UNKNOWN;
  }
  return true;
}

void Group::end(Desk& desk, Database::WriteLock& lock, const std::vector<Item*>& items) {
  const Touched touched = desk.tables.touched();
  Commit commit;
  try {
    commit = lock.commit();
  } catch (...) {
    desk.tables.rolled_back();
    throw;
  }
  desk.tables.committed();
  database_.announce(touched);
  for (Item* item : items)
    if (item->made_number > 0) item->store->keep_number(item->made_number);
  database_.settle(commit);
}

// After a failure: what fails alone must not take others with it (R3), and each gets the answer it deserves.
void Group::one_by_one(Item& item) {
  for (std::size_t i = item.first; i < item.end; ++i) {
    if (item.ops[i]->status != STILE_UNSET) continue;
    Item part = item;
    part.first = i;
    part.end = i + 1;
    if (!reads_only(*item.ops[i]) || !read_patiently(part)) alone(part);
  }
}

void Group::alone(Item& part) {
  Desk& desk = database_.writer();
  try {
    auto lock = Database::WriteLock::take(database_, desk.connection, patience_of(part));
    if (!lock) return answer_late(part);
    try {
      runner_.hear(desk);
      runner_.run(part, desk, true);
    } catch (...) {
      desk.tables.rolled_back();
      throw;
    }
    end(desk, *lock, {&part});
  } catch (const StoreError& error) {
    if (error.status() == STILE_UNKNOWN && part.ops[part.first]->status == STILE_OK) return doubt(part, error);
    reset(part);
    answer_failure(part, error);
  } catch (const std::exception& error) {
    reset(part);
    answer_all(part, STILE_UNAVAILABLE, error.what());
  }
}

void Group::read(Item& item) {
  // What was said is to be heard first, and that writes.
  if (!read_patiently(item)) write(item);
}

bool Group::read_patiently(Item& item) {
  for (std::int64_t pause = 200;; pause = std::min<std::int64_t>(pause * 2, 5'000)) {
    try {
      return read_once(item);
    } catch (const StoreError& error) {
      reset(item);
      if (!is_busy(error) || monotonic_now() >= item.deadline) {
        answer_failure(item, error);
        return true;
      }
    }
    const timespec rest = timespec_of(pause);
    nanosleep(&rest, nullptr);
  }
}

// False: something was said, and nothing was done yet.
bool Group::read_once(Item& item) {
  Database::Reader reader(database_, item.deadline);
  Connection& connection = reader->connection;
  connection.run(Sql::begin_read);
  if (Runner::something_said(connection)) return false;
  Runner runner(database_);
  runner.run(item, *reader, false);
  reader->tables.committed();
  connection.run(Sql::commit);
  database_.check_still_there();
  database_.settle_read();
  return true;
}

}  // namespace stile::sqlite

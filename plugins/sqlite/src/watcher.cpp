// Looking for all who wait: when somebody rang, when a wakeup becomes due, and once a second in any case.
//
// SPDX-License-Identifier: Apache-2.0
#include "watcher.hpp"

#include <algorithm>
#include <iterator>

#include "clock.hpp"
#include "database.hpp"
#include "runner.hpp"
#include "threads.hpp"

namespace stile::sqlite {
namespace {

// Somebody was told, and others wait in the same line: if that one does not come back, the next one is told (W7).
constexpr std::int64_t told_patience = 50'000;
constexpr std::int64_t nobody_waits = 3600 * second_us;

}  // namespace

Watcher::Watcher(Database& database) : database_(database) {}

Watcher::~Watcher() {
  {
    const std::lock_guard guard(mutex_);
    stopping_ = true;
    SideFile::poke(*bell_);
  }
  if (thread_.joinable()) thread_.join();
  if (bell_ != &own_bell_) database_.side()->give_back_bell(bell_);
}

void Watcher::add(Waiter& waiter) {
  const std::lock_guard guard(mutex_);
  waiter.waiting = true;
  for (const std::string& queue : waiter.queues) {
    Line& line = lines_[{waiter.ns, queue}];
    line.mask = mask_of(waiter.ns, queue.data(), queue.size());
    line.waiters.push_back(&waiter);
    line.look = true;
  }
  if (waiter.workflows) watches_.push_back(&waiter);
  if (!thread_.joinable()) {
    Bell* claimed = database_.side() ? database_.side()->claim_bell() : nullptr;
    if (claimed) bell_ = claimed;
    thread_ = quiet_thread([this] { run(); });
  }
  publish();
  SideFile::poke(*bell_);
}

bool Watcher::remove(Waiter& waiter) {
  const std::lock_guard guard(mutex_);
  if (!waiter.waiting) return false;
  take_out(waiter);
  publish();
  return true;
}

void Watcher::take_out(Waiter& waiter) {
  waiter.waiting = false;
  for (const std::string& queue : waiter.queues) {
    const auto at = lines_.find({waiter.ns, queue});
    if (at == lines_.end()) continue;
    auto& waiters = at->second.waiters;
    waiters.erase(std::remove(waiters.begin(), waiters.end(), &waiter), waiters.end());
    if (waiters.empty()) lines_.erase(at);
  }
  if (waiter.workflows) watches_.erase(std::remove(watches_.begin(), watches_.end(), &waiter), watches_.end());
}

void Watcher::tell(Waiter& waiter) {
  take_out(waiter);
  waiter.parking->tell(Parking::look);
}

void Watcher::hand_on(const Waiter& waiter) {
  bool here = false;
  Mask elsewhere = 0;
  {
    const std::lock_guard guard(mutex_);
    for (const std::string& queue : waiter.queues) {
      const auto at = lines_.find({waiter.ns, queue});
      if (at != lines_.end()) {
        at->second.look = true;
        here = true;
      } else {
        elsewhere |= mask_of(waiter.ns, queue.data(), queue.size());
      }
    }
    if (here) SideFile::poke(*bell_);
  }
  if (elsewhere && database_.side()) database_.side()->ring_one(elsewhere);
}

void Watcher::ring(const Touched& touched) {
  const std::lock_guard guard(mutex_);
  if (bell_ != &own_bell_ || !thread_.joinable()) return;
  const Mask queues = touched.clock ? ~Mask{0} : touched.ready | touched.delayed;
  const Mask workflows = touched.clock ? ~Mask{0} : touched.workflows;
  if (!(queues & own_bell_.queues.load()) && !(workflows & own_bell_.workflows.load())) return;
  own_bell_.rung_queues.fetch_or(queues);
  own_bell_.rung_workflows.fetch_or(workflows);
  SideFile::poke(own_bell_);
}

void Watcher::publish() {
  Mask queues = 0, workflows = 0;
  for (const auto& [name, line] : lines_) queues |= line.mask;
  for (const Waiter* waiter : watches_) workflows |= waiter->workflows;
  bell_->queues.store(queues);
  bell_->workflows.store(workflows);
}

void Watcher::run() {
  std::int64_t last_tick = monotonic_now();
  for (;;) {
    std::uint32_t seen = 0;
    std::int64_t until = 0;
    {
      const std::lock_guard guard(mutex_);
      if (stopping_) return;
      // From here on a ring is wanted for any time: what is committed after this round's look is not known here.
      bell_->next_look.store(INT64_MAX);
      seen = bell_->word.load();
      const std::int64_t interval = bell_ == &own_bell_ ? poll : fallback;
      const bool tick = monotonic_now() - last_tick >= interval;
      if (tick) last_tick = monotonic_now();
      try {
        until = std::min(round(tick), last_tick + interval);
      } catch (const StoreError&) {
        // Those who wait meet the same failure and report it; here it is only waited for to pass. What was rung for
        // was not looked at, or not all of it.
        bell_->rung_queues.store(~Mask{0});
        bell_->rung_workflows.store(~Mask{0});
        until = monotonic_now() + told_patience;
      }
      if (lines_.empty() && watches_.empty()) until = monotonic_now() + nobody_waits;
      bell_->next_look.store(until);
    }
    SideFile::wait(*bell_, seen, until);
  }
}

std::int64_t Watcher::round(bool tick) {
  Mask queues = bell_->rung_queues.exchange(0);
  Mask workflows = bell_->rung_workflows.exchange(0);
  if (lines_.empty() && watches_.empty()) return INT64_MAX;
  Database::Reader reader(database_);
  std::vector<Waiter*> told;
  if (tick && changed_elsewhere(*reader)) {
    queues = workflows = ~Mask{0};
    // What another program said is heard by whoever comes next: that is somebody who waits (R7).
    if (Runner::something_said(reader->connection))
      told.push_back(lines_.empty() ? watches_.front() : lines_.begin()->second.waiters.front());
  }
  const std::int64_t now = database_.now();
  std::int64_t next = INT64_MAX;
  for (auto at = lines_.begin(); at != lines_.end(); ++at) {
    Line& line = at->second;
    if ((line.mask & queues) || line.next_due <= now) line.look = true;
    if (line.look) {
      // Where a clock that stands still was moved, each wait may be over (A14).
      if (const std::int64_t stands = look_at(at, *reader))
        std::copy_if(line.waiters.begin(), line.waiters.end(), std::back_inserter(told),
                     [&](const Waiter* waiter) { return waiter->stands != stands; });
      if (line.next_due <= now) {
        told.push_back(line.waiters.front());
        line.next_due = now + told_patience;
      }
    }
    next = std::min(next, line.next_due);
  }
  for (Waiter* waiter : watches_)
    if (waiter->workflows & workflows) told.push_back(waiter);
  // Some may be named twice, and whoever was told may be gone at once.
  std::sort(told.begin(), told.end());
  told.erase(std::unique(told.begin(), told.end()), told.end());
  for (Waiter* waiter : told) tell(*waiter);
  if (!told.empty()) publish();
  return next == INT64_MAX ? INT64_MAX : monotonic_now() + std::max<std::int64_t>(next - now, 0);
}

// Answers the namespace's clock where it stands still, else 0.
std::int64_t Watcher::look_at(Lines::iterator at, Desk& desk) {
  Line& line = at->second;
  Tables& tables = desk.tables;
  line.look = false;
  tables.enter(at->first.first, database_.now());
  const std::int64_t due = tables.next_due(at->first.second);
  const std::int64_t stands = tables.manual_clock();
  tables.committed();
  // Where the clock stands still nothing becomes due by itself.
  if (stands == 0)
    line.next_due = due;
  else
    line.next_due = due <= stands ? 0 : INT64_MAX;
  return stands;
}

// Catches what no bell told: another program's commit, a ring that was lost. The version is of one connection, so a
// change of reader counts as a change.
bool Watcher::changed_elsewhere(Desk& desk) {
  Query found(desk.connection, Sql::data_version);
  const std::int64_t version = found.next() ? found.integer(0) : -1;
  const std::pair now{desk.number, version};
  return std::exchange(seen_version_, now) != now;
}

}  // namespace stile::sqlite

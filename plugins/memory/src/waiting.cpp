// Who is woken by what.
//
// SPDX-License-Identifier: Apache-2.0
#include "waiting.hpp"

#include <algorithm>

namespace stile::memory {

void WaitingRoom::tell(const News& news, Time now) {
  if (news.empty()) return;
  const std::lock_guard lock(mutex_);
  for (const News::Due& due : news.due) {
    const auto line = lines_.find(due.queue);
    if (line == lines_.end() || line->second.waiting.empty()) continue;
    if (due.at <= now) {
      // The first in line that was not rung for another wakeup already.
      auto& waiting = line->second.waiting;
      const auto free = std::find_if(waiting.begin(), waiting.end(), [](const auto* who) { return !who->rung; });
      if (free != waiting.end()) ring(**free);
    } else if (std::chrono::steady_clock::now() + std::chrono::microseconds(due.at - now) < line->second.armed) {
      ring(*line->second.waiting.front());
    }
  }
  for (const News::Changed& change : news.changed) {
    const auto [first, last] = watched_.equal_range(change.workflow);
    for (auto at = first; at != last; ++at) {
      auto& [who, index] = at->second;
      if (change.gone) who->gone.push_back(index);
      ring(*who);
    }
  }
}

void WaitingRoom::wake_all() {
  const std::lock_guard lock(mutex_);
  for (auto& [queue, line] : lines_)
    for (Receiving* who : line.waiting) ring(*who);
  for (auto& [workflow, watcher] : watched_) ring(*watcher.first);
}

void WaitingRoom::interrupt(Interrupts& session, std::uint64_t serial) {
  const std::lock_guard lock(mutex_);
  session.up_to = std::max(session.up_to, serial);
  if (session.waiting != nullptr) ring(*session.waiting);
}

bool WaitingRoom::interrupted(const Interrupts& session, std::uint64_t serial) {
  const std::lock_guard lock(mutex_);
  return session.cover(serial);
}

void WaitingRoom::enter(Receiving& who, Interrupts& session) {
  const std::lock_guard lock(mutex_);
  session.waiting = &who;
  for (const std::string& queue : who.queues) lines_[queue].waiting.push_back(&who);
  ++receivers_;
}

void WaitingRoom::about_to_look(Receiving& who) {
  const std::lock_guard lock(mutex_);
  who.rung = false;
  for (const std::string& queue : who.queues) {
    Line& line = lines_[queue];
    if (line.waiting.front() == &who) line.armed = Instant::max();
  }
}

void WaitingRoom::sleep(Receiving& who, const std::vector<Instant>& next_due, Instant until, const Interrupts& session,
                        std::uint64_t serial) {
  std::unique_lock lock(mutex_);
  if (who.rung || session.cover(serial)) return;
  for (std::size_t i = 0; i < who.queues.size(); ++i) {
    Line& line = lines_[who.queues[i]];
    if (line.waiting.front() != &who) continue;
    line.armed = next_due[i];
    until = std::min(until, next_due[i]);
  }
  who.wake.wait_until(lock, until, [&] { return who.rung; });
}

void WaitingRoom::leave(Receiving& who, Interrupts& session) {
  const std::lock_guard lock(mutex_);
  session.waiting = nullptr;
  --receivers_;
  for (const std::string& queue : who.queues) {
    const auto line = lines_.find(queue);
    auto& waiting = line->second.waiting;
    const bool was_first = waiting.front() == &who;
    waiting.remove(&who);
    if (waiting.empty()) {
      lines_.erase(line);
      continue;
    }
    if (was_first) line->second.armed = Instant::max();
    // What it was rung for may not be what it took, and its timer needs a keeper.
    if (was_first || who.rung) ring(*waiting.front());
  }
}

void WaitingRoom::enter(Watching& who, const std::vector<std::string_view>& workflows, Interrupts& session) {
  const std::lock_guard lock(mutex_);
  session.waiting = &who;
  for (std::size_t i = 0; i < workflows.size(); ++i)
    watched_.emplace(std::string(workflows[i]), std::pair{&who, std::uint64_t{i}});
  ++watchers_;
}

void WaitingRoom::about_to_look(Watching& who, std::vector<std::uint64_t>& gone) {
  const std::lock_guard lock(mutex_);
  gone.insert(gone.end(), who.gone.begin(), who.gone.end());
  who.gone.clear();
  who.rung = false;
}

void WaitingRoom::sleep(Watching& who, Instant until, const Interrupts& session, std::uint64_t serial) {
  std::unique_lock lock(mutex_);
  if (who.rung || session.cover(serial)) return;
  who.wake.wait_until(lock, until, [&] { return who.rung; });
}

void WaitingRoom::leave(Watching& who, const std::vector<std::string_view>& workflows, Interrupts& session) {
  const std::lock_guard lock(mutex_);
  session.waiting = nullptr;
  --watchers_;
  for (const std::string_view workflow : workflows) {
    const auto [first, last] = watched_.equal_range(std::string(workflow));
    for (auto at = first; at != last;) at = at->second.first == &who ? watched_.erase(at) : std::next(at);
  }
}

}  // namespace stile::memory

// SPDX-License-Identifier: Apache-2.0
#include "runtime/keeper.hpp"

#include <algorithm>

#include "stile/log.hpp"

namespace stile::runtime {
namespace {

/// A refusal that will not change: the pass is not ours any more.
bool is_final(Status status) {
  switch (status) {
    case Status::fenced:
    case Status::stale:
    case Status::cancelled:
    case Status::lapsed:
    case Status::not_found:
    case Status::store_lost: return true;
    default: return false;
  }
}

template <class Answer>
void settle(Life& life, const Result<Answer>& answer, Deadline sent) {
  if (answer.ok()) {
    life.confirmed(sent, answer->cancel_requested);
  } else if (is_final(answer.status())) {
    life.stop(true);
  } else {
    life.unanswered(std::chrono::steady_clock::now());
  }
}

}  // namespace

Keeper::Keeper(Store store, Duration lease, Duration step_warning)
    : store_(std::move(store)), lease_(lease), step_warning_(step_warning), thread_([this] { work(); }) {}

Keeper::~Keeper() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  stop_.request_stop();
  changed_.notify_all();
  thread_.join();
}

void Keeper::keep(std::shared_ptr<Life> life) {
  // The thread looks every quarter of a lease at least, before the first renewal is due: it need not be woken.
  std::lock_guard lock(mutex_);
  lives_.push_back(std::move(life));
}

void Keeper::forget(const std::shared_ptr<Life>& life) {
  std::lock_guard lock(mutex_);
  auto found = std::find(lives_.begin(), lives_.end(), life);
  if (found == lives_.end()) return;
  *found = std::move(lives_.back());
  lives_.pop_back();
}

void Keeper::look_again() {
  std::lock_guard lock(mutex_);
  look_ = true;
  changed_.notify_one();
}

void Keeper::stop_all() {
  std::vector<std::shared_ptr<Life>> lives;
  {
    std::lock_guard lock(mutex_);
    lives = lives_;
  }
  for (const auto& life : lives) life->stop(false);
}

void Keeper::work() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    look_ = false;
    auto lives = lives_;
    lock.unlock();
    Deadline now = std::chrono::steady_clock::now();
    Deadline next = now + lease_ / 4;
    std::vector<std::shared_ptr<Life>> due;
    for (const auto& life : lives) {
      auto chores = life->chores(now, step_warning_);
      if (chores.beat) due.push_back(life);
      if (!chores.slow.empty())
        log(LogLevel::warn, "a step takes long", {{"workflow", life->workflow()}, {"step", chores.slow}});
      if (chores.next_look) next = std::min(next, std::max(*chores.next_look, now));
    }
    if (!due.empty()) renew(due);
    lives.clear();
    lock.lock();
    if (due.empty()) changed_.wait_until(lock, next, [this] { return look_ || stopping_; });
  }
}

void Keeper::renew(const std::vector<std::shared_ptr<Life>>& due) {
  Deadline sent = std::chrono::steady_clock::now();
  // No longer than the first of them may wait to be told that it went silent.
  CallOptions options{.deadline = sent + lease_ / 3, .stop = stop_.get_token()};
  std::vector<Extend> extends;
  std::vector<Renew> renews;
  for (const auto& life : due) {
    options.deadline = std::min(*options.deadline, life->live_until());
    if (life->receipt().empty())
      renews.push_back({.workflow = life->workflow(), .fence = life->fence(), .ttl = lease_, .budget = lease_});
    else
      extends.push_back({.receipt = life->receipt(),
                         .lease = lease_,
                         .renew = Extend::Renewal{.fence = life->fence(), .ttl = lease_, .budget = lease_}});
  }
  auto extended = extends.empty() ? std::vector<Result<Extended>>{} : store_.batch(extends, options);
  auto renewed = renews.empty() ? std::vector<Result<Renewed>>{} : store_.batch(renews, options);
  std::size_t e = 0, r = 0;
  for (const auto& life : due) {
    if (life->receipt().empty())
      settle(*life, renewed.at(r++), sent);
    else
      settle(*life, extended.at(e++), sent);
  }
}

}  // namespace stile::runtime

// SPDX-License-Identifier: Apache-2.0
#include "runtime/pool.hpp"

#include <algorithm>

namespace stile::runtime {

Pool::Pool(unsigned most) : most_(std::max(most, 1u)) {}

Pool::~Pool() {
  std::lock_guard lock(state_->mutex);
  state_->closed = true;
  state_->work.notify_all();
}

void Pool::serve(const std::shared_ptr<State>& state) {
  std::unique_lock lock(state->mutex);
  for (;;) {
    ++state->idle;
    state->work.wait(lock, [&] { return state->closed || !state->jobs.empty(); });
    --state->idle;
    if (state->jobs.empty()) {
      --state->threads;
      return;
    }
    auto job = std::move(state->jobs.front());
    state->jobs.pop_front();
    lock.unlock();
    job();
    job = nullptr;
    lock.lock();
    --state->busy;
    state->room.notify_all();
  }
}

void Pool::run(std::function<void()> job) {
  std::lock_guard lock(state_->mutex);
  state_->jobs.push_back(std::move(job));
  ++state_->busy;
  if (state_->idle >= state_->jobs.size()) {
    state_->work.notify_one();
    return;
  }
  ++state_->threads;
  // Detached: a job that never ends must not keep the worker's owner from going on.
  std::thread([state = state_] { serve(state); }).detach();
}

unsigned Pool::wait_for_room(Deadline until) {
  std::unique_lock lock(state_->mutex);
  state_->room.wait_until(lock, until, [&] { return state_->woken || state_->busy < most_; });
  if (state_->woken) {
    state_->woken = false;
    return 0;
  }
  return state_->busy < most_ ? most_ - state_->busy : 0;
}

void Pool::wake() {
  std::lock_guard lock(state_->mutex);
  state_->woken = true;
  state_->room.notify_all();
}

bool Pool::wait_idle(Deadline until) {
  std::unique_lock lock(state_->mutex);
  return state_->room.wait_until(lock, until, [&] { return state_->busy == 0; });
}

unsigned Pool::busy() const {
  std::lock_guard lock(state_->mutex);
  return state_->busy;
}

}  // namespace stile::runtime

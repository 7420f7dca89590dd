// Sessions for calls that hold one for long.
//
// SPDX-License-Identifier: Apache-2.0
#include "store/sessions.hpp"

#include <algorithm>
#include <utility>

namespace stile::store {

std::optional<Sessions::Session> Sessions::take(Deadline deadline, const std::stop_token& stop) {
  std::stop_callback wake(stop, [this] {
    std::lock_guard lock(mutex_);
    changed_.notify_all();
  });
  {
    std::unique_lock lock(mutex_);
    auto ready = [&] { return closed_ || stop.stop_requested() || !idle_.empty() || open_ < most_; };
    bool in_time = true;
    if (deadline == Deadline::max())
      changed_.wait(lock, ready);
    else
      in_time = changed_.wait_until(lock, deadline, ready);
    if (!in_time || closed_ || stop.stop_requested()) return std::nullopt;
    if (!idle_.empty()) {
      Session session = std::move(idle_.back());
      idle_.pop_back();
      return session;
    }
    ++open_;
  }
  try {
    Session session{source_.connect(deadline)};
    if (!source_.batch_limit()) source_.learn(*session.link, ++session.serial, deadline);
    return session;
  } catch (...) {
    give_up_place();
    throw;
  }
}

void Sessions::execute(Session session, stile_op* op, Deadline deadline, const std::stop_token& stop) {
  stile_call call{sizeof(stile_call), 0, ++session.serial, abi_of(deadline)};
  Link* link = session.link.get();
  {
    std::lock_guard lock(mutex_);
    running_.push_back({link, session.serial});
    if (closed_) link->interrupt(session.serial);
  }
  Fate fate;
  {
    std::stop_callback interrupt(stop, [link, serial = session.serial] { link->interrupt(serial); });
    fate = link->execute(call, std::span(&op, 1));
  }
  std::unique_lock lock(mutex_);
  std::erase_if(running_, [link](const Running& r) { return r.link == link; });
  if (fate == Fate::keep && !closed_) {
    idle_.push_back(std::move(session));
    changed_.notify_one();
    return;
  }
  lock.unlock();
  session.link.reset();
  give_up_place();
}

void Sessions::close() {
  std::vector<Session> idle;
  std::lock_guard lock(mutex_);
  closed_ = true;
  for (const Running& running : running_) running.link->interrupt(running.serial);
  open_ -= static_cast<unsigned>(idle_.size());
  idle.swap(idle_);
  changed_.notify_all();
}

void Sessions::give_up_place() {
  std::lock_guard lock(mutex_);
  --open_;
  changed_.notify_one();
}

}  // namespace stile::store

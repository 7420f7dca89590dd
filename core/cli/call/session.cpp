// One session of `stile call`.
//
// SPDX-License-Identifier: Apache-2.0
#include "cli/call/session.hpp"

#include <utility>

#include "cli/call/batch.hpp"
#include "store/info.hpp"
#include "store/operation.hpp"

namespace stile::cli {
namespace {

// What may wait before the reader does.
constexpr std::size_t most_bytes = std::size_t{128} << 20, most_jobs = 4096;
// Of a store that does not say: it is asked again at the next batch.
constexpr std::size_t cautious_batch = 16;

}  // namespace

Session::Session(std::shared_ptr<store::Backend> backend, Duration deadline, Answered answered)
    : backend_(std::move(backend)), deadline_(deadline), answered_(std::move(answered)), thread_([this] { work(); }) {}

void Session::end() {
  {
    std::lock_guard lock(mutex_);
    ended_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Session::push(Job job) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return stopped_ || (waiting_bytes_ < most_bytes && waiting_.size() < most_jobs); });
  if (stopped_) return;
  waiting_bytes_ += job.bytes;
  waiting_.push_back(std::move(job));
  changed_.notify_all();
}

void Session::stop() {
  std::lock_guard lock(mutex_);
  stopped_ = true;
  waiting_.clear();
  if (link_) link_->interrupt(UINT64_MAX);  // whatever runs or was about to
  changed_.notify_all();
}

void Session::work() {
  for (;;) {
    Job job;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return ended_ || stopped_ || !waiting_.empty(); });
      if (waiting_.empty()) break;
      job = std::move(waiting_.front());
      waiting_.pop_front();
      waiting_bytes_ -= job.bytes;
    }
    changed_.notify_all();
    run(job);
    answered_(job);
  }
  std::lock_guard lock(mutex_);
  link_.reset();
}

void Session::run(Job& job) {
  bool anything = false;
  for (const Member& member : job.members) anything |= !member.bad.has_value();
  if (!anything) return;
  Deadline deadline = std::chrono::steady_clock::now() + deadline_;
  if (!connect(job, deadline)) return;
  std::size_t limit = job.members.size() == 1 ? 1 : batch_limit(deadline);
  store::Fate fate = run_members(job.members, limit, [&](auto ops) { return execute(ops, deadline); });
  if (fate == store::Fate::keep) return;
  std::lock_guard lock(mutex_);
  link_.reset();
}

bool Session::connect(Job& job, Deadline deadline) {
  if (link_) return true;
  try {
    auto link = backend_->connect(deadline);
    std::lock_guard lock(mutex_);
    link_ = std::move(link);
    if (stopped_) link_->interrupt(UINT64_MAX);
    batch_limit_ = 0;
    return true;
  } catch (const Error& error) {
    for (Member& member : job.members)
      if (!member.bad) member.refuse(error.status(), error.what());
    return false;
  }
}

store::Fate Session::execute(std::span<stile_op* const> ops, Deadline deadline) {
  stile_call call{sizeof(stile_call), 0, ++serial_, store::abi_of(deadline)};
  return link_->execute(call, ops);
}

std::size_t Session::batch_limit(Deadline deadline) {
  if (batch_limit_ != 0) return batch_limit_;
  auto info = store::ask_info(*link_, ++serial_, deadline);
  if (!info || info->limits.batch == 0) return cautious_batch;
  return batch_limit_ = info->limits.batch;
}

}  // namespace stile::cli

// The store handle as a backend.
//
// SPDX-License-Identifier: Apache-2.0
#include "store/pooled.hpp"

#include <algorithm>
#include <mutex>
#include <new>
#include <stop_token>
#include <vector>

#include "codec/copy.hpp"
#include "store/core.hpp"

namespace stile::store {
namespace {

class PooledLink final : public Link {
 public:
  explicit PooledLink(std::shared_ptr<Core> core) : core_(std::move(core)) {}

  Fate execute(const stile_call& call, std::span<stile_op* const> ops) noexcept override {
    std::stop_token stop = begin(call.serial);
    try {
      std::vector<detail::Slot> slots(ops.size());
      std::vector<Operation*> copies;
      for (std::size_t i = 0; i < ops.size(); ++i) {
        copies.push_back(slots[i].get());
        copies.back()->put_copy(*ops[i]);
      }
      core_->run(copies, {.deadline = deadline_of(call.deadline), .stop = stop});
      for (std::size_t i = 0; i < ops.size(); ++i) answer(*copies[i], *ops[i]);
    } catch (const std::bad_alloc&) {
      for (stile_op* op : ops) {
        op->status = STILE_UNKNOWN;  // before a send or after one: not told apart here (law 7)
        op->error = text_of("out of memory");
      }
    }
    return Fate::keep;
  }

  void interrupt(std::uint64_t serial) noexcept override {
    std::stop_source running(std::nostopstate);
    {
      std::lock_guard lock(mutex_);
      interrupted_ = std::max(interrupted_, serial);
      if (serial_ <= serial) running = stop_;
    }
    running.request_stop();  // outside: it takes the locks of a lane
  }

 private:
  std::stop_token begin(std::uint64_t serial) {
    std::lock_guard lock(mutex_);
    serial_ = serial;
    stop_ = std::stop_source();
    if (serial <= interrupted_) stop_.request_stop();
    return stop_.get_token();
  }

  static void answer(const Operation& from, stile_op& to) {
    if (!from.left() && !from.refused()) return codec::copy_answer(from.op(), to);
    Failure failure = failure_of(from);
    to.status = static_cast<std::int32_t>(failure.status);
    if (!codec::copy_text(text_of(failure.text), to.error, *to.arena)) to.error = {};
  }

  std::shared_ptr<Core> core_;
  std::mutex mutex_;
  std::stop_source stop_;
  std::uint64_t serial_ = 0, interrupted_ = 0;
};

class PooledBackend final : public Backend {
 public:
  explicit PooledBackend(std::shared_ptr<Core> core) : core_(std::move(core)) {}
  std::unique_ptr<Link> connect(Deadline) override { return std::make_unique<PooledLink>(core_); }
  const PluginIdentity& plugin() const override { return core_->backend().plugin(); }
  const std::string& config() const override { return core_->backend().config(); }

 private:
  std::shared_ptr<Core> core_;
};

}  // namespace

std::shared_ptr<Backend> pooled(const Store& store) { return std::make_shared<PooledBackend>(store.core()); }

}  // namespace stile::store

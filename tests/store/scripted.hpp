// A backend whose links do what a test says: for what a real store cannot be made to do on demand.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "store/link.hpp"
#include "store/operation.hpp"

namespace stile::store {

/// Answers every operation ok, but info, which it tells as the test wants it.
class ScriptedBackend final : public Backend {
 public:
  using Script = std::function<Fate(const stile_call&, std::span<stile_op* const>)>;

  explicit ScriptedBackend(std::uint64_t batch = 64, std::uint64_t writers = 1) {
    limits.struct_size = sizeof(limits);
    limits.batch = batch;
    limits.writers = writers;
  }

  std::unique_ptr<Link> connect(Deadline) override {
    std::lock_guard lock(mutex);
    ++connects;
    if (refusals > 0) {
      --refusals;
      throw Error(Status::unavailable, "nobody listens");
    }
    return std::make_unique<ScriptedLink>(*this);
  }
  const PluginIdentity& plugin() const override { return identity; }
  const std::string& config() const override { return text; }

  /// Runs instead of the usual answer; not for info.
  void script(Script next) {
    std::lock_guard lock(mutex);
    script_ = std::move(next);
  }
  /// The kinds of every batch so far.
  std::vector<std::vector<std::uint32_t>> batches() {
    std::lock_guard lock(mutex);
    return batches_;
  }
  bool wait_for_batches(std::size_t n) {
    std::unique_lock lock(mutex);
    return changed.wait_for(lock, std::chrono::seconds(10), [&] { return batches_.size() >= n; });
  }

  static void answer(std::span<stile_op* const> ops, Status status = Status::ok) {
    for (stile_op* op : ops) op->status = static_cast<std::int32_t>(status);
  }

  std::mutex mutex;
  std::condition_variable changed;
  int connects = 0, refusals = 0;
  std::vector<std::uint64_t> interrupts;
  stile_limits limits{};
  std::vector<stile_text> capabilities;
  std::atomic<bool> unprepared{false};
  PluginIdentity identity;
  std::string text = "scripted:";

 private:
  class ScriptedLink final : public Link {
   public:
    explicit ScriptedLink(ScriptedBackend& backend) : backend_(backend) {}
    Fate execute(const stile_call& call, std::span<stile_op* const> ops) noexcept override {
      if (ops.size() == 1 && ops[0]->kind == STILE_OP_INFO) return info(*ops[0]);
      Script script;
      {
        std::lock_guard lock(backend_.mutex);
        auto& batch = backend_.batches_.emplace_back();
        for (const stile_op* op : ops) batch.push_back(op->kind);
        script = backend_.script_;
        backend_.changed.notify_all();
      }
      if (script) return script(call, ops);
      answer(ops);
      return Fate::keep;
    }
    void interrupt(std::uint64_t serial) noexcept override {
      std::lock_guard lock(backend_.mutex);
      backend_.interrupts.push_back(serial);
      backend_.changed.notify_all();
    }

   private:
    Fate info(stile_op& op) {
      auto* result = static_cast<stile_info_result*>(op.result);
      result->limits = &backend_.limits;
      result->capabilities = backend_.capabilities.data();
      result->n_capabilities = backend_.capabilities.size();
      op.status = backend_.unprepared ? STILE_UNPREPARED : STILE_OK;
      return Fate::keep;
    }
    ScriptedBackend& backend_;
  };

  Script script_;
  std::vector<std::vector<std::uint32_t>> batches_;
};

/// A door that a script waits at until the test opens it; with a bound, so that no test hangs.
class Gate {
 public:
  void open() {
    std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  bool wait() {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(10), [&] { return open_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = false;
};

/// Waits for a condition, with a bound.
template <class Condition>
bool eventually(Condition condition, std::chrono::milliseconds bound = std::chrono::seconds(10)) {
  auto end = std::chrono::steady_clock::now() + bound;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::yield();
  }
  return true;
}

}  // namespace stile::store

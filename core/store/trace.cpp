// The trace layer: every operation and its answer, to the log at debug and to the Observer.
//
// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <string>

#include "stile/log.hpp"
#include "store/operation.hpp"
#include "store/relay.hpp"

namespace stile::store {
namespace {

class TraceLink final : public Link {
 public:
  TraceLink(std::unique_ptr<Link> inner, const Backend& backend) : inner_(std::move(inner)), backend_(backend) {}

  Fate execute(const stile_call& call, std::span<stile_op* const> ops) noexcept override {
    auto start = std::chrono::steady_clock::now();
    Fate fate = inner_->execute(call, ops);
    tell(std::chrono::ceil<Duration>(std::chrono::steady_clock::now() - start), ops);
    return fate;
  }
  void interrupt(std::uint64_t serial) noexcept override { inner_->interrupt(serial); }

 private:
  void tell(Duration took, std::span<stile_op* const> ops) {
    auto watcher = observer();
    bool logged = logs(LogLevel::debug);
    if (!watcher && !logged) return;
    std::string length = std::to_string(took.count()), size = std::to_string(ops.size());
    for (const stile_op* op : ops) {
      auto status = static_cast<Status>(op->status);
      if (watcher) watcher->operation({backend_.config(), codec::op_name(op->kind), status, ops.size(), took});
      if (logged)
        log(LogLevel::debug, codec::op_name(op->kind),
            {{"status", name_of(status)}, {"error", view(op->error)}, {"us", length}, {"batch", size}});
    }
  }

  std::unique_ptr<Link> inner_;
  const Backend& backend_;  // which owns what made this link, and outlives it
};

class TraceBackend final : public Relay {
 public:
  using Relay::Relay;
  std::unique_ptr<Link> connect(Deadline deadline) override {
    return std::make_unique<TraceLink>(inner().connect(deadline), *this);
  }
};

}  // namespace

std::shared_ptr<Backend> trace_layer(std::shared_ptr<Backend> inner) {
  return std::make_shared<TraceBackend>(std::move(inner));
}

}  // namespace stile::store

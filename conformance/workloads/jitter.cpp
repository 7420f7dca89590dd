// Yields before and after some of the calls.
//
// SPDX-License-Identifier: Apache-2.0
#include "workloads/jitter.hpp"

#include <atomic>
#include <random>
#include <thread>

#include "store/relay.hpp"

namespace stile::conformance::workloads {
namespace {

class JitterLink final : public store::Link {
 public:
  JitterLink(std::unique_ptr<store::Link> inner, std::uint64_t seed) : inner_(std::move(inner)), random_(seed) {}

  store::Fate execute(const stile_call& call, std::span<stile_op* const> ops) noexcept override {
    yield();
    store::Fate fate = inner_->execute(call, ops);
    yield();
    return fate;
  }
  void interrupt(std::uint64_t serial) noexcept override { inner_->interrupt(serial); }

 private:
  void yield() {
    for (auto times = random_() % 8; times > 4; --times) std::this_thread::yield();
  }

  std::unique_ptr<store::Link> inner_;
  std::minstd_rand random_;
};

class JitterBackend final : public store::Relay {
 public:
  JitterBackend(std::shared_ptr<store::Backend> inner, std::uint64_t seed) : Relay(std::move(inner)), seed_(seed) {}
  std::unique_ptr<store::Link> connect(Deadline deadline) override {
    return std::make_unique<JitterLink>(inner().connect(deadline), ++seed_);
  }

 private:
  std::atomic<std::uint64_t> seed_;
};

}  // namespace

std::shared_ptr<store::Backend> with_jitter(std::shared_ptr<store::Backend> inner, std::uint64_t seed) {
  return std::make_shared<JitterBackend>(std::move(inner), seed);
}

}  // namespace stile::conformance::workloads

// The handle as a backend: the verb with pooling, batching and sending again behind it.
//
// SPDX-License-Identifier: Apache-2.0
#include "store/pooled.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "store/operation.hpp"

namespace stile::store {
namespace {

using namespace std::chrono_literals;

/// A request in memory of its own, as a foreign caller would keep it.
struct Foreign {
  template <class Request>
  explicit Foreign(const Request& request) {
    detail::put_request(*slot.get(), request);
  }
  stile_op* op() const { return &slot.get()->op(); }
  template <class Request>
  Result<typename Request::Answer> answer() const {
    return detail::take_answer<Request>(*slot.get());
  }
  detail::Slot slot;
};

stile_call call_of(std::uint64_t serial, std::chrono::milliseconds span = 20s) {
  return {sizeof(stile_call), 0, serial, abi_of(std::chrono::steady_clock::now() + span)};
}

TEST(Pooled, AnswersLandInTheCallersMemory) {
  auto link = pooled(stile::open("memory:"))->connect(Deadline::max());
  Foreign put(Put{.key = "k", .value = "v"}), get(Get{"k"}), none(Get{"none"}), after(Get{"k"});
  after.op()->must = STILE_MUST_AFTER_OK;
  stile_op* ops[] = {put.op(), get.op(), none.op(), after.op()};
  EXPECT_EQ(link->execute(call_of(1), ops), Fate::keep);
  EXPECT_TRUE(put.answer<Put>().ok());
  EXPECT_EQ(get.answer<Get>()->value, "v");
  EXPECT_EQ(none.answer<Get>().status(), Status::not_found);
  EXPECT_EQ(after.answer<Get>().status(), Status::skipped);
  Foreign first(Get{"k"});
  first.op()->must = STILE_MUST_AFTER_OK;
  stile_op* alone[] = {first.op()};
  link->execute(call_of(2), alone);
  EXPECT_EQ(first.answer<Get>().status(), Status::invalid) << "nothing before it (R3)";
}

TEST(Pooled, LossesBelowAreSettledHere) {
  auto backend = pooled(stile::open("chaos+memory:?chaos.seed=9&chaos.lose_reply=0.3&chaos.lose_request=0.2"));
  auto link = backend->connect(Deadline::max());
  for (std::uint64_t i = 1; i <= 60; ++i) {
    std::string key = std::to_string(i);
    Foreign put(Put{.key = key, .value = "v", .condition = If::absent()});
    stile_op* ops[] = {put.op()};
    link->execute(call_of(i), ops);
    EXPECT_TRUE(put.answer<Put>().ok()) << put.answer<Put>().failure().text;
  }
}

TEST(Pooled, InterruptReachesAWaitingCallAndNoLaterOne) {
  auto backend = pooled(stile::open("memory:"));
  auto link = backend->connect(Deadline::max());
  Foreign receive(Receive{.lease = 1s, .wait = 1h});
  std::thread waiter([&] {
    stile_op* ops[] = {receive.op()};
    link->execute(call_of(5, 60s), ops);
  });
  link->interrupt(5);  // before it begins or while it waits
  waiter.join();
  EXPECT_EQ(receive.answer<Receive>().status(), Status::interrupted);
  Foreign get(Get{"k"});
  stile_op* ops[] = {get.op()};
  link->execute(call_of(6), ops);
  EXPECT_EQ(get.answer<Get>().status(), Status::not_found);
}

TEST(Pooled, ManyLinksShareOneHandle) {
  auto backend = pooled(stile::open("memory:"));
  std::atomic<int> wins{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      auto link = backend->connect(Deadline::max());
      for (std::uint64_t i = 1; i <= 200; ++i) {
        std::string key = std::to_string(i);
        Foreign put(Put{.key = key, .value = "v", .condition = If::absent()});
        stile_op* ops[] = {put.op()};
        link->execute(call_of(i), ops);
        wins += put.op()->status == STILE_OK;
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(wins, 200);
}

}  // namespace
}  // namespace stile::store

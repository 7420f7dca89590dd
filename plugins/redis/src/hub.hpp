// Waiting for news: one connection of the process, and one thread, for all calls of a store that wait.
//
// A waiting receiver registers the hub's channel in the script that finds nothing (bells.lua); whoever makes a wakeup
// ready publishes to one such channel, and the hub wakes one receiver here. News are hints: every waiting call looks by
// itself when the next wakeup is due, and at the latest after `fallback` (W5).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "link.hpp"
#include "stile/sdk/waiting.hpp"

namespace stile::redis {

class Hub {
 public:
  /// pass_on: rings another process for a queue that nobody waits for here any more.
  Hub(Address address, std::string channel, std::string clock_channel, std::function<void(std::string_view)> pass_on);
  ~Hub();

  /// Starts the thread, where it does not run yet, and waits a moment for it to be subscribed.
  void start(std::int64_t deadline);

  sdk::WaitingRoom& room() { return room_; }
  const std::string& channel() const { return channel_; }

  /// Counts receivers by queue. leave answers the queues that nobody waits for any more.
  void enter(const std::vector<std::string>& queues);
  std::vector<std::string> leave(const std::vector<std::string>& queues);
  /// Do others than the one who asks wait for it?
  bool others_wait(const std::string& queue);
  /// Since when this process has been waiting, without a break: its place in every line.
  std::int64_t since();

 private:
  void work();
  void listen(Link& link);
  void hear(std::string_view message);
  bool stopping() const { return stop_.load(); }

  const Address address_;
  const std::string channel_, clock_channel_;
  const std::function<void(std::string_view)> pass_on_;
  sdk::WaitingRoom room_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, int, std::less<>> counts_;
  std::int64_t since_ = 0;
  bool subscribed_ = false;
  std::atomic<bool> stop_{false};
  int wake_ = -1;
  std::thread thread_;
};

}  // namespace stile::redis

// Ending on SIGINT, SIGTERM, SIGHUP, and on an output that nobody reads: cleanly, and within a second.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <thread>

namespace stile::cli {

/// Watches for the signals that end a program, on a thread of its own. Made before any other thread, so that no other
/// one gets them.
class Stop {
 public:
  Stop();
  ~Stop();
  Stop(const Stop&) = delete;
  Stop& operator=(const Stop&) = delete;

  /// True once the program should end.
  bool requested() const { return status_.load() != 0; }
  /// The exit status then: 128 + the signal, or what request said.
  int status() const { return status_.load(); }
  /// Readable once the program should end: for poll.
  int fd() const { return requested_; }

  /// Asks for the end. Any thread; the first one counts.
  void request(int status);

  /// Something to do when the end is asked for, on the thread that watches; at once when it was. It runs until
  /// forgotten by its number, and must be quick.
  int add(std::function<void()> action);
  void forget(int number);

 private:
  void watch();
  void run_actions();

  std::atomic<int> status_{0};
  int signals_ = -1, requested_ = -1, finished_ = -1;
  std::mutex mutex_;  // guards the actions; held while they run
  std::map<int, std::function<void()>> actions_;
  int next_ = 0;
  std::thread thread_;
};

}  // namespace stile::cli

// A child process that does one thing with a store, so that a plugin that crashes or hangs takes nobody with it.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <string>

#include "runner/sanitizer.hpp"
#include "stile/types.hpp"

namespace stile::conformance {

/// How a child ended.
struct Ended {
  bool complete = false;   ///< it said all it had to say
  bool timed_out = false;  ///< killed at its limit
  int wait_status = 0;     ///< of waitpid
  std::string said;        ///< what its body returned, where complete
  std::string noise;       ///< the end of what it wrote to standard output and error
  std::string sanitizer;   ///< what a sanitizer said in it
  std::string at;          ///< where not complete: what it was at, by its own words (say_at)
  Duration took{0};

  /// "killed by signal 11 (Segmentation fault)", "ended by itself with status 3".
  std::string how() const;
};

/// One running child. What a sanitizer says in a child of a child goes on to that one's parent. The parent must have a
/// single thread: nothing else may hold a lock at the fork.
class Child {
 public:
  /// Runs body in a child and sends home what it returns. Throws std::system_error where no process can be had.
  Child(const std::function<std::string()>& body, Duration limit);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// What to poll for reading; -1 once closed.
  int said_fd() const { return said_fd_; }
  int noise_fd() const { return noise_fd_; }
  std::chrono::steady_clock::time_point kill_at() const { return begun_ + limit_; }

  /// Reads what is there, kills it at its limit; true once it has ended.
  bool step();
  Ended take() { return std::move(ended_); }
  /// Ends it and everything it started.
  void kill();

 private:
  void read_from(int& fd, std::string& into, std::size_t most);

  pid_t pid_ = -1;
  std::string full_stop_;    // ends what it says; drawn, so that nothing but its own body can say it
  void* said_at_ = nullptr;  // a page that both see
  int said_fd_ = -1, noise_fd_ = -1;
  std::chrono::steady_clock::time_point begun_;
  Duration limit_;
  SanitizerReport report_;
  std::string heard_;
  Ended ended_;
};

/// In a child: what it said last by say_at (check.hpp).
std::string said_at();

/// Runs one child to its end, or until give_up answers anything but 0: then it is killed.
Ended run_child(const std::function<std::string()>& body, Duration limit, int (*give_up)());

}  // namespace stile::conformance

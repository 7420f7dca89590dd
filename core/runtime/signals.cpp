// SIGINT, SIGTERM and SIGHUP as a stop_token.
//
// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <stop_token>
#include <system_error>
#include <thread>

#include "stile/worker.hpp"

namespace stile {
inline namespace v1 {
namespace {

int wake_pipe[2] = {-1, -1};
pid_t owner = 0;
// A hangup that is ignored (nohup) stays ignored, and a handler that the program has for it (read the settings again)
// stays its own.
bool hangup_is_ours = false;

// Async-signal-safe: a byte into the pipe, and the next signal is the system's again. A child that was forked and has
// not called exec yet has this handler, and the pipe, too: the signal is meant for the child, so it ends.
void on_signal(int number) {
  int saved = errno;
  struct sigaction plain {};
  plain.sa_handler = SIG_DFL;
  sigaction(SIGINT, &plain, nullptr);
  sigaction(SIGTERM, &plain, nullptr);
  if (hangup_is_ours) sigaction(SIGHUP, &plain, nullptr);
  if (getpid() == owner) {
    [[maybe_unused]] ssize_t written = write(wake_pipe[1], "x", 1);
  } else {
    raise(number);
  }
  errno = saved;
}

std::stop_source install() {
  if (pipe2(wake_pipe, O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  owner = getpid();
  std::stop_source stop;
  // A stop_callback may do anything, which a signal handler may not: so a thread of its own requests the stop.
  std::thread([stop]() mutable {
    char byte;
    ssize_t got;
    do {
      got = read(wake_pipe[0], &byte, 1);
    } while (got < 0 && errno == EINTR);
    stop.request_stop();
  }).detach();
  struct sigaction ours {};
  ours.sa_handler = on_signal;
  ours.sa_flags = SA_RESTART;
  sigaction(SIGINT, &ours, nullptr);
  sigaction(SIGTERM, &ours, nullptr);
  struct sigaction hangup {};
  hangup_is_ours = sigaction(SIGHUP, nullptr, &hangup) == 0 && hangup.sa_handler == SIG_DFL;
  if (hangup_is_ours) sigaction(SIGHUP, &ours, nullptr);
  return stop;
}

}  // namespace

std::stop_token stop_on_signals() {
  static std::stop_source stop = install();
  return stop.get_token();
}

}  // namespace v1
}  // namespace stile

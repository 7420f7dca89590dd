// Ending on signals.
//
// SPDX-License-Identifier: Apache-2.0
#include "cli/stop.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <chrono>
#include <system_error>
#include <utility>

namespace stile::cli {
namespace {

// What is still running then is left: a statement in a disk write, a server that does not answer.
constexpr int grace_milliseconds = 700;

int check(int result, const char* what) {
  if (result < 0) throw std::system_error(errno, std::generic_category(), what);
  return result;
}

void raise_event(int fd) {
  if (eventfd_write(fd, 1) != 0) _exit(1);  // cannot be: the counter is far from its end
}

bool readable(int fd, int milliseconds) {
  pollfd one{fd, POLLIN, 0};
  return poll(&one, 1, milliseconds) == 1;
}

}  // namespace

Stop::Stop() {
  sigset_t set;
  sigemptyset(&set);
  for (int number : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&set, number);
  // Under nohup a hangup is to be ignored; blocked, it would arrive.
  struct sigaction hangup {};
  if (sigaction(SIGHUP, nullptr, &hangup) == 0 && hangup.sa_handler == SIG_IGN) sigdelset(&set, SIGHUP);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  signal(SIGPIPE, SIG_IGN);  // an output that is closed is an error of write
  signals_ = check(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK), "signalfd");
  requested_ = check(eventfd(0, EFD_CLOEXEC), "eventfd");
  finished_ = check(eventfd(0, EFD_CLOEXEC), "eventfd");
  thread_ = std::thread([this] { watch(); });
}

Stop::~Stop() {
  raise_event(finished_);
  thread_.join();
  for (int fd : {signals_, requested_, finished_}) close(fd);
}

void Stop::request(int status) {
  int none = 0;
  if (status_.compare_exchange_strong(none, status)) raise_event(requested_);
}

int Stop::add(std::function<void()> action) {
  std::lock_guard lock(mutex_);
  if (requested()) action();
  actions_.emplace(++next_, std::move(action));
  return next_;
}

void Stop::forget(int number) {
  std::lock_guard lock(mutex_);
  actions_.erase(number);
}

void Stop::run_actions() {
  std::lock_guard lock(mutex_);
  for (auto& [number, action] : actions_) action();
}

void Stop::watch() {
  using namespace std::chrono;
  bool acted = false;
  steady_clock::time_point last{};
  for (;;) {
    int left = -1;
    if (acted) {
      left = static_cast<int>(duration_cast<milliseconds>(last - steady_clock::now()).count());
      if (left <= 0) _exit(status());
    }
    pollfd all[] = {{finished_, POLLIN, 0}, {signals_, POLLIN, 0}, {acted ? -1 : requested_, POLLIN, 0}};
    poll(all, std::size(all), left);
    if (readable(finished_, 0)) return;
    signalfd_siginfo info;
    if (read(signals_, &info, sizeof(info)) == sizeof(info)) {
      if (requested()) _exit(status());  // asked twice
      request(128 + static_cast<int>(info.ssi_signo));
    }
    if (!requested() || acted) continue;
    acted = true;
    last = steady_clock::now() + milliseconds(grace_milliseconds);
    run_actions();
  }
}

}  // namespace stile::cli

// A child process that does one thing with a store, so that a plugin that crashes or hangs takes nobody with it.
//
// SPDX-License-Identifier: Apache-2.0
#include "runner/child.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <system_error>

#include "check.hpp"
#include "stile/types.hpp"
#include "types/pipe.hpp"

namespace stile::conformance {
namespace {

using Clock = std::chrono::steady_clock;

/// Where a child says what it is at. Its parent reads it only once the child is gone.
struct Blackboard {
  static constexpr std::size_t room = 2000;
  std::size_t length;
  char text[room];
};
std::atomic<Blackboard*> blackboard{nullptr};  // of this process, where it is a child

/// The full stop ends what a child says, so that one that dies in the middle of it is noticed.
[[noreturn]] void be_the_child(const std::function<std::string()>& body, const std::string& full_stop, int said,
                               int noise) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (int number : {SIGINT, SIGTERM, SIGHUP}) signal(number, SIG_DFL);
  int null = open("/dev/null", O_RDONLY);
  dup2(null, STDIN_FILENO);
  dup2(noise, STDOUT_FILENO);
  dup2(noise, STDERR_FILENO);
  std::string text = body();
  types::write_all(said, text);
  types::write_all(said, full_stop);
  // Nothing of the parent's is to be flushed or torn down here a second time.
  _exit(0);
}

}  // namespace

std::string Ended::how() const {
  if (timed_out) return "did not end within its limit";
  if (WIFSIGNALED(wait_status)) {
    int number = WTERMSIG(wait_status);
    return "killed by signal " + std::to_string(number) + " (" + strsignal(number) + ")";
  }
  std::string by = ended_by_sanitizer(WEXITSTATUS(wait_status), sanitizer, noise);
  if (!by.empty()) return by;
  return "ended by itself with status " + std::to_string(WEXITSTATUS(wait_status)) + " and no verdict";
}

void say_at(std::string_view what) {
  static std::mutex one_at_a_time;
  Blackboard* board = blackboard.load(std::memory_order_relaxed);
  if (!board) return;
  std::lock_guard lock(one_at_a_time);
  std::size_t length = std::min(what.size(), Blackboard::room);
  std::memcpy(board->text, what.data(), length);
  board->length = length;
}

std::string said_at() {
  Blackboard* board = blackboard.load(std::memory_order_relaxed);
  return board ? std::string(board->text, board->length) : std::string();
}

Child::Child(const std::function<std::string()>& body, Duration limit)
    : full_stop_("\n." + Id::random().text() + "\n"), begun_(Clock::now()), limit_(limit) {
  void* shared = mmap(nullptr, sizeof(Blackboard), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mmap");
  said_at_ = shared;
  auto said = types::make_pipe();
  auto noise = types::make_pipe();
  pid_ = fork();
  if (pid_ == 0) {
    blackboard = static_cast<Blackboard*>(said_at_);
    close(said[0]);
    close(noise[0]);
    be_the_child(body, full_stop_, said[1], noise[1]);
  }
  int failed = errno;
  close(said[1]);
  close(noise[1]);
  said_fd_ = said[0];
  noise_fd_ = noise[0];
  if (pid_ < 0) {
    close(said_fd_);
    close(noise_fd_);
    throw std::system_error(failed, std::generic_category(), "fork");
  }
  setpgid(pid_, pid_);
  fcntl(said_fd_, F_SETFL, O_NONBLOCK);
  fcntl(noise_fd_, F_SETFL, O_NONBLOCK);
}

Child::~Child() {
  if (pid_ > 0) {
    kill();
    waitpid(pid_, nullptr, 0);
  }
  munmap(said_at_, sizeof(Blackboard));
  if (said_fd_ >= 0) close(said_fd_);
  if (noise_fd_ >= 0) close(noise_fd_);
}

void Child::kill() {
  if (pid_ > 0) ::kill(-pid_, SIGKILL);
}

void Child::read_from(int& fd, std::string& into, std::size_t most) {
  char buffer[16384];
  while (fd >= 0) {
    ssize_t n = read(fd, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) return;
    if (n <= 0) {
      close(fd);
      fd = -1;
      return;
    }
    if (&fd == &noise_fd_) report_.hear({buffer, static_cast<std::size_t>(n)});
    into.append(buffer, static_cast<std::size_t>(n));
    if (into.size() > 2 * most) into.erase(0, into.size() - most);
  }
}

bool Child::step() {
  if (pid_ <= 0) return true;
  constexpr std::size_t most_said = std::size_t{64} << 20, most_noise = 16384;
  read_from(said_fd_, heard_, most_said);
  read_from(noise_fd_, ended_.noise, most_noise);
  // Killed before it is waited for, so that the number still names this child and its group.
  bool over = Clock::now() >= kill_at();
  if (over) kill();
  if (waitpid(pid_, &ended_.wait_status, over ? 0 : WNOHANG) != pid_) return false;
  ::kill(-pid_, SIGKILL);  // what it started goes with it
  pid_ = -1;
  read_from(said_fd_, heard_, most_said);
  read_from(noise_fd_, ended_.noise, most_noise);
  ended_.sanitizer = report_.text();
  // Said on, so that it is heard however many processes a check has made.
  if (blackboard.load() && !ended_.sanitizer.empty()) types::write_all(STDERR_FILENO, ended_.sanitizer);
  ended_.took = std::chrono::duration_cast<Duration>(Clock::now() - begun_);
  ended_.complete = heard_.ends_with(full_stop_);
  ended_.timed_out = over && !ended_.complete;
  if (!ended_.complete) {
    const auto* board = static_cast<const Blackboard*>(said_at_);
    ended_.at.assign(board->text, std::min(board->length, Blackboard::room));
  }
  if (ended_.complete) ended_.said = heard_.substr(0, heard_.size() - full_stop_.size());
  return true;
}

Ended run_child(const std::function<std::string()>& body, Duration limit, int (*give_up)()) {
  Child child(body, limit);
  while (!child.step()) {
    if (give_up() != 0) return {};
    std::array<pollfd, 2> fds{{{child.said_fd(), POLLIN, 0}, {child.noise_fd(), POLLIN, 0}}};
    poll(fds.data(), fds.size(), 20);
  }
  return child.take();
}

}  // namespace stile::conformance

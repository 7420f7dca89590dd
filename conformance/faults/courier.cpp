// The courier: a child that lives for one operation.
//
// SPDX-License-Identifier: Apache-2.0
#include "faults/courier.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "types/pipe.hpp"

namespace stile::conformance::faults {
namespace {

/// To the end of a line, not of the pipe: couriers that were forked later hold its other end too.
std::string read_line(int fd) {
  std::string text;
  char letter = 0;
  for (;;) {
    ssize_t n = read(fd, &letter, 1);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0 || letter == '\n') return text;
    text += letter;
  }
}

[[noreturn]] void carry_and_die(const Target& target, const std::string& ns, int request_fd, int done_fd) {
  const std::string text = read_line(request_fd);
  if (text.empty()) _exit(0);
  try {
    Client client(target.open(ns));
    client.call(json::parse(text).as_object());
    [[maybe_unused]] ssize_t n = write(done_fd, "x\n", 2);
    kill(getpid(), SIGKILL);
  } catch (const std::exception&) {
  }
  _exit(1);
}

}  // namespace

Courier::Courier(const Target& target, const std::string& ns) {
  auto request = types::make_pipe();
  auto done = types::make_pipe();
  pid_ = fork();
  if (pid_ < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (pid_ == 0) {
    close(request[1]);
    close(done[0]);
    carry_and_die(target, ns, request[0], done[1]);
  }
  close(request[0]);
  close(done[1]);
  request_fd_ = request[1];
  done_fd_ = done[0];
}

Courier::Courier(Courier&& from) noexcept
    : pid_(std::exchange(from.pid_, -1)),
      request_fd_(std::exchange(from.request_fd_, -1)),
      done_fd_(std::exchange(from.done_fd_, -1)) {}

Courier::~Courier() {
  if (request_fd_ >= 0) close(request_fd_);
  if (done_fd_ >= 0) close(done_fd_);
  if (pid_ <= 0) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

bool Courier::carry(const json::object& request) {
  const std::string text = json::serialize(request) + "\n";
  const bool sent = write(request_fd_, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  close(std::exchange(request_fd_, -1));
  const bool answered = read_line(done_fd_) == "x";
  int status = 0;
  waitpid(std::exchange(pid_, -1), &status, 0);
  return sent && answered && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
}

}  // namespace stile::conformance::faults

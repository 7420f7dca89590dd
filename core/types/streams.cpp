// The standard streams of a program.
//
// SPDX-License-Identifier: Apache-2.0
#include "types/streams.hpp"

#include <errno.h>  // program_invocation_short_name
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstring>

namespace stile::types {
namespace {

std::atomic<bool> lost_output{false};
std::atomic<bool> reader_gone{false};

bool failed(int error) {
  if (error == EPIPE) {
    reader_gone = true;
  } else if (!lost_output.exchange(true)) {
    std::fprintf(stderr, "%s: stdout: %s\n", program_invocation_short_name, std::strerror(error));
  }
  return false;
}

}  // namespace

void open_standard_streams() {
  for (int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(number, F_GETFD) >= 0 || errno != EBADF) continue;
    // Each lower number is in use by now, so this is the one it gets. Not closed on exec: children need it as well.
    if (open("/dev/null", O_RDONLY) < 0) _exit(127);  // NOLINT(android-cloexec-open)
  }
}

bool flush_output() {
  // An interrupted flush has lost what it held, for stdio forgets it.
  return std::fflush(stdout) == 0 || failed(errno);
}

bool write_output(std::string_view text) {
  if (!flush_output()) return false;
  while (!text.empty()) {
    ssize_t written = write(STDOUT_FILENO, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EAGAIN) {  // somebody else who has the same pipe made it so
      pollfd room{STDOUT_FILENO, POLLOUT, 0};
      poll(&room, 1, -1);
      continue;
    }
    if (written < 0) return failed(errno);
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

int finish_output(int status, int lost) {
  flush_output();
  // It failed inside stdio, which keeps no reason: what the descriptor says now.
  if (std::ferror(stdout) && !reader_gone && !lost_output) failed(write(STDOUT_FILENO, "", 0) < 0 ? errno : EIO);
  return lost_output && status == 0 ? lost : status;
}

}  // namespace stile::types

// Lines of an input.
//
// SPDX-License-Identifier: Apache-2.0
#include "cli/call/lines.hpp"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace stile::cli {
namespace {

constexpr std::size_t chunk = std::size_t{64} << 10;

}  // namespace

// Adds what is there; false at the end of the input.
bool Lines::fill() {
  pollfd both[] = {{fd_, POLLIN, 0}, {stop_fd_, POLLIN, 0}};
  while (poll(both, 2, -1) < 0)
    if (errno != EINTR) throw std::system_error(errno, std::generic_category(), "waiting for input");
  if (both[1].revents != 0) return false;
  std::size_t size = buffer_.size();
  buffer_.resize(size + chunk);
  ssize_t got = 0;
  do got = read(fd_, buffer_.data() + size, chunk);
  while (got < 0 && (errno == EINTR || errno == EAGAIN));
  int failed = errno;
  buffer_.resize(size + static_cast<std::size_t>(got > 0 ? got : 0));
  if (got < 0) throw std::system_error(failed, std::generic_category(), "reading the input");
  return got > 0;
}

std::optional<Lines::Line> Lines::next() {
  Line line;
  for (;;) {
    auto end = buffer_.find('\n', searched_);
    if (end != std::string::npos || (ended_ && !buffer_.empty())) {
      end = std::min(end, buffer_.size());
      line.too_long |= end > longest_;
      if (!line.too_long) line.text = buffer_.substr(0, end);
      buffer_.erase(0, end + 1);
      searched_ = 0;
      return line;
    }
    if (ended_) return line.too_long ? std::optional(line) : std::nullopt;
    searched_ = buffer_.size();
    if (searched_ > longest_) {
      line.too_long = true;
      buffer_.clear();
      searched_ = 0;
    }
    ended_ = !fill();
  }
}

}  // namespace stile::cli

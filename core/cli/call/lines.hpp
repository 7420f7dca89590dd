// Lines of an input that may be long, slow, or endless.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace stile::cli {

/// Reads a file descriptor line by line, and gives up as soon as another one is readable.
class Lines {
 public:
  /// Lines longer than longest are not kept.
  Lines(int fd, int stop_fd, std::size_t longest) : fd_(fd), stop_fd_(stop_fd), longest_(longest) {}

  struct Line {
    std::string text;
    bool too_long = false;
  };
  /// The next line without its end, the last one also when it has none; nothing at the end of the input and when the
  /// stop was readable. Throws std::system_error when the input cannot be read.
  std::optional<Line> next();

 private:
  bool fill();

  int fd_, stop_fd_;
  std::size_t longest_;
  std::string buffer_;
  std::size_t searched_ = 0;  // no line ends before here
  bool ended_ = false;
};

}  // namespace stile::cli

// Sockets of the proxy and of those who test it.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include "proxy/loop.hpp"

namespace stile::conformance::proxy {

/// A descriptor that is closed with it.
class Socket {
 public:
  explicit Socket(int fd = -1) : fd_(fd) {}
  ~Socket() { close(); }
  Socket(Socket&& from) noexcept : fd_(std::exchange(from.fd_, -1)) {}
  Socket& operator=(Socket&& from) noexcept {
    if (this != &from) {
      close();
      fd_ = std::exchange(from.fd_, -1);
    }
    return *this;
  }
  int fd() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  void close();
  /// Closes it so that the other end is told of a reset.
  void reset();

 private:
  int fd_;
};

/// On 127.0.0.1, at a free port. Throws std::system_error.
Socket listen_here();
std::string port_of(const Socket& listening);
/// Begins to connect, without waiting; no socket where that fails at once.
Socket begin_connect(const Endpoint& server);
void set_nonblocking(int fd);

}  // namespace stile::conformance::proxy

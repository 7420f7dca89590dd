// Sockets: listening, connecting, resetting.
//
// SPDX-License-Identifier: Apache-2.0
#include "proxy/sockets.hpp"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

namespace stile::conformance::proxy {

void Socket::close() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

void Socket::reset() {
  const linger at_once{1, 0};
  if (fd_ >= 0) setsockopt(fd_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  close();
}

void set_nonblocking(int fd) { fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK); }

Socket listen_here() {
  Socket made(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (!made || bind(made.fd(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
      listen(made.fd(), 64) != 0)
    throw std::system_error(errno, std::generic_category(), "listening on 127.0.0.1");
  set_nonblocking(made.fd());
  return made;
}

std::string port_of(const Socket& listening) {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  if (getsockname(listening.fd(), reinterpret_cast<sockaddr*>(&address), &size) != 0)
    throw std::system_error(errno, std::generic_category(), "getsockname");
  return std::to_string(ntohs(address.sin_port));
}

namespace {

Socket connect_to(int family, const sockaddr* address, socklen_t size) {
  Socket made(socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (made && connect(made.fd(), address, size) != 0 && errno != EINPROGRESS) made.close();
  const int on = 1;
  if (made && family != AF_UNIX) setsockopt(made.fd(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return made;
}

}  // namespace

Socket begin_connect(const Endpoint& server) {
  if (server.is_path()) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (server.host.size() >= sizeof address.sun_path) return Socket{};
    std::memcpy(address.sun_path, server.host.data(), server.host.size());
    return connect_to(AF_UNIX, reinterpret_cast<sockaddr*>(&address), sizeof address);
  }
  addrinfo hints{}, *found = nullptr;
  hints.ai_socktype = SOCK_STREAM;
  if (getaddrinfo(server.host.c_str(), server.port.c_str(), &hints, &found) != 0) return Socket{};
  Socket made;
  for (addrinfo* at = found; at && !made; at = at->ai_next)
    made = connect_to(at->ai_family, at->ai_addr, at->ai_addrlen);
  freeaddrinfo(found);
  return made;
}

}  // namespace stile::conformance::proxy

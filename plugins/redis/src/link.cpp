// A socket of our own, so that every step keeps its deadline; the protocol is read by hiredis.
//
// SPDX-License-Identifier: Apache-2.0
#include "link.hpp"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "stile/sdk/author.h"

namespace stile::redis {
namespace {

constexpr std::size_t read_size = 64 * 1024;

std::string text_of(int error) { return std::strerror(error); }

/// Milliseconds for poll until a deadline, rounded up; -1 = no bound.
int patience(std::int64_t deadline) {
  if (deadline == STILE_NEVER) return -1;
  const std::int64_t left = deadline - stile_monotonic();
  if (left <= 0) return 0;
  return static_cast<int>(std::min<std::int64_t>((left + 999) / 1000, 1 << 30));
}

short events_of(TlsStream::Wait wait) { return wait == TlsStream::Wait::to_write ? POLLOUT : POLLIN; }

}  // namespace

Link::Link(const Address& address, std::int64_t deadline)
    : reader_(redisReaderCreate(), [](redisReader* reader) { redisReaderFree(reader); }) {
  try {
    open(address, deadline);
    log_in(address, deadline);
  } catch (const NoServer& other) {
    ::close(socket_);
    throw Failure(STILE_UNSUPPORTED, other.text() + "; name the host and the port of a Redis or a Valkey");
  } catch (const Broken& broken) {
    if (socket_ >= 0) ::close(socket_);
    throw Failure(STILE_UNAVAILABLE, broken.text());
  } catch (...) {
    if (socket_ >= 0) ::close(socket_);
    throw;
  }
}

Link::~Link() { ::close(socket_); }

void Link::open(const Address& address, std::int64_t deadline) {
  std::string problem;
  if (!address.socket.empty()) {
    sockaddr_un where{};
    where.sun_family = AF_UNIX;
    if (address.socket.size() >= sizeof where.sun_path)
      throw Failure(STILE_INVALID, "socket= is longer than a unix socket's path can be");
    std::memcpy(where.sun_path, address.socket.data(), address.socket.size());
    const int made = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (made < 0) throw Failure(STILE_UNAVAILABLE, "no socket: " + text_of(errno));
    if (try_connect(made, &where, sizeof where, deadline, problem)) return;
    throw Failure(STILE_UNAVAILABLE, "no server at " + address.socket + ": " + problem);
  }
  for (const Host& host : address.hosts) {
    if (!try_open(host, deadline, problem)) continue;
    if (address.tls != nullptr) start_tls(*address.tls, host, deadline);
    return;
  }
  throw Failure(STILE_UNAVAILABLE, problem);
}

bool Link::try_open(const Host& host, std::int64_t deadline, std::string& problem) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const std::string name = host.name + ":" + host.port;
  if (const int failed = ::getaddrinfo(host.name.c_str(), host.port.c_str(), &hints, &found); failed != 0) {
    problem = "no address of " + name + ": " + ::gai_strerror(failed);
    return false;
  }
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> all(found, [](addrinfo* list) { ::freeaddrinfo(list); });
  for (const addrinfo* at = all.get(); at != nullptr; at = at->ai_next) {
    const int made = ::socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, at->ai_protocol);
    if (made < 0) continue;
    const int on = 1;
    ::setsockopt(made, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    ::setsockopt(made, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
    if (try_connect(made, at->ai_addr, at->ai_addrlen, deadline, problem)) return true;
  }
  problem = "no server at " + name + ": " + problem;
  return false;
}

bool Link::try_connect(int made, const void* where, unsigned size, std::int64_t deadline, std::string& problem) {
  socket_ = made;
  int error = 0;
  if (::connect(made, static_cast<const sockaddr*>(where), size) != 0) {
    error = errno;
    if (error == EINPROGRESS) {
      socklen_t length = sizeof error;
      if (!wait_for(POLLOUT, deadline))
        error = ETIMEDOUT;
      else
        ::getsockopt(made, SOL_SOCKET, SO_ERROR, &error, &length);
    }
  }
  if (error == 0) return true;
  problem = text_of(error);
  ::close(made);
  socket_ = -1;
  return false;
}

void Link::start_tls(const TlsContext& context, const Host& host, std::int64_t deadline) {
  auto stream = std::make_unique<TlsStream>(context, socket_, host.name);
  const std::string with = "TLS with " + host.name + ":" + host.port + ": ";
  for (;;) {
    const TlsStream::Moved moved = stream->shake_hands();
    if (!moved.problem.empty()) throw Failure(STILE_DENIED, with + moved.problem);
    if (moved.closed)
      throw Failure(STILE_UNAVAILABLE, with + "the server closed the connection: is this its TLS port?");
    if (moved.wait == TlsStream::Wait::none) break;
    if (!wait_for(events_of(moved.wait), deadline))
      throw Failure(STILE_UNAVAILABLE, with + "no answer by the deadline");
  }
  tls_ = std::move(stream);
}

TlsStream::Moved Link::send_some(const char* data, std::size_t size) {
  if (tls_ != nullptr) return tls_->send(data, size);
  TlsStream::Moved out;
  const auto sent = ::send(socket_, data, size, MSG_NOSIGNAL);
  if (sent >= 0)
    out.bytes = static_cast<std::size_t>(sent);
  else if (errno == EAGAIN || errno == EWOULDBLOCK)
    out.wait = TlsStream::Wait::to_write;
  else if (errno != EINTR)
    out.problem = text_of(errno);
  return out;
}

TlsStream::Moved Link::receive_some(char* to, std::size_t size) {
  if (tls_ != nullptr) return tls_->receive(to, size);
  TlsStream::Moved out;
  const auto got = ::recv(socket_, to, size, 0);
  if (got > 0)
    out.bytes = static_cast<std::size_t>(got);
  else if (got == 0)
    out.closed = true;
  else if (errno == EAGAIN || errno == EWOULDBLOCK)
    out.wait = TlsStream::Wait::to_read;
  else if (errno != EINTR)
    out.problem = text_of(errno);
  return out;
}

void Link::log_in(const Address& address, std::int64_t deadline) {
  std::size_t asked = 0;
  const auto add = [&](const Command& command) {
    put(command);
    ++asked;
  };
  if (!address.user.empty())
    add(Command::of("AUTH", address.user, address.secret));
  else if (!address.secret.empty())
    add(Command::of("AUTH", address.secret));
  if (address.database != 0) add(Command::of("SELECT", std::to_string(address.database)));
  add(Command::of("CLIENT", "SETNAME", address.client_name));
  for (std::size_t i = 0; i < asked; ++i) {
    const OwnedReply reply = next(deadline);
    const Reply answer(reply.get());
    if (!answer.is_error()) continue;
    Fault fault = fault_of(answer.text());
    // A user who may not name itself is no worse for it.
    if (i + 1 == asked && !(fault.drop && fault.status == STILE_DENIED)) continue;
    if (fault.status == STILE_INTERNAL)
      fault.status = fault.text.find("DB index") != std::string::npos ? STILE_INVALID : STILE_DENIED;
    throw Failure(fault.status, fault.text, fault.native);
  }
}

void Link::put(const Command& command) {
  command.append_to(out_);
  ++pending_;
}

bool Link::wait_for(short events, std::int64_t deadline) {
  for (;;) {
    pollfd one{socket_, events, 0};
    const int ready = ::poll(&one, 1, patience(deadline));
    if (ready > 0) return true;
    if (ready < 0 && errno == EINTR) continue;
    if (deadline != STILE_NEVER && stile_monotonic() < deadline) continue;
    return false;
  }
}

void Link::flush(std::int64_t deadline) {
  std::size_t done = 0;
  while (done < out_.size()) {
    const TlsStream::Moved moved = send_some(out_.data() + done, out_.size() - done);
    if (!moved.problem.empty()) throw Broken(sent_, "the connection broke while sending: " + moved.problem);
    if (moved.closed) throw Broken(sent_, "the server closed the connection");
    if (moved.bytes != 0) {
      done += moved.bytes;
      sent_ = true;
    } else if (moved.wait != TlsStream::Wait::none && !wait_for(events_of(moved.wait), deadline)) {
      throw Broken(sent_, "the server did not take the request by the deadline");
    }
  }
  out_.clear();
  if (out_.capacity() > (1u << 20)) out_.shrink_to_fit();
}

bool Link::read_some() {
  char buffer[read_size];
  for (;;) {
    const TlsStream::Moved moved = receive_some(buffer, sizeof buffer);
    if (!moved.problem.empty()) throw Broken(true, "the connection broke: " + moved.problem);
    if (moved.closed) throw Broken(true, "the server closed the connection");
    if (moved.bytes == 0 && moved.wait == TlsStream::Wait::none) continue;  // a signal
    if (moved.bytes == 0) return false;
    if (redisReaderFeed(reader_.get(), buffer, moved.bytes) != REDIS_OK)
      throw Broken(true, "out of memory for a reply");
    return true;
  }
}

OwnedReply Link::arrived() {
  void* reply = nullptr;
  if (redisReaderGetReply(reader_.get(), &reply) != REDIS_OK)
    throw NoServer(std::string("what answers there is no Redis: ") + reader_->errstr);
  return OwnedReply(static_cast<redisReply*>(reply));
}

OwnedReply Link::next(std::int64_t deadline) {
  flush(deadline);
  for (;;) {
    if (auto reply = arrived()) {
      if (--pending_ == 0) sent_ = false;
      return reply;
    }
    if (!read_some() && !wait_for(POLLIN, deadline)) throw Broken(true, "no reply by the deadline");
  }
}

OwnedReply Link::ask(const Command& command, std::int64_t deadline) {
  put(command);
  return next(deadline);
}

void Link::rest(int wake, std::int64_t deadline) {
  pollfd both[2] = {{socket_, POLLIN, 0}, {wake, POLLIN, 0}};
  ::poll(both, 2, patience(deadline));
  if ((both[0].revents & (POLLIN | POLLHUP | POLLERR)) != 0) read_some();
}

bool Link::fit() const {
  if (pending_ != 0 || !out_.empty()) return false;
  if (tls_ != nullptr) return !tls_->has_more();
  char byte;
  return ::recv(socket_, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

}  // namespace stile::redis

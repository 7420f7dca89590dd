// One connection to one server: connects, logs in, sends commands, reads replies, all by a deadline.
//
// Deadlines are CLOCK_MONOTONIC microseconds. Whatever breaks is thrown as Broken, and the link is of no use after it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "address.hpp"
#include "command.hpp"
#include "fault.hpp"
#include "reply.hpp"
#include "tls.hpp"

struct redisReader;

namespace stile::redis {

class Link {
 public:
  /// Connects to the first host that answers, and logs in. Throws Failure.
  Link(const Address& address, std::int64_t deadline);
  ~Link();
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  /// Adds a command to what the next flush sends.
  void put(const Command& command);
  /// Reads the next reply, in the order of the commands, after sending what was put. An error that the server answered
  /// is a reply like any other.
  OwnedReply next(std::int64_t deadline);
  /// put and next.
  OwnedReply ask(const Command& command, std::int64_t deadline);

  /// Sends what was put.
  void flush(std::int64_t deadline);
  /// Waits until a reply that nobody asked for may be there, until `wake` is readable, or until the deadline.
  void rest(int wake, std::int64_t deadline);
  /// A reply that is there already, or none.
  OwnedReply arrived();

  /// Idle, and neither closed by the server nor with anything unread: it may be used again.
  bool fit() const;

 private:
  void open(const Address& address, std::int64_t deadline);
  bool try_open(const Host& host, std::int64_t deadline, std::string& problem);
  bool try_connect(int descriptor, const void* where, unsigned size, std::int64_t deadline, std::string& problem);
  void log_in(const Address& address, std::int64_t deadline);
  void start_tls(const TlsContext& context, const Host& host, std::int64_t deadline);
  TlsStream::Moved send_some(const char* data, std::size_t size);
  TlsStream::Moved receive_some(char* to, std::size_t size);
  bool wait_for(short events, std::int64_t deadline);
  bool read_some();

  int socket_ = -1;
  std::unique_ptr<TlsStream> tls_;
  std::unique_ptr<redisReader, void (*)(redisReader*)> reader_;
  std::string out_;
  bool sent_ = false;  ///< some of what waits for a reply has left this host
  std::size_t pending_ = 0;
};

}  // namespace stile::redis

// A TCP proxy of our own, in a process of its own, that does to a connection what networks do.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <string>

#include "proxy/flow.hpp"
#include "proxy/loop.hpp"

namespace stile::conformance::proxy {

/// What it did so far, by the names of the faults, and connections, open, up_bytes, down_bytes, swallowed_bytes,
/// changes (of a network that comes and goes).
using Counts = std::map<std::string, std::uint64_t>;

/// Forked while this process has a single thread; listens on 127.0.0.1 and forwards to the server. Gone with this
/// object, or with this process.
class Proxy {
 public:
  explicit Proxy(const Endpoint& server);
  ~Proxy();
  Proxy(const Proxy&) = delete;
  Proxy& operator=(const Proxy&) = delete;

  const std::string& port() const { return port_; }

  /// From now on, for the connections there are and those to come, until the next one; it holds when this returns.
  Counts obey(const Rule& rule);
  /// Lets everything through again. What was muted or swallowed stays lost.
  Counts heal() { return obey({}); }
  /// Ends every connection there is.
  Counts drop(bool reset);
  Counts counts();

 private:
  Counts ask(const std::string& line);

  pid_t pid_ = -1;
  int control_ = -1;
  std::string port_;
};

}  // namespace stile::conformance::proxy

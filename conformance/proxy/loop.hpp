// The proxy's loop: one thread, one poll, every connection a pair of sockets with a buffer each way.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

namespace stile::conformance::proxy {

/// Where the server is: a host and a port, or the path of a Unix socket.
struct Endpoint {
  std::string host, port;

  bool is_path() const { return !host.empty() && host[0] == '/' && port.empty(); }
};

/// Serves a listening socket until the control socket is closed. Control: one line of JSON asks, one answers:
/// {"fault": "cut", "direction": "up", "after": 10, "period_us": 0, "connections": 1} or {"counts": true} or
/// {"drop": "cut"|"reset"} (every connection there is), answered by the counts.
void serve(int listening, int control, const Endpoint& server);

}  // namespace stile::conformance::proxy

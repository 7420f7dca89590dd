// Where the server is and who we are there, from a config string.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "stile/sdk/options.hpp"
#include "tls.hpp"

namespace stile::redis {

struct Host {
  std::string name;
  std::string port;
};

/// Everything that a connection needs to be made.
struct Address {
  std::vector<Host> hosts;
  std::string socket;  ///< the path of a unix socket; then there are no hosts
  std::string user;
  std::string secret;
  std::int64_t database = 0;
  std::string client_name;
  std::shared_ptr<const TlsContext> tls;  ///< none = not encrypted
};

/// Throws sdk::Refusal with the fix in its text.
Address address_of(const sdk::Config& config, std::string_view program);

}  // namespace stile::redis

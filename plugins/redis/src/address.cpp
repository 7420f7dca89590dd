// Reading a config string: redis-set://user:password@host:port/database, or redis-set:///path?socket=/run/redis.sock.
//
// SPDX-License-Identifier: Apache-2.0
#include "address.hpp"

#include <algorithm>
#include <charconv>

namespace stile::redis {
namespace {

std::int64_t database_of(std::string_view path) {
  if (path.empty()) return 0;
  std::int64_t number = -1;
  const auto [end, error] = std::from_chars(path.data(), path.data() + path.size(), number);
  if (error != std::errc{} || end != path.data() + path.size() || number < 0 || number > 65535)
    throw sdk::Refusal(STILE_INVALID, "the path of a Redis is the number of a database, as in //host:6379/0, not '" +
                                          std::string(path) + "'");
  return number;
}

/// Names of connections hold no blanks; CLIENT LIST shows them to operators.
std::string client_name_of(std::string_view program) {
  std::string out = "stile";
  if (!program.empty()) out += ':';
  for (const char c : program) out += c > ' ' && c < 127 ? c : '_';
  return out;
}

}  // namespace

Address address_of(const sdk::Config& config, std::string_view program) {
  Address out;
  const stile_config& raw = config.raw();
  out.socket = std::string(config.text("socket"));
  out.user = std::string(sdk::view(raw.user));
  out.secret = std::string(sdk::view(raw.secret));
  out.database = database_of(config.path());
  out.client_name = client_name_of(program);
  for (std::uint64_t i = 0; i < raw.n_hosts; ++i) {
    const auto port = sdk::view(raw.hosts[i].value);
    out.hosts.push_back({std::string(sdk::view(raw.hosts[i].key)), port.empty() ? "6379" : std::string(port)});
  }
  if (!out.socket.empty() && !out.hosts.empty())
    throw sdk::Refusal(STILE_INVALID, "either a host or socket=, not both");
  if (config.text("tls", "no") == "yes") {
    if (!out.socket.empty()) throw sdk::Refusal(STILE_INVALID, "a unix socket is not encrypted: leave tls out");
    out.tls = std::make_shared<TlsContext>(
        TlsSettings{std::string(config.text("tls_ca")), std::string(config.text("tls_cert")),
                    std::string(config.text("tls_key")), std::string(config.text("tls_name"))});
  }
  if (out.socket.empty() && out.hosts.empty()) out.hosts.push_back({"127.0.0.1", "6379"});
  if (!out.user.empty() && out.secret.empty())
    throw sdk::Refusal(STILE_INVALID,
                       "a user needs a password: //user:password@host; a password alone is //:password@host");
  return out;
}

}  // namespace stile::redis

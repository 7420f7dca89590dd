// Options and opening, the same for both plugins.
//
// SPDX-License-Identifier: Apache-2.0
#include "plugin.hpp"

namespace stile::redis {

namespace {

constexpr stile_option option(std::uint32_t type, std::string_view name, std::string_view usual,
                              std::string_view allowed, std::string_view help, std::int64_t most = 0,
                              std::int64_t least = 0) {
  const auto of = [](std::string_view text) { return stile_text{text.data(), text.size()}; };
  return {sizeof(stile_option), type, 0, 0, of(name), of(usual), of(allowed), of(help), least, most};
}

constexpr stile_option clock_option =
    option(STILE_OPTION_CHOICE, "clock", {}, "system|manual",
           "whose time it is: the server's, or one kept in the namespace that stands still until `advance` (default: "
           "what the namespace has; system for a new one)");
constexpr stile_option partitions_option =
    option(STILE_OPTION_INTEGER, "partitions", "1", {},
           "into how many parts, each in one slot of a cluster, the namespace is laid out; fixed by prepare", 1024, 1);
constexpr stile_option replicas_option =
    option(STILE_OPTION_INTEGER, "replicas", "0", {},
           "how many replicas must have received a write before it is answered; with fewer the answer is unknown", 16);
constexpr stile_option socket_option =
    option(STILE_OPTION_TEXT, "socket", {}, {}, "the path of the server's unix socket, instead of a host and a port");
constexpr stile_option tls_option =
    option(STILE_OPTION_CHOICE, "tls", "no", "no|yes", "whether the connection is encrypted, and the server checked");
constexpr stile_option tls_ca_option =
    option(STILE_OPTION_TEXT, "tls_ca", {}, {}, "a file of certificates to trust (default: those of the system)");
constexpr stile_option tls_cert_option =
    option(STILE_OPTION_TEXT, "tls_cert", {}, {}, "a file with this client's certificate");
constexpr stile_option tls_key_option = option(STILE_OPTION_TEXT, "tls_key", {}, {}, "a file with its key");
constexpr stile_option tls_name_option =
    option(STILE_OPTION_TEXT, "tls_name", {}, {}, "whom the server's certificate must be for (default: the host)");

}  // namespace

const stile_option* const all_options[9] = {&clock_option,    &partitions_option, &replicas_option,
                                            &socket_option,   &tls_option,        &tls_ca_option,
                                            &tls_cert_option, &tls_key_option,    &tls_name_option};

std::unique_ptr<Store> open_store(const stile_call& call, const sdk::Config& config, const Model& model,
                                  std::shared_ptr<Scripts> scripts, std::string_view program) {
  Settings settings;
  settings.address = address_of(config, program);
  settings.ns = std::string(config.ns());
  settings.partitions = static_cast<std::uint32_t>(config.integer("partitions", 1));
  settings.replicas = config.integer("replicas", 0);
  settings.clock = std::string(config.text("clock"));
  auto store = std::make_unique<Store>(std::move(settings), model, std::move(scripts));
  if (config.text("prepare", "check") == "auto") {
    Borrowed at(store->server(), call.deadline);
    store->prepare(at, false);
  }
  return store;
}

}  // namespace stile::redis

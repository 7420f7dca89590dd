// Options and opening, the same for both plugins.
//
// SPDX-License-Identifier: Apache-2.0
#include "plugin.hpp"

namespace stile::redis {

const stile_option clock_option = {
    sizeof(stile_option),
    STILE_OPTION_CHOICE,
    0,
    0,
    STILE_LIT("clock"),
    {nullptr, 0},
    STILE_LIT("system|manual"),
    STILE_LIT(
        "whose time it is: the server's, or one kept in the namespace that stands still until `advance` (default: "
        "what the namespace has; system for a new one)"),
    0,
    0};
const stile_option partitions_option = {
    sizeof(stile_option),
    STILE_OPTION_INTEGER,
    0,
    0,
    STILE_LIT("partitions"),
    STILE_LIT("1"),
    {nullptr, 0},
    STILE_LIT("into how many parts, each in one slot of a cluster, the namespace is laid out; fixed by prepare"),
    1,
    1024};
const stile_option replicas_option = {
    sizeof(stile_option),
    STILE_OPTION_INTEGER,
    0,
    0,
    STILE_LIT("replicas"),
    STILE_LIT("0"),
    {nullptr, 0},
    STILE_LIT("how many replicas must have received a write before it is answered; with fewer the answer is unknown"),
    0,
    16};
const stile_option socket_option = {sizeof(stile_option),
                                    STILE_OPTION_TEXT,
                                    0,
                                    0,
                                    STILE_LIT("socket"),
                                    {nullptr, 0},
                                    {nullptr, 0},
                                    STILE_LIT("the path of the server's unix socket, instead of a host and a port"),
                                    0,
                                    0};

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

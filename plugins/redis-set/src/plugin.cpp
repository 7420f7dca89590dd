// The redis-set plugin: what it says of itself.
//
// SPDX-License-Identifier: Apache-2.0
#include "plugin.hpp"

#include "model.hpp"

namespace stile::redis_set {
namespace {

constexpr stile_text schemes[] = {STILE_LIT("redis-set")};

constexpr stile_plugin table = sdk::make_table<redis::PluginOf<&model>>({
    .name = "redis-set",
    .version = STILE_REDIS_SET_VERSION,
    .help = "on a Redis or Valkey server, wakeups in sorted sets",
    .schemes = schemes,
    .options = redis::all_options,
    .capabilities = redis::all_capabilities,
    .flags = redis::plugin_flags,
    .license = "Apache-2.0",
});

}  // namespace
}  // namespace stile::redis_set

STILE_NOTE(1, 0, 1, 0, "redis-set", STILE_REDIS_SET_VERSION, "redis-set");
STILE_SDK_PLUGIN(stile::redis_set::table)

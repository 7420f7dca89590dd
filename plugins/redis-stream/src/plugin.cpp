// The redis-stream plugin: what it says of itself.
//
// SPDX-License-Identifier: Apache-2.0
#include "plugin.hpp"

#include "model.hpp"

namespace stile::redis_stream {
namespace {

constexpr stile_text schemes[] = {STILE_LIT("redis-stream")};

constexpr stile_plugin table = sdk::make_table<redis::PluginOf<&model>>({
    .name = "redis-stream",
    .version = STILE_REDIS_STREAM_VERSION,
    .help = "on a Redis or Valkey server, wakeups in a stream that consumer groups of others may read",
    .schemes = schemes,
    .options = redis::all_options,
    .capabilities = redis::all_capabilities,
    .flags = redis::plugin_flags,
    .license = "Apache-2.0",
});

}  // namespace
}  // namespace stile::redis_stream

STILE_NOTE(1, 0, 1, 0, "redis-stream", STILE_REDIS_STREAM_VERSION, "redis-stream");
STILE_SDK_PLUGIN(stile::redis_stream::table)

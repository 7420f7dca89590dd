// What this plugin adds to the common scripts, embedded at build.
//
// SPDX-License-Identifier: Apache-2.0
#include "model.hpp"

#include "stile_redis_stream_lua.hpp"

namespace stile::redis_stream {

const redis::Model& model() {
  static const redis::Model made{"redis-stream", STILE_REDIS_STREAM_VERSION, stile_redis_stream_lua::log,
                                 stile_redis_stream_lua::probe_log};
  return made;
}

}  // namespace stile::redis_stream

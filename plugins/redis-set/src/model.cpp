// What this plugin adds to the common scripts, embedded at build.
//
// SPDX-License-Identifier: Apache-2.0
#include "model.hpp"

#include "stile_redis_set_lua.hpp"

namespace stile::redis_set {

const redis::Model& model() {
  static const redis::Model made{"redis-set", STILE_REDIS_SET_VERSION, stile_redis_set_lua::no_log, {}};
  return made;
}

}  // namespace stile::redis_set

// The scripts of the index, embedded at build.
//
// SPDX-License-Identifier: Apache-2.0
#include "model.hpp"

#include "stile_redis_set_lua.hpp"

namespace stile::redis_set {

const redis::Model& model() {
  static const redis::Model made{"redis-set", STILE_REDIS_SET_VERSION, stile_redis_set_lua::index,
                                 stile_redis_set_lua::index_save, stile_redis_set_lua::index_meet};
  return made;
}

}  // namespace stile::redis_set

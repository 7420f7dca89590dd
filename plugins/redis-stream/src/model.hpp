// What this plugin adds to the common room.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scripts.hpp"

#define STILE_REDIS_STREAM_VERSION "0.1.0"

namespace stile::redis_stream {

const redis::Model& model();

}  // namespace stile::redis_stream

// What a server says of itself when it is connected to, and whether a store can be kept there.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "link.hpp"

namespace stile::redis {

struct Met {
  std::string server;              ///< kind and version, for people
  std::string replication_id;      ///< changes with every promotion and every restart
  std::string replication_before;  ///< the one that this server followed until it was promoted
  std::string durability;          ///< what an accepted write survives, in words (B8)
  bool libraries = false;          ///< it has FUNCTION
  bool durable = false;            ///< a power cut takes nothing that was acknowledged
};

/// Asks it. Throws Failure, with the fix in its text, where it is none that keeps a store safe (S5), and Broken.
Met meet(Link& link, std::int64_t deadline);

}  // namespace stile::redis

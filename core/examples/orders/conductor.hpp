// The conductor of the demo: starts the orders, herds and kills the workers, shows what happens, proves what happened.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <stop_token>
#include <string>

namespace orders {

struct Conduct {
  std::string config, ns, file, folder;
  unsigned workers = 4;
  unsigned most_kills = 40;
  unsigned most_orders = 0;  ///< 0 = all of the file
  std::optional<unsigned> seed;
  bool plain = false;  ///< no line that rewrites itself
  bool clean = false;  ///< forget the workflows at the end
};

/// The exit status: 0 proven, 1 not, 2 bad input, 130 interrupted, 10 + the status with which a store refused.
int conduct(const Conduct& options, std::stop_token stop);

}  // namespace orders

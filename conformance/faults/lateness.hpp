// How late something came to who waited for it, on a machine that may be busy.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json.hpp>
#include <cstdint>
#include <string_view>

#include "dialogue/standstill.hpp"

namespace stile::conformance::faults {

/// A member of an answer, 0 where it has none.
std::int64_t number_of(const boost::json::object& answer, std::string_view member);

class Lateness {
 public:
  static constexpr Duration allowed{50'000};          ///< D4, W4
  static constexpr Duration no_disturbance{400'000};  ///< more than a machine that is busy explains

  /// Of an answer that has just come to what was due then, both by the store's clock; less what nothing ran for.
  Duration of(const boost::json::object& answer, std::int64_t due);

  /// Plays it again where it came too late, for a machine that is busy makes anybody late; not often where nothing but
  /// the store explains it. play answers how late the latest was. True where a playing was in time.
  template <class Play>
  static bool in_time(const Play& play) {
    constexpr int tries = 12, grave_tries = 3;
    for (int tried = 0, grave = 0; tried < tries && grave < grave_tries; ++tried) {
      const Duration late = play();
      if (late <= allowed) return true;
      grave += late > no_disturbance ? 1 : 0;
    }
    return false;
  }

 private:
  Standstill standstill_;
};

}  // namespace stile::conformance::faults

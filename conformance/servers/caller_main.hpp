// A caller: a process of the suite that has the store open, so that it can be killed, frozen, and started with the
// environment that a driver wants for it.
//
// The first line on its input is its Job. Without a crowd it then answers lines: {"ask": an operation of `stile call`,
// "deadline": microseconds} by that operation's answer. With one it runs until the end of its input.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json.hpp>
#include <cstdint>
#include <string>
#include <string_view>

namespace stile::conformance::servers {

/// The first argument of this program that makes it a caller.
inline constexpr std::string_view caller_word = "--caller-of-a-check";

struct Job {
  std::string config, plugin_file, ns;
  std::string name;    ///< of this caller, in all that it writes
  std::string folder;  ///< for NAME.jsonl (the history), NAME.ledger and NAME.counters
  std::uint64_t seed = 0;
  unsigned threads = 0;       ///< of the crowd; 0 = none: lines
  std::int64_t lease = 0;     ///< microseconds, of what the crowd receives and acquires
  std::int64_t patience = 0;  ///< microseconds, of each of its calls
  std::uint64_t value_bytes = 16;
};

boost::json::object to_json(const Job& job);
Job job_from(const boost::json::object& line);

/// What such a process does; its exit status.
int caller_main();

}  // namespace stile::conformance::servers

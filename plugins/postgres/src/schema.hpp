// The schema on the server: which version is there, and how it is made.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "connection.hpp"
#include "texts.hpp"

namespace stile::postgres {

/// What this plugin creates, and the newest that it still works on (S1).
inline constexpr std::int64_t schema_version = 1;
inline constexpr std::int64_t newest_usable = schema_version + 1;

/// Which past a server has: another system, another timeline or an earlier place in it is another past (S2).
struct Past {
  std::int64_t system = 0;
  std::int64_t timeline = 0;
  std::int64_t place = 0;  ///< up to where its log is on disk
};

/// What a new connection finds.
struct Facts {
  bool prepared = false;
  bool direct = true;       ///< no pooler stands between
  std::int64_t schema = 0;  ///< 0 = absent
  std::int64_t epoch = 0;
  std::string server;  ///< its version, for people
  Past past;
  std::int64_t end = 0;  ///< of the log, on disk or not
  Past meta;             ///< what the epoch was last compared with
};

/// Looks, and sets what the session keeps; relaxed: its commits are not waited for. Throws StoreError where the server
/// cannot keep the store: a standby, too old, fsync off, a schema that is newer than this plugin knows.
Facts read_facts(Connection& connection, const Texts& texts, bool relaxed, std::int64_t deadline);

/// Creates or migrates, from any number of processes at once (S1). Answers whether it changed something; with
/// check_only whether it would.
bool prepare(Connection& connection, const Texts& texts, bool check_only, std::int64_t deadline);

}  // namespace stile::postgres

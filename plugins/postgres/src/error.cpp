// From SQLSTATEs to statuses and text.
//
// SPDX-License-Identifier: Apache-2.0
#include "error.hpp"

#include <algorithm>
#include <array>

namespace stile::postgres {
namespace {

struct Rule {
  std::string_view prefix;
  std::int32_t status;
};

// The first that the SQLSTATE begins with. What is not here is a bug of ours, or of the schema.
constexpr Rule rules[] =
    {
        {"08", STILE_UNAVAILABLE},     // connection exceptions
        {"0A000", STILE_UNSUPPORTED},  // also a cached plan of a changed type
        {"22P05", STILE_INVALID},     {"25006", STILE_READ_ONLY},  {"25P", STILE_UNAVAILABLE},
        {"28", STILE_DENIED},         {"3D000", STILE_UNPREPARED}, {"3F000", STILE_UNPREPARED},
        {"40", STILE_UNAVAILABLE},  // serialisation failures, deadlocks
        {"42501", STILE_DENIED},      {"42P01", STILE_UNPREPARED}, {"42704", STILE_UNPREPARED},
        {"42883", STILE_UNPREPARED},  {"53100", STILE_FULL},                                   // disk
        {"53200", STILE_FULL},                                                                 // memory
        {"53", STILE_UNAVAILABLE},    {"54000", STILE_TOO_LARGE},  {"55", STILE_UNAVAILABLE},  // locks
        {"57", STILE_UNAVAILABLE},  // cancelled, shutting down, starting up
        {"58030", STILE_UNAVAILABLE}, {"XX001", STILE_CORRUPT},    {"XX002", STILE_CORRUPT},
};

const char* advice_of(std::int32_t status) {
  switch (status) {
    case STILE_UNAVAILABLE: return "nothing was written; send it again";
    case STILE_FULL: return "nothing was written; make room on the server";
    case STILE_READ_ONLY:
      return "this server takes no writes: connect to the primary (target_session_attrs=read-write)";
    case STILE_DENIED: return "check the role and what is granted to it";
    case STILE_UNPREPARED: return "the schema is absent or older: run prepare";
    case STILE_CORRUPT: return "check the server's storage, or restore it from a backup";
    default: return nullptr;
  }
}

}  // namespace

std::int32_t status_of(std::string_view sqlstate) {
  const auto* const rule = std::find_if(std::begin(rules), std::end(rules), [&](const Rule& one) {
    return sqlstate.substr(0, one.prefix.size()) == one.prefix;
  });
  return rule == std::end(rules) ? STILE_INTERNAL : rule->status;
}

bool is_conflict(std::string_view sqlstate) {
  return sqlstate == "40001" || sqlstate == "40P01" || sqlstate == "55P03";
}

bool is_unprepared(std::string_view sqlstate) { return status_of(sqlstate) == STILE_UNPREPARED; }

bool ends_session(std::string_view sqlstate) {
  return sqlstate.substr(0, 2) == "08" || sqlstate.substr(0, 4) == "57P0" || sqlstate == "0A000";
}

StoreError error_of(std::string_view sqlstate, std::string_view message) {
  const std::int32_t status = status_of(sqlstate);
  while (!message.empty() && message.back() == '\n') message.remove_suffix(1);
  std::string text(message);
  if (const char* advice = advice_of(status)) text += std::string(": ") + advice;
  return StoreError(status, text, std::string(sqlstate));
}

}  // namespace stile::postgres

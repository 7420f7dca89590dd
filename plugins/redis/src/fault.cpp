// The server's errors, by their first word.
//
// SPDX-License-Identifier: Apache-2.0
#include "fault.hpp"

#include "stile/abi.h"

namespace stile::redis {
namespace {

struct Known {
  std::string_view word;
  std::int32_t status;
  bool drop;
  std::string_view advice;
};

// Each of these is answered before a script has written anything: it did not happen.
constexpr Known known[] = {
    {"LOADING", STILE_UNAVAILABLE, false, "the server is still reading its data"},
    {"BUSY", STILE_UNAVAILABLE, false, "the server is running somebody's long script"},
    {"MASTERDOWN", STILE_UNAVAILABLE, true, "the server has lost its primary"},
    {"CLUSTERDOWN", STILE_UNAVAILABLE, false, "the cluster serves no requests now"},
    {"TRYAGAIN", STILE_UNAVAILABLE, false, "the slot is being moved"},
    {"MOVED", STILE_UNAVAILABLE, true, "the slot lies on another node"},
    {"ASK", STILE_UNAVAILABLE, false, "the slot is being moved to another node"},
    {"NOREPLICAS", STILE_UNAVAILABLE, false, "too few replicas follow the primary"},
    {"READONLY", STILE_READ_ONLY, true, "this server is a replica: name the primary"},
    {"OOM", STILE_FULL, false, "the server is out of memory (maxmemory)"},
    {"MISCONF", STILE_FULL, false, "the server cannot save its data and takes no writes"},
    {"NOAUTH", STILE_DENIED, true, "the server wants a password: redis://user:password@host"},
    {"DENIED", STILE_DENIED, true, "the server lets nobody in from other machines: set a password, or bind it to one"},
    {"WRONGPASS", STILE_DENIED, true, "the server does not take this user and password"},
    {"NOPERM", STILE_DENIED, false, "this user may not do that: see the ACL in the README"},
    {"WRONGTYPE", STILE_CORRUPT, false, "a key of this namespace holds something of another type"},
    {"NOSCRIPT", STILE_UNAVAILABLE, false, "the server forgot a script"},
    {"CROSSSLOT", STILE_INTERNAL, false, "a script's keys lie in several slots"},
};

}  // namespace

Fault fault_of(std::string_view error) {
  const std::string_view word = error.substr(0, error.find(' '));
  for (const Known& one : known)
    if (one.word == word)
      return {one.status, std::string(one.advice) + ": " + std::string(error), std::string(word), one.drop};
  // Before 7.0 an error inside a script comes wrapped; what it says stands behind, now and then after a sign.
  for (const Known& one : known) {
    const std::string name = std::string(one.word) + " ";
    if (error.find(" " + name) == std::string_view::npos && error.find("-" + name) == std::string_view::npos) continue;
    return {one.status, std::string(one.advice) + ": " + std::string(error), std::string(one.word), one.drop};
  }
  if (error.find("unknown command") != std::string_view::npos || error.find("Unknown Redis command") != error.npos)
    return {STILE_UNSUPPORTED, "the server lacks a command that the store needs: " + std::string(error),
            std::string(word), false};
  if (error.find("max number of clients") != std::string_view::npos)
    return {STILE_UNAVAILABLE, "the server has as many clients as it may: " + std::string(error), std::string(word),
            true};
  return {STILE_INTERNAL, "the server answered: " + std::string(error), std::string(word), false};
}

bool is_no_script(std::string_view error) {
  return error.substr(0, 8) == "NOSCRIPT" || error == "ERR Function not found";
}

}  // namespace stile::redis

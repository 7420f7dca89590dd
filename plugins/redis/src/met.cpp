// Reading INFO.
//
// SPDX-License-Identifier: Apache-2.0
#include "met.hpp"

#include <charconv>

#include "stile/abi.h"

namespace stile::redis {
namespace {

/// The value of a line `name:value`.
std::string_view line_of(std::string_view info, std::string_view name) {
  const auto at = info.find("\n" + std::string(name) + ":");
  if (at == std::string_view::npos) return {};
  const auto from = at + name.size() + 2;
  return info.substr(from, info.find('\r', from) - from);
}

int number_of(std::string_view text) {
  int out = 0;
  std::from_chars(text.data(), text.data() + text.size(), out);
  return out;
}

bool before(std::string_view version, int wanted_major, int wanted_minor) {
  const auto dot = version.find('.');
  const int major = number_of(version.substr(0, dot));
  const int minor = dot == std::string_view::npos ? 0 : number_of(version.substr(dot + 1));
  return major < wanted_major || (major == wanted_major && minor < wanted_minor);
}

void refuse_error(const Reply& reply) {
  if (!reply.is_error()) return;
  const Fault fault = fault_of(reply.text());
  throw Failure(fault.status, fault.text, fault.native);
}

void check(std::string_view info, std::string_view version) {
  if (version.empty()) throw Failure(STILE_UNSUPPORTED, "this server does not say that it is a Redis or a Valkey");
  if (before(version, 6, 2))
    throw Failure(STILE_UNSUPPORTED, "Redis 6.2 or newer is needed, and this is " + std::string(version));
  if (line_of(info, "loading") == "1")
    throw Failure(STILE_UNAVAILABLE, "the server is still reading its data", "LOADING");
  if (line_of(info, "redis_mode") == "sentinel")
    throw Failure(STILE_UNSUPPORTED, "this is a Sentinel, which keeps no data: name the server it watches");
  if (line_of(info, "cluster_enabled") == "1")
    throw Failure(STILE_UNSUPPORTED,
                  "this server is part of a cluster, whose slots this version does not follow: name one with "
                  "cluster-enabled no");
  if (line_of(info, "role") == "slave")
    throw Failure(STILE_READ_ONLY,
                  "this server is a replica, of " + std::string(line_of(info, "master_host")) + ":" +
                      std::string(line_of(info, "master_port")) + ": name the primary",
                  "READONLY");
  const auto policy = line_of(info, "maxmemory_policy");
  if (policy.substr(0, 8) == "allkeys-")
    throw Failure(STILE_UNSUPPORTED, "this server evicts keys when it is full, of this store too (maxmemory-policy " +
                                         std::string(policy) + "): set maxmemory-policy noeviction");
}

void read_durability(Met& met, std::string_view info, std::string_view fsync) {
  if (line_of(info, "aof_enabled") != "1") {
    met.durability = "a kill of the server loses what was written since its last snapshot: appendonly is off";
  } else if (fsync == "always") {
    met.durability = "an accepted write survives a power cut: appendfsync always";
    met.durable = true;
  } else if (fsync == "everysec") {
    met.durability = "a power cut of the server may take the last second or more: appendfsync everysec";
  } else if (fsync.empty()) {
    met.durability = "not known: this user may not read CONFIG";
  } else {
    met.durability = "a power cut of the server may take what its system had not written: appendfsync no";
  }
}

}  // namespace

Met meet(Link& link, std::int64_t deadline) {
  link.put(Command::of("INFO"));
  link.put(Command::of("CONFIG", "GET", "appendfsync"));
  const OwnedReply said = link.next(deadline), fsync = link.next(deadline);
  const Reply answer(said.get()), setting(fsync.get());
  refuse_error(answer);
  // While it loads it answers the first and not the second. One who may not read CONFIG is no error.
  if (setting.is_error() && fault_of(setting.text()).status == STILE_UNAVAILABLE) refuse_error(setting);
  const std::string_view info = answer.text(), version = line_of(info, "redis_version");
  check(info, version);
  Met out;
  const auto valkey = line_of(info, "valkey_version");
  out.server = valkey.empty() ? "Redis " + std::string(version) : "Valkey " + std::string(valkey);
  out.libraries = !before(version, 7, 0);
  out.replication_id = line_of(info, "master_replid");
  out.replication_before = line_of(info, "master_replid2");
  read_durability(out, info, setting[1].text());
  return out;
}

}  // namespace stile::redis

// Judging owners and modes, from a place up to the root.
//
// SPDX-License-Identifier: Apache-2.0
#include "loader/trust.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>

#include "types/text.hpp"

namespace stile::loader {
namespace {

namespace fs = std::filesystem;

std::optional<Ownership> ownership_of(const fs::path& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return std::nullopt;
  return Ownership{status.st_uid, status.st_gid, status.st_mode};
}

}  // namespace

Trust Trust::of_process() {
  Trust trust;
  trust.owners = {0, geteuid()};
  std::error_code failed;
  fs::path place = fs::read_symlink("/proc/self/exe", failed);
  if (failed) return trust;
  while (place.has_relative_path()) {
    auto ownership = ownership_of(place);
    bool sticky = ownership && (ownership->mode & S_ISVTX) != 0;
    if (ownership && !sticky) {
      trust.owners.insert(ownership->owner);
      if ((ownership->mode & S_IWGRP) != 0) trust.groups.insert(ownership->group);
    }
    place = place.parent_path();
  }
  return trust;
}

std::string distrust(const Ownership& ownership, const Trust& trust) {
  bool shielded = S_ISDIR(ownership.mode) && (ownership.mode & S_ISVTX) != 0 && ownership.owner == 0;
  if ((ownership.mode & S_IWOTH) != 0 && !shielded) return "everybody may write to it (chmod o-w)";
  if (!trust.owners.contains(ownership.owner)) {
    return "it belongs to user " + std::to_string(ownership.owner) + ", who is neither root nor this program's user";
  }
  if ((ownership.mode & S_IWGRP) != 0 && !shielded && !trust.groups.contains(ownership.group)) {
    return "group " + std::to_string(ownership.group) + " may write to it (chmod g-w)";
  }
  return {};
}

std::string distrust_path(const std::string& path, const Trust& trust) {
  fs::path place(path);
  while (true) {
    auto ownership = ownership_of(place);
    std::string why =
        ownership ? distrust(*ownership, trust) : std::string("it cannot be looked at: ") + std::strerror(errno);
    if (!why.empty()) {
      return place == fs::path(path) ? why : "in " + types::printable(place.native()) + " above it: " + why;
    }
    if (!place.has_relative_path()) return {};
    place = place.parent_path();
  }
}

}  // namespace stile::loader

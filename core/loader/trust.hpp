// Whose directories plugins may come from.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <set>
#include <string>

namespace stile::loader {

struct Ownership {
  uid_t owner = 0;
  gid_t group = 0;
  mode_t mode = 0;  ///< with the type bits
};

/// Who may write where plugins lie: root, this user, and whoever can replace the running program anyway (an owner of
/// its file or of a directory above it, a group that may write there). Everybody else could make this process run code.
struct Trust {
  std::set<uid_t> owners;
  std::set<gid_t> groups;

  static Trust of_process();
};

/// Why a directory or file of this ownership is not trusted; empty = it is. A sticky directory of root is, whoever may
/// write there: nobody can replace another's entry in it.
std::string distrust(const Ownership& ownership, const Trust& trust);

/// The same for an absolute path without links and for every directory above it; says which one.
std::string distrust_path(const std::string& path, const Trust& trust);

}  // namespace stile::loader

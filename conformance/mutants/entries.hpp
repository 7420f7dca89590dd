// The mutants as mutants.txt tells them.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace stile::conformance::mutants {

/// One text that is another one in the mutant.
struct Change {
  std::string file;  ///< ROOT/path
  std::string in;    ///< a part of that file in which `was` occurs once; empty = all of it
  std::string was;
  std::string now;  ///< empty = nothing
};

struct Mutant {
  std::string name;
  std::vector<std::string> breaks;  ///< contract ids; at least one
  std::string slip;                 ///< what the author of such a store got wrong
  std::string level;                ///< of the suite that must catch it; empty = 1
  std::string check;                ///< above level 1 only this one is run; empty = all
  std::string store;                ///< config string it is judged on; empty = the usual one
  std::vector<Change> changes;      ///< at least one
  int line = 0;                     ///< of the entry
};

/// Throws std::runtime_error, "path:line: what is wrong".
std::vector<Mutant> read_mutants(std::string_view text, const std::string& path);

/// The text of a file. Throws std::runtime_error.
std::string read_file(const std::string& path);

}  // namespace stile::conformance::mutants

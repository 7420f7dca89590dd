// The cases that come with the suite, and those of a folder.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dialogue/syntax.hpp"

namespace stile::conformance {

struct CaseFile {
  std::string name;  ///< for errors and reports
  std::string text;
};

/// Those that are built in.
std::vector<CaseFile> built_in_cases();
/// Every *.case below a folder, or one file. Throws Error (not_found).
std::vector<CaseFile> read_cases(const std::string& path);

/// Makes a check of every case of a file. Throws SyntaxError, also for an id that the contract has not.
void add_cases(const CaseFile& file);

}  // namespace stile::conformance

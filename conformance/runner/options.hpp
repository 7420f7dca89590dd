// What the command line of stile-conformance says.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runner/verify.hpp"

namespace stile::conformance {

struct Options {
  std::string config;
  std::string plugin_file;
  std::string driver;  ///< the command line of the store's driver; empty = none
  int level = 1;
  std::vector<std::string> only;   ///< ids, names, names with *
  std::vector<std::string> cases;  ///< files or folders in place of those built in
  std::uint64_t seed = 0;          ///< 0 = drawn
  std::uint64_t scale = 1;
  std::uint64_t sequence = 0;  ///< 0 = all
  int jobs = 0;                ///< 0 = twice the processors
  int timeout_multiplier = 1;
  bool in_process = false;
  Duration time{0};                  ///< of all random checks together; 0 = the amount they have by themselves
  std::vector<std::string> reports;  ///< HTML where the name says so, else the certificate
  std::string junit;
  std::optional<Certificate> certificate;  ///< to be verified: what it says of the run is in the members here
  bool verbose = false;
  bool list = false;
  bool json = false;
  bool gtest_list = false;  ///< GoogleTest is asked to list: no store is needed

  std::vector<std::string> arguments;  ///< as they were given

  /// Not -1: the program ends with this status, everything that is to be said was said.
  int exit = -1;
};

/// Takes GoogleTest's own arguments out first.
Options read_options(int argc, char** argv);

/// Writes an error to standard error, without the secrets of the arguments.
void complain(const Options& options, const std::string& error);

}  // namespace stile::conformance

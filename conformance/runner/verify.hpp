// A certificate run again: the same plugin, level and seed, and whether it comes out the same.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "runner/results.hpp"

namespace stile::conformance {

/// What a certificate says that a second run needs.
struct Certificate {
  std::string file;  ///< where it was read from
  std::string config, plugin_file, plugin_name, build_id, contract_version;
  std::string driver;      ///< the command line of its driver; empty = there was none
  bool of_driver = false;  ///< the store was a server that the driver started
  int level = 1;
  std::uint64_t seed = 0, scale = 1, sequence = 0;
  Duration time{0};
  bool complete = true;
  std::vector<std::string> cases;
  std::vector<std::string> checks;  ///< by name
  boost::json::object whole;        ///< as it was read

  /// The config string had a secret that the certificate does not tell.
  bool redacted() const { return !of_driver && config.find("***") != std::string::npos; }
};

/// Throws std::runtime_error naming the file and what is wrong with it.
Certificate read_certificate(const std::string& path);

/// Why the store at hand cannot be held against the certificate; empty = it can: the same build of the same plugin, the
/// same contract.
std::string other_than(const Certificate& certificate, const Facts& facts);

/// What a run says of a certificate.
struct Agreement {
  std::vector<std::string> differences;  ///< one line each; empty = all is the same that chance does not decide
  bool agrees() const { return differences.empty(); }
};
Agreement compare(const Certificate& certificate, const Run& run);

/// For people, with the certificate's name.
std::string agreement_text(const Certificate& certificate, const Agreement& agreement);

}  // namespace stile::conformance

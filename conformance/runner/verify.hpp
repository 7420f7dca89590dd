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

/// What --scale and --time may say, and so a certificate.
inline constexpr std::uint64_t most_scale = 10'000;
inline constexpr Duration most_time = std::chrono::hours{24 * 30};

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
  std::uint64_t cut = 0;  ///< how many of its checks did less than they do by themselves
  std::vector<std::string> cases;
  std::vector<std::string> checks;  ///< by name
  boost::json::object whole;        ///< as it was read

  /// The config string had a secret that the certificate does not tell.
  bool redacted() const { return !of_driver && config.find("***") != std::string::npos; }
};

/// Throws std::runtime_error naming the file and what is wrong with it.
Certificate read_certificate(const std::string& path);

/// Why the plugin file that a certificate names is not loaded for no other reason than that it names it; empty = it may
/// be: by its build id, which is read without running anything of it, it is what was judged. Who can make the file and
/// the certificate can make them agree, so this keeps from mistakes and not from every malice.
std::string not_to_be_loaded(const Certificate& certificate);

/// Why the store at hand cannot be held against the certificate; empty = it can: the same build of the same plugin, the
/// same contract.
std::string other_than(const Certificate& certificate, const Facts& facts);

/// What a run says of a certificate.
struct Agreement {
  std::vector<std::string> differences;  ///< one line each; empty = all is the same that chance does not decide
  std::string too_little;                ///< not empty: the same, but of less work than the certificate is of
  bool agrees() const { return differences.empty(); }
};
Agreement compare(const Certificate& certificate, const Run& run);

/// For people, with the certificate's name.
std::string agreement_text(const Certificate& certificate, const Agreement& agreement);

}  // namespace stile::conformance

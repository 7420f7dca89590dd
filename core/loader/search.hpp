// Where plugins are looked for, what lies there, and which one a config string means.
//
// Nothing here runs a plugin's code. Reasons, outcomes and warnings can be shown as they are; paths are bytes.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "loader/inspect.hpp"
#include "loader/trust.hpp"

namespace stile::loader {

/// How a directory came to be looked into; in the order of the search.
enum class Source { api, environment, user, built_in };
/// "add_plugin_directory", "STILE_PLUGIN_PATH", ...
std::string_view name_of(Source source);

/// All that the search depends on, so that it can be tried with any of it.
struct SearchPlan {
  std::vector<std::string> api;
  std::optional<std::string> plugin_path;  ///< $STILE_PLUGIN_PATH
  std::optional<std::string> user;         ///< the user's own directory
  std::vector<std::string> built_in;
  Trust trust;
  bool raised = false;  ///< raised privileges: of the variables nothing was read

  static SearchPlan of_process();
};

/// One directory of the search, and what came of it.
struct Place {
  Source source{};
  std::string directory;           ///< as it was said
  std::string resolved;            ///< without links; empty when it is not there
  std::string outcome;             ///< "2 plugins", "absent", "refused: ..."; one line
  std::vector<std::string> aside;  ///< the files in it that cannot be used, each with its reason
  bool searched = false;
};

/// One file that was found.
struct Candidate {
  Source source{};
  std::string path;  ///< absolute, without links in its directory
  Inspected inspected;

  bool good() const { return inspected.good(); }
  /// The name in its note, else that of its file.
  std::string name() const;
};

/// Everything there is, in the order of the search; the first of a name that is good is the one that counts.
struct Discovery {
  std::vector<Place> places;
  std::vector<Candidate> candidates;
  std::vector<std::string> warnings;  ///< what was ignored, and why

  /// Every scheme that a good candidate has, sorted.
  std::vector<std::string> schemes() const;
  /// "Looked in: ..." with every place and what was set aside in it.
  std::string places_text() const;
};

/// Looks everywhere. Throws Error for a STILE_PLUGIN_PATH with an empty or relative element.
Discovery discover(const SearchPlan& plan);

/// The candidate for a scheme; plugin picks one by name, empty = whichever has the scheme. Throws Error: there is none
/// (with every place that was looked into), the one that was found is broken (with the true reason), or two of
/// different names have the scheme.
const Candidate& select(const Discovery& discovery, std::string_view scheme, std::string_view plugin);

}  // namespace stile::loader

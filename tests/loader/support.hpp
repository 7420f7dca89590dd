// What the tests of the loader share: folders of their own, fixture files, the text of an error.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "counts.h"
#include "loader/loader.hpp"
#include "loader/search.hpp"
#include "stile/types.hpp"

namespace fixtures {

namespace fs = std::filesystem;

/// A folder that only its owner may write to; gone at the end.
class Folder {
 public:
  Folder() {
    std::string pattern = (fs::canonical(fs::temp_directory_path()) / "stile-loader-XXXXXX").native();
    path_ = mkdtemp(pattern.data());
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  const fs::path& path() const { return path_; }
  std::string text() const { return path_.native(); }

  /// A copy of a fixture in this folder.
  std::string copy(const std::string& fixture, const std::string& name) const;
  std::string copy(const std::string& fixture) const { return copy(fixture, fixture + ".so"); }
  std::string write(const std::string& name, std::string_view bytes) const {
    std::ofstream(path_ / name, std::ios::binary) << bytes;
    return (path_ / name).native();
  }

 private:
  fs::path path_;
};

/// Where a fixture was built.
inline std::string built(const std::string& fixture) { return std::string(STILE_FIXTURES) + "/" + fixture + ".so"; }

inline std::string Folder::copy(const std::string& fixture, const std::string& name) const {
  fs::copy_file(built(fixture), path_ / name, fs::copy_options::overwrite_existing);
  fs::permissions(path_ / name, fs::perms::owner_all);
  return (path_ / name).native();
}

inline std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// The text of the Error that act throws; empty when it throws none.
template <class Act>
std::string refusal(const Act& act) {
  try {
    act();
    return {};
  } catch (const stile::Error& error) {
    return error.what();
  }
}

inline testing::AssertionResult says(const std::string& text, const std::string& what) {
  if (text.find(what) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "\"" << text << "\" does not say \"" << what << "\"";
}

/// A search of one folder alone, as if STILE_PLUGIN_PATH named it.
inline stile::loader::SearchPlan only(const std::string& plugin_path) {
  stile::loader::SearchPlan plan;
  plan.plugin_path = plugin_path;
  plan.trust = stile::loader::Trust::of_process();
  return plan;
}

/// The counters of a loaded fixture.
inline const fixture_counts& counts_of(const stile::loader::Plugin& plugin) {
  return *static_cast<const fixture_counts*>(plugin.table->extension({"counts", 6}));
}

}  // namespace fixtures

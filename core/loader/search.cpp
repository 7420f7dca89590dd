// Listing plugin files: every directory judged, every file looked at, duplicates told apart.
//
// SPDX-License-Identifier: Apache-2.0
#include "loader/search.hpp"

#include <dlfcn.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <system_error>

#include "stile/types.hpp"
#include "types/text.hpp"

namespace stile::loader {
namespace {

namespace fs = std::filesystem;

std::string shown(const std::string& path) { return types::printable(path); }

// The directories of $STILE_PLUGIN_PATH. An empty element would mean the working directory to other programs: whoever
// wrote it made a mistake that should be seen.
std::vector<std::string> split_path(const std::string& value) {
  std::vector<std::string> parts;
  std::size_t from = 0;
  while (true) {
    std::size_t colon = value.find(':', from);
    std::string part = value.substr(from, colon == std::string::npos ? colon : colon - from);
    std::string number = "element " + std::to_string(parts.size() + 1) + " of STILE_PLUGIN_PATH";
    if (part.empty()) {
      throw Error(Status::invalid, number +
                                       " is empty: remove the colon that is too many (an empty element is never "
                                       "the working directory)");
    }
    if (part[0] != '/') {
      throw Error(Status::invalid, number + ", " + shown(part) +
                                       ", is not absolute: plugins are never taken from the "
                                       "working directory");
    }
    parts.push_back(std::move(part));
    if (colon == std::string::npos) return parts;
    from = colon + 1;
  }
}

// Names ending in .so, in byte order, so that the order on disk never decides.
std::vector<std::string> library_names(const fs::path& directory, std::error_code& failed) {
  std::vector<std::string> names;
  fs::directory_iterator entries(directory, failed);
  for (; !failed && entries != fs::directory_iterator(); entries.increment(failed)) {
    std::string name = entries->path().filename().native();
    if (name.ends_with(".so") && name[0] != '.') names.push_back(std::move(name));
  }
  std::sort(names.begin(), names.end());
  return names;
}

// The search while it goes on.
class Search {
 public:
  explicit Search(const SearchPlan& plan) : plan_(plan) {}

  Discovery run() {
    if (plan_.raised) {
      found_.warnings.emplace_back(
          "this program runs with raised privileges: STILE_PLUGIN_PATH and the user's directory are ignored");
    }
    for (const std::string& directory : plan_.api) place(Source::api, directory);
    if (plan_.plugin_path && !plan_.plugin_path->empty()) {
      for (const std::string& directory : split_path(*plan_.plugin_path)) place(Source::environment, directory);
    }
    if (plan_.user) place(Source::user, *plan_.user);
    for (const std::string& directory : plan_.built_in) place(Source::built_in, directory);
    shadow();
    count();
    return std::move(found_);
  }

 private:
  void place(Source source, const std::string& directory) {
    Place place{source, directory, {}, {}, {}, false};
    std::error_code failed;
    fs::path resolved = fs::canonical(directory, failed);
    if (failed) {
      place.outcome = failed == std::errc::no_such_file_or_directory ? "absent" : failed.message();
    } else if (!fs::is_directory(resolved, failed)) {
      place.outcome = "refused: it is no directory (name the directory that the file is in)";
    } else {
      place.resolved = resolved.native();
      judge(place);
    }
    found_.places.push_back(std::move(place));
  }

  void judge(Place& place) {
    if (!seen_.insert(place.resolved).second) {
      place.outcome = "looked into already";
      return;
    }
    std::string why = distrust_path(place.resolved, plan_.trust);
    if (!why.empty()) {
      place.outcome = "refused: " + why;
      return;
    }
    std::error_code failed;
    std::vector<std::string> names = library_names(place.resolved, failed);
    if (failed) {
      place.outcome = "cannot be listed: " + failed.message();
      return;
    }
    place.searched = true;
    for (const std::string& name : names) file(place, name);
  }

  void file(const Place& place, const std::string& name) {
    Candidate candidate{place.source, place.resolved + "/" + name, {}};
    std::error_code failed;
    fs::path resolved = fs::canonical(candidate.path, failed);
    if (!failed && resolved.parent_path() != fs::path(place.resolved)) {
      candidate.inspected.verdict = Verdict::outside;
      candidate.inspected.reason = "it is a link to " + shown(resolved.native()) +
                                   ", outside its directory: add that directory to STILE_PLUGIN_PATH instead";
    } else {
      candidate.inspected = inspect(candidate.path);
      std::string why = failed ? "" : distrust_path(resolved.native(), plan_.trust);
      if (candidate.good() && !why.empty()) {
        candidate.inspected.verdict = Verdict::unreadable;
        candidate.inspected.reason = "refused: " + why;
      }
    }
    found_.candidates.push_back(std::move(candidate));
  }

  // One name counts once: the first place wins, except that nothing in the user's directory stands in for a plugin that
  // came with the program.
  void shadow() {
    std::map<std::string, const Candidate*> built_in, first;
    for (const Candidate& candidate : found_.candidates) {
      if (candidate.good() && candidate.source == Source::built_in) built_in.emplace(candidate.name(), &candidate);
    }
    std::vector<const Candidate*> files;
    for (Candidate& candidate : found_.candidates) {
      if (!candidate.good()) continue;
      auto same = std::find_if(files.begin(), files.end(), [&](const Candidate* other) {
        return other->inspected.id.same_file(candidate.inspected.id);
      });
      if (same != files.end()) {
        set_aside(candidate, Verdict::same_file, **same);
        continue;
      }
      const Candidate* rival = nullptr;
      auto shipped = built_in.find(candidate.name());
      if (candidate.source == Source::user && shipped != built_in.end()) rival = shipped->second;
      auto [earlier, is_first] = first.emplace(candidate.name(), &candidate);
      if (rival == nullptr && !is_first) rival = earlier->second;
      if (rival == nullptr) {
        files.push_back(&candidate);
        continue;
      }
      if (is_first) first.erase(earlier);
      set_aside(candidate, Verdict::shadowed, *rival);
      found_.warnings.push_back("plugin " + candidate.name() + " in " + shown(candidate.path) +
                                " is not used: " + shown(rival->path) + " comes first");
    }
  }

  static void set_aside(Candidate& candidate, Verdict verdict, const Candidate& other) {
    candidate.inspected.verdict = verdict;
    candidate.inspected.reason =
        (verdict == Verdict::same_file ? "it is the same file as " : "the one in force is ") + shown(other.path);
  }

  // What came of every place that was looked into.
  void count() {
    for (Place& place : found_.places) {
      if (!place.searched) continue;
      std::size_t good = 0;
      for (const Candidate& candidate : found_.candidates) {
        if (fs::path(candidate.path).parent_path() != fs::path(place.resolved)) continue;
        if (candidate.good()) {
          ++good;
        } else {
          place.aside.push_back(shown(fs::path(candidate.path).filename().native()) + ": " +
                                candidate.inspected.reason);
        }
      }
      place.outcome = std::to_string(good) + (good == 1 ? " plugin" : " plugins");
      if (!place.aside.empty()) place.outcome += ", " + std::to_string(place.aside.size()) + " set aside";
    }
  }

  const SearchPlan& plan_;
  Discovery found_;
  std::set<std::string> seen_;
};

std::optional<std::string> user_directory() {
  constexpr std::string_view below = "/stile/plugins";
  if (auto data = types::environment("XDG_DATA_HOME"); data && data->starts_with('/'))
    return *data + std::string(below);
  if (auto home = types::environment("HOME"); home && home->starts_with('/')) {
    return *home + "/.local/share" + std::string(below);
  }
  return std::nullopt;
}

// Beside the running program, beside the library this code is in, where the install puts them. And where the build did,
// for what runs from there: what is installed must not load code from a build that may be anybody's by now.
std::vector<std::string> built_in_directories() {
  std::vector<std::string> directories;
  auto add = [&](const fs::path& path) {
    std::string text = path.lexically_normal().native();
    if (std::find(directories.begin(), directories.end(), text) == directories.end()) directories.push_back(text);
  };
  std::error_code failed;
  fs::path program = fs::read_symlink("/proc/self/exe", failed);
  if (!failed) {
    add(program.parent_path().parent_path() / STILE_PLUGINS_BESIDE);
    add(program.parent_path().parent_path() / "plugins");
  }
  Dl_info library{};
  if (dladdr(reinterpret_cast<const void*>(&built_in_directories), &library) != 0 && library.dli_fname != nullptr) {
    fs::path file = fs::canonical(library.dli_fname, failed);
    if (!failed && file != program) add(file.parent_path() / "stile/plugins");
  }
  const fs::path build = STILE_BUILD_DIRECTORY;
  if (std::mismatch(build.begin(), build.end(), program.begin(), program.end()).first == build.end())
    add(STILE_PLUGINS_BUILT);
  add(STILE_PLUGINS_INSTALLED);
  return directories;
}

}  // namespace

std::string_view name_of(Source source) {
  switch (source) {
    case Source::api: return "given by the program";
    case Source::environment: return "STILE_PLUGIN_PATH";
    case Source::user: return "the user's directory";
    case Source::built_in: return "built in";
  }
  return "unknown";
}

SearchPlan SearchPlan::of_process() {
  SearchPlan plan;
  plan.raised = types::raised_privileges();
  plan.plugin_path = types::environment("STILE_PLUGIN_PATH");
  plan.user = user_directory();
  plan.built_in = built_in_directories();
  plan.trust = Trust::of_process();
  return plan;
}

std::string Candidate::name() const { return inspected.note ? inspected.note->name : fs::path(path).stem().native(); }

std::vector<std::string> Discovery::schemes() const {
  std::set<std::string> all;
  for (const Candidate& candidate : candidates) {
    if (candidate.good())
      all.insert(candidate.inspected.note->schemes.begin(), candidate.inspected.note->schemes.end());
  }
  return {all.begin(), all.end()};
}

std::string Discovery::places_text() const {
  std::string text = "Looked in:";
  for (const Place& place : places) {
    text += "\n  " + shown(place.directory) + " (" + std::string(name_of(place.source));
    if (!place.resolved.empty() && place.resolved != place.directory) text += ", a link to " + shown(place.resolved);
    text += "): " + place.outcome;
    for (const std::string& one : place.aside) text += "\n    " + one;
  }
  return text;
}

Discovery discover(const SearchPlan& plan) { return Search(plan).run(); }

}  // namespace stile::loader

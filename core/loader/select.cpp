// Which of the plugins that were found a config string means.
//
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>

#include "loader/search.hpp"
#include "stile/types.hpp"
#include "types/text.hpp"

namespace stile::loader {
namespace {

bool has_scheme(const Candidate& candidate, std::string_view scheme) {
  const auto& note = candidate.inspected.note;
  return note && std::find(note->schemes.begin(), note->schemes.end(), scheme) != note->schemes.end();
}

std::string stem(const Candidate& candidate) { return std::filesystem::path(candidate.path).stem().native(); }

bool set_aside_only(const Candidate& candidate) {
  return candidate.inspected.verdict == Verdict::shadowed || candidate.inspected.verdict == Verdict::same_file;
}

// A broken file that is what was asked for, by its note or by its name: its own reason is the answer, and nothing that
// comes later stands in for it.
bool is_meant(const Candidate& candidate, std::string_view scheme, std::string_view plugin) {
  if (candidate.good() || set_aside_only(candidate)) return false;
  if (!plugin.empty()) return candidate.name() == plugin || stem(candidate) == plugin;
  return has_scheme(candidate, scheme) || (!candidate.inspected.note && stem(candidate) == scheme);
}

std::string what_to_do() {
  return "\nPut the plugin's file into one of these directories, or name its directory in STILE_PLUGIN_PATH; "
         "`stile plugins` shows what is there.";
}

[[noreturn]] void refuse_unknown(const Discovery& discovery, std::string_view scheme) {
  std::vector<std::string> known = discovery.schemes();
  std::string text = "no plugin has the scheme \"" + types::printable(scheme) + "\"";
  if (auto meant = types::nearest(scheme, known)) text += ": did you mean \"" + *meant + "\"?";
  text += " (known schemes: " + types::enumerate(known) + ")\n";
  throw Error(Status::invalid, text + discovery.places_text() + what_to_do());
}

[[noreturn]] void refuse_plugin(const Discovery& discovery, std::string_view scheme, std::string_view plugin) {
  std::vector<std::string> known;
  for (const Candidate& candidate : discovery.candidates) {
    if (!candidate.good()) continue;
    if (candidate.name() == plugin) {
      throw Error(Status::invalid, "plugin " + std::string(plugin) + " (" + types::printable(candidate.path) +
                                       ") does not have the scheme \"" + types::printable(scheme) + "\": it has " +
                                       types::enumerate(candidate.inspected.note->schemes));
    }
    known.push_back(candidate.name());
  }
  std::string text = "there is no plugin \"" + types::printable(plugin) + "\"";
  if (auto meant = types::nearest(plugin, known)) text += ": did you mean \"" + *meant + "\"?";
  text += " (known: " + types::enumerate(known) + ")\n";
  throw Error(Status::invalid, text + discovery.places_text() + what_to_do());
}

[[noreturn]] void refuse_broken(const Candidate& candidate) {
  throw Error(Status::invalid, "plugin file " + types::printable(candidate.path) + ": " + candidate.inspected.reason);
}

}  // namespace

const Candidate& select(const Discovery& discovery, std::string_view scheme, std::string_view plugin) {
  auto fits = [&](const Candidate& candidate) {
    return candidate.good() && has_scheme(candidate, scheme) && (plugin.empty() || candidate.name() == plugin);
  };
  // What came with the program does not fail for a broken file of that name in the user's directory.
  bool shipped = std::any_of(discovery.candidates.begin(), discovery.candidates.end(), [&](const Candidate& candidate) {
    return candidate.source == Source::built_in && fits(candidate);
  });
  const Candidate* chosen = nullptr;
  for (const Candidate& candidate : discovery.candidates) {
    bool counts = chosen == nullptr && !(shipped && candidate.source == Source::user);
    if (counts && is_meant(candidate, scheme, plugin)) refuse_broken(candidate);
    if (!fits(candidate)) continue;
    if (chosen == nullptr) {
      chosen = &candidate;
      continue;
    }
    throw Error(Status::invalid, "two plugins have the scheme \"" + std::string(scheme) + "\": " + chosen->name() +
                                     " (" + types::printable(chosen->path) + ") and " + candidate.name() + " (" +
                                     types::printable(candidate.path) + "). Say which with plugin=" + chosen->name() +
                                     " or plugin=" + candidate.name() + " in the config string, or remove one.");
  }
  if (chosen != nullptr) return *chosen;
  if (!plugin.empty()) refuse_plugin(discovery, scheme, plugin);
  refuse_unknown(discovery, scheme);
}

}  // namespace stile::loader

// `stile plugins`: every file that might be a plugin, and what became of it.
//
// SPDX-License-Identifier: Apache-2.0
#include <boost/json.hpp>
#include <memory>

#include "cli/command.hpp"
#include "cli/paint.hpp"
#include "loader/search.hpp"
#include "types/text.hpp"

namespace stile::cli {
namespace {

namespace json = boost::json;

json::object candidate_json(const loader::Candidate& candidate) {
  json::object told{{"path", types::printable(candidate.path)},
                    {"verdict", loader::name_of(candidate.inspected.verdict)},
                    {"source", loader::name_of(candidate.source)}};
  if (!candidate.inspected.reason.empty()) told["reason"] = candidate.inspected.reason;
  if (const auto& note = candidate.inspected.note) {
    told["name"] = types::printable(note->name);
    told["version"] = types::printable(note->version);
    told["abi_min"] = loader::abi_text(note->abi_min);
    told["abi_max"] = loader::abi_text(note->abi_max);
    json::array& schemes = told["schemes"].emplace_array();
    for (const std::string& scheme : note->schemes) schemes.emplace_back(types::printable(scheme));
  }
  if (!candidate.inspected.build_id.empty()) told["build_id"] = candidate.inspected.build_id;
  return told;
}

json::object discovery_json(const loader::Discovery& found) {
  json::object told;
  json::array& plugins = told["plugins"].emplace_array();
  for (const loader::Candidate& candidate : found.candidates) plugins.push_back(candidate_json(candidate));
  json::array& places = told["places"].emplace_array();
  for (const loader::Place& place : found.places)
    places.push_back(json::object{{"directory", types::printable(place.directory)},
                                  {"source", loader::name_of(place.source)},
                                  {"outcome", place.outcome}});
  json::array& warnings = told["warnings"].emplace_array();
  for (const std::string& warning : found.warnings) warnings.emplace_back(warning);
  return told;
}

std::string discovery_text(const loader::Discovery& found) {
  Paint paint;
  Table table;
  for (const loader::Candidate& candidate : found.candidates) {
    const auto& note = candidate.inspected.note;
    std::string schemes;
    if (note)
      for (const std::string& scheme : note->schemes) schemes += types::printable(scheme) + ": ";
    table.add(
        {{types::printable(candidate.name()), Colour::strong},
         {note ? types::printable(note->version) : "-"},
         {std::string(loader::name_of(candidate.inspected.verdict)), candidate.good() ? Colour::good : Colour::bad},
         {schemes.empty() ? "-" : schemes},
         {types::printable(candidate.path), Colour::faint}});
  }
  std::string text = found.candidates.empty() ? "no plugin found" : table.text(paint);
  for (const loader::Candidate& candidate : found.candidates)
    if (!candidate.good()) text += "\n" + types::printable(candidate.path) + ": " + candidate.inspected.reason;
  text += "\n\n" + paint(Colour::faint, "looked in, the first of a name counts:");
  for (const loader::Place& place : found.places)
    text += "\n  " + types::printable(place.directory) + " (" + std::string(loader::name_of(place.source)) +
            "): " + place.outcome;
  for (const std::string& warning : found.warnings) text += "\nwarning: " + warning;
  return text;
}

}  // namespace

void add_plugins(CLI::App& program, Context& context) {
  auto as_json = std::make_shared<bool>(false);
  CLI::App* command = program.add_subcommand("plugins", "List every plugin file there is, and what became of it");
  command->footer(
      "\nNo plugin is loaded for it.\n\nExamples:\n  stile plugins\n  STILE_PLUGIN_PATH=$PWD/build stile plugins "
      "--json");
  command->add_flag("--json", *as_json, "print it as JSON");
  command->callback([as_json, &context] {
    auto found = loader::discover(loader::SearchPlan::of_process());
    print(*as_json ? json::serialize(discovery_json(found)) : discovery_text(found));
    context.status = exit_ok;
  });
}

}  // namespace stile::cli

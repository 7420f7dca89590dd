// `stile plugins`: every file that might be a plugin, what became of it, and what it is.
//
// SPDX-License-Identifier: Apache-2.0
#include <boost/json.hpp>
#include <memory>
#include <vector>

#include "cli/command.hpp"
#include "cli/paint.hpp"
#include "loader/probe.hpp"
#include "loader/search.hpp"
#include "loader/sha256.hpp"
#include "types/text.hpp"
#include "types/units.hpp"

namespace stile::cli {
namespace {

namespace json = boost::json;

// A file, and what came of trying it. One that the search set aside is only hashed: it would never be loaded.
struct Listed {
  loader::Candidate file;
  std::string sha256;
  json::object table;

  std::int64_t modified() const { return file.inspected.id.changed / 1000; }  // microseconds; 0 = not even opened
};

Listed listed(loader::Candidate file) {
  if (!file.good()) return {file, loader::sha256_of(loader::File(file.path)), {}};
  loader::Probed probed = loader::probe(file.path);
  if (!probed.good) {
    file.inspected.verdict = loader::Verdict::load_failed;
    file.inspected.reason = probed.reason;
  }
  return {std::move(file), std::move(probed.sha256), std::move(probed.table)};
}

json::object listed_json(const Listed& one) {
  const loader::Inspected& inspected = one.file.inspected;
  json::object told{{"path", types::printable(one.file.path)},
                    {"verdict", loader::name_of(inspected.verdict)},
                    {"source", loader::name_of(one.file.source)}};
  if (!inspected.reason.empty()) told["reason"] = inspected.reason;
  if (!one.sha256.empty()) told["sha256"] = one.sha256;
  if (one.modified() != 0) told["modified"] = one.modified();
  if (!inspected.build_id.empty()) told["build_id"] = inspected.build_id;
  if (const auto& note = inspected.note) {
    told["name"] = types::printable(note->name);
    told["version"] = types::printable(note->version);
    told["abi_min"] = loader::abi_text(note->abi_min);
    told["abi_max"] = loader::abi_text(note->abi_max);
    json::array& schemes = told["schemes"].emplace_array();
    for (const std::string& scheme : note->schemes) schemes.emplace_back(types::printable(scheme));
  }
  for (const auto& [name, value] : one.table) told[name] = value;
  return told;
}

json::object discovery_json(const std::vector<Listed>& files, const loader::Discovery& found) {
  json::object told;
  json::array& plugins = told["plugins"].emplace_array();
  for (const Listed& one : files) plugins.push_back(listed_json(one));
  json::array& places = told["places"].emplace_array();
  for (const loader::Place& place : found.places)
    places.push_back(json::object{{"directory", types::printable(place.directory)},
                                  {"source", loader::name_of(place.source)},
                                  {"outcome", place.outcome}});
  json::array& warnings = told["warnings"].emplace_array();
  for (const std::string& warning : found.warnings) warnings.emplace_back(warning);
  return told;
}

std::string text_at(const json::object& object, std::string_view name) {
  const json::value* value = object.if_contains(name);
  return value && value->is_string() ? std::string(value->as_string()) : "";
}

std::string number_text(const std::string& type, std::int64_t number) {
  if (type == "duration") return types::duration_text(number);
  return type == "size" ? types::size_text(number) : std::to_string(number);
}

// What an option may be, as people write it: "auto|check|never", "1ms to 1d", "text".
std::string takes(const json::object& option) {
  std::string type = text_at(option, "type");
  if (type == "choice") return text_at(option, "allowed");
  const json::value* least = option.if_contains("min");
  const json::value* most = option.if_contains("max");
  if (!least || !most) return type;
  auto shown = [&](const json::value& value) { return number_text(type, value.to_number<std::int64_t>()); };
  return shown(*least) + " to " + shown(*most);
}

// A default is kept as a plugin gets it, in plain numbers.
std::string default_of(const json::object& option) {
  std::string value = text_at(option, "default"), type = text_at(option, "type");
  if (value.empty()) return {};
  auto number = type == "size" ? types::parse_size(value) : types::parse_duration(value);
  bool has_unit = type == "size" || type == "duration";
  return "default " + (has_unit && number ? number_text(type, *number) : value);
}

std::string options_text(const json::array& options, const Paint& paint) {
  Table table;
  for (const json::value& value : options) {
    const json::object& option = value.as_object();
    table.add({{"    " + text_at(option, "name")}, {takes(option)}, {default_of(option)}, {text_at(option, "help")}});
  }
  return table.text(paint);
}

// Everything about one file, under a line of its own.
std::string file_text(const Listed& one, const Paint& paint) {
  const loader::Inspected& inspected = one.file.inspected;
  std::string text = paint(Colour::strong, types::printable(one.file.name()));
  if (std::string help = text_at(one.table, "help"); !help.empty()) text += "  " + help;
  Table table;
  auto row = [&](const char* name, std::string value) {
    if (!value.empty()) table.add({{std::string("  ") + name, Colour::faint}, {std::move(value)}});
  };
  row("file", types::printable(one.file.path) + " (" + std::string(loader::name_of(one.file.source)) + ")");
  row("sha256", one.sha256);
  row("modified", one.modified() == 0 ? "" : moment_text(one.modified()));
  row("build id", inspected.build_id);
  row("license", text_at(one.table, "license"));
  if (const json::value* names = one.table.if_contains("capabilities")) {
    std::vector<std::string> words;
    for (const json::value& name : names->as_array()) words.emplace_back(name.as_string());
    row("capabilities", types::enumerate(words));
  }
  const json::value* options = one.table.if_contains("options");
  if (options && !options->as_array().empty())
    row("options", "its config strings take, besides namespace, plugin and prepare:");
  text += "\n" + table.text(paint);
  if (options && !options->as_array().empty()) text += "\n" + options_text(options->as_array(), paint);
  if (!one.file.good()) text += "\n  " + paint(Colour::bad, inspected.reason);
  return text;
}

std::string discovery_text(const std::vector<Listed>& files, const loader::Discovery& found) {
  Paint paint;
  Table table;
  table.add({{"name", Colour::faint},
             {"version", Colour::faint},
             {"ABI", Colour::faint},
             {"verdict", Colour::faint},
             {"schemes", Colour::faint}});
  std::string details;
  for (const Listed& one : files) {
    const auto& note = one.file.inspected.note;
    std::string schemes;
    if (note)
      for (const std::string& scheme : note->schemes) schemes += types::printable(scheme) + ": ";
    table.add({{types::printable(one.file.name()), Colour::strong},
               {note ? types::printable(note->version) : "-"},
               {note ? loader::abi_text(note->abi_min) + "-" + loader::abi_text(note->abi_max) : "-"},
               {std::string(loader::name_of(one.file.inspected.verdict)), one.file.good() ? Colour::good : Colour::bad},
               {schemes.empty() ? "-" : schemes}});
    details += "\n\n" + file_text(one, paint);
  }
  std::string text = files.empty() ? "no plugin found" : table.text(paint) + details;
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
      "\nEach is loaded in a child process, where code that aborts, exits or hangs does no harm. sha256 and the time "
      "of\n"
      "its last change tell a stale copy from the one you built.\n\nExamples:\n  stile plugins\n"
      "  STILE_PLUGIN_PATH=$PWD/build stile plugins --json");
  command->add_flag("--json", *as_json, "print it as JSON");
  command->callback([as_json, &context] {
    auto found = loader::discover(loader::SearchPlan::of_process());
    std::vector<Listed> files;
    for (loader::Candidate& candidate : found.candidates) files.push_back(listed(std::move(candidate)));
    found.candidates.clear();
    print(*as_json ? json::serialize(discovery_json(files, found)) : discovery_text(files, found));
    context.status = exit_ok;
  });
}

}  // namespace stile::cli

// What the subcommands share.
//
// SPDX-License-Identifier: Apache-2.0
#include "cli/command.hpp"

#include <cstdio>

#include "types/streams.hpp"
#include "types/units.hpp"

namespace stile::cli {

Duration duration_option(const std::string& text, const char* option) {
  auto microseconds = types::parse_duration(text);
  if (!microseconds || *microseconds <= 0 || *microseconds > Duration(std::chrono::years(100)).count())
    throw Usage(std::string(option) + " must be a duration such as 200ms or 30s, above 0: " + text);
  return Duration(*microseconds);
}

void StoreChoice::add_to(CLI::App& command) {
  command.add_option("CONFIG", config, "config string of the store; - means $STILE_STORE, @FILE a JSON file")
      ->required();
  auto named = [](const std::string& file) { return file.empty() ? "it names no file" : ""; };
  command.add_option("--plugin", plugin_file, "load this plugin file first")->type_name("FILE")->check(named);
}

Deadline StoreChoice::until() const {
  return std::chrono::steady_clock::now() + duration_option(deadline, "--deadline");
}

std::shared_ptr<store::Backend> StoreChoice::open(store::OpenOptions options) const {
  options.plugin_file = plugin_file;
  options.deadline = until();
  return store::open_backend(config, options);
}

bool print(std::string_view text) {
  std::string line(text);
  line += '\n';
  return types::write_output(line);
}

void complain(std::string_view command, std::string_view text) {
  std::string line = "stile";
  if (!command.empty()) line += " " + std::string(command);
  line += ": " + std::string(text) + "\n";
  std::fputs(line.c_str(), stderr);
}

}  // namespace stile::cli

// The program `stile`: the contract from a shell.
//
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <exception>
#include <sstream>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "config/text.hpp"
#include "types/streams.hpp"
#include "types/text.hpp"

namespace {

using namespace stile::cli;

constexpr const char* examples = R"(
Examples:
  stile call memory: put key=leader value=me if=absent
  stile info -
  stile explain A4

CONFIG is a config string such as memory: or - for $STILE_STORE.
Exit status: 0, 2 for usage, 1 when standard output cannot be written, 128 + the signal that ended it,
else 10 + the number of the status (stile explain).)";

std::string chosen(const CLI::App& program) {
  auto commands = program.get_subcommands();
  return commands.empty() ? std::string() : commands.front()->get_name();
}

// CLI11 would only say that a command is missing.
void require_known_command(const CLI::App& program, int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return;
  std::vector<std::string> names;
  for (const CLI::App* command : program.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  if (std::find(names.begin(), names.end(), argv[1]) != names.end()) return;
  auto meant = stile::types::nearest(argv[1], names);
  throw Usage("there is no command \"" + stile::types::printable(argv[1]) + "\"" +
              (meant ? ": did you mean " + *meant + "?" : "") + "\nTry: stile --help");
}

int run(int argc, char** argv) {
  Stop stop;
  Context context{stop};
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  CLI::App program("Durable coordination over the datastore you already run.", "stile");
  program.set_version_flag("--version", "stile " STILE_VERSION);
  program.require_subcommand(1);
  program.footer(examples);
  add_call(program, context);
  add_info(program, context);
  add_prepare(program, context);
  add_doctor(program, context);
  add_plugins(program, context);
  add_bench(program, context);
  add_explain(program, context);
  auto complain = [&](const std::string& text) {
    stile::cli::complain(chosen(program), stile::config::hide_arguments(text, arguments));
  };
  try {
    require_known_command(program, argc, argv);
    program.parse(argc, argv);
  } catch (const CLI::Success& wanted) {  // --help, --version
    std::ostringstream text;
    int status = program.exit(wanted, text);
    stile::types::write_output(text.str());
    return status;
  } catch (const CLI::ParseError& error) {
    std::string command = chosen(program);
    complain(std::string(error.what()) + "\nTry: stile " + command + (command.empty() ? "" : " ") + "--help");
    return exit_usage;
  } catch (const Usage& usage) {
    complain(usage.what());
    return stop.requested() ? stop.status() : exit_usage;
  } catch (const stile::Error& error) {
    // Invalid is what was said to this program: no store was asked yet.
    bool usage = error.status() == stile::Status::invalid;
    complain((usage ? "" : name_of(error.status()) + ": ") + error.what());
    return stop.requested() ? stop.status() : usage ? exit_usage : exit_of(error.status());
  } catch (const std::exception& error) {
    complain(error.what());
    return exit_of(stile::Status::internal);
  }
  return stop.requested() ? stop.status() : context.status;
}

}  // namespace

int main(int argc, char** argv) {
  stile::types::open_standard_streams();
  return stile::types::finish_output(run(argc, argv), exit_output);
}

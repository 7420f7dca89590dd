// The program `stile`: the contract from a shell.
//
// SPDX-License-Identifier: Apache-2.0
#include <exception>

#include "cli/command.hpp"

namespace {

using namespace stile::cli;

constexpr const char* examples = R"(
Examples:
  stile call memory: put key=leader value=me if=absent
  stile info -
  stile explain A4

CONFIG is a config string such as memory: or - for $STILE_STORE.
Exit status: 0, 2 for usage, else 10 + the number of the status (stile explain).)";

std::string chosen(const CLI::App& program) {
  auto commands = program.get_subcommands();
  return commands.empty() ? std::string() : commands.front()->get_name();
}

}  // namespace

int main(int argc, char** argv) {
  Stop stop;
  Context context{stop};
  CLI::App program("Durable coordination over the datastore you already run.", "stile");
  program.set_version_flag("--version", "stile " STILE_VERSION);
  program.require_subcommand(1);
  program.footer(examples);
  add_call(program, context);
  add_info(program, context);
  add_prepare(program, context);
  add_plugins(program, context);
  add_bench(program, context);
  add_explain(program, context);
  try {
    program.parse(argc, argv);
  } catch (const CLI::Success& wanted) {  // --help, --version
    return program.exit(wanted);
  } catch (const CLI::ParseError& error) {
    std::string command = chosen(program);
    complain(command, std::string(error.what()) + "\nTry: stile " + command + (command.empty() ? "" : " ") + "--help");
    return exit_usage;
  } catch (const Usage& usage) {
    complain(chosen(program), usage.what());
    return stop.requested() ? stop.status() : exit_usage;
  } catch (const stile::Error& error) {
    // Invalid is what was said to this program: no store was asked yet.
    bool usage = error.status() == stile::Status::invalid;
    complain(chosen(program), (usage ? "" : name_of(error.status()) + ": ") + error.what());
    return stop.requested() ? stop.status() : usage ? exit_usage : exit_of(error.status());
  } catch (const std::exception& error) {
    complain(chosen(program), error.what());
    return exit_of(stile::Status::internal);
  }
  return stop.requested() ? stop.status() : context.status;
}

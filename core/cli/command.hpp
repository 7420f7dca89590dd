// What the subcommands of `stile` share: how they are registered, how they end, how they open a store.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <string>

#include "cli/stop.hpp"
#include "stile/types.hpp"
#include "store/open.hpp"

namespace stile::cli {

/// The exit statuses: 0, 2 for usage (a config string that is refused included), 1 for output that is lost, else 10 +
/// the number of the status.
inline constexpr int exit_ok = 0, exit_usage = 2, exit_output = 1;
inline int exit_of(Status status) { return status == Status::ok ? exit_ok : 10 + static_cast<int>(status); }

/// What is wrong with how a program was called: printed behind its name, exit status 2.
struct Usage : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// What a subcommand gets, and where it says how it ended.
struct Context {
  Stop& stop;
  int status = exit_ok;
};

/// Each adds its subcommand to the program.
void add_call(CLI::App& program, Context& context);
void add_plugins(CLI::App& program, Context& context);
void add_info(CLI::App& program, Context& context);
void add_prepare(CLI::App& program, Context& context);
void add_doctor(CLI::App& program, Context& context);
void add_explain(CLI::App& program, Context& context);
void add_bench(CLI::App& program, Context& context);

/// A duration of a command line, above 0. Throws Usage naming the option.
Duration duration_option(const std::string& text, const char* option);

/// CONFIG and --plugin of a command line.
struct StoreChoice {
  std::string config, plugin_file;
  std::string deadline = "30s";

  void add_to(CLI::App& command);
  Deadline until() const;
  /// Opens it; throws Error, invalid for a config string that is refused.
  std::shared_ptr<store::Backend> open(store::OpenOptions options = {}) const;
};

/// Writes text and a newline to standard output; false when that failed, which is told unless its reader has gone.
bool print(std::string_view text);
/// Writes "stile COMMAND: text" to standard error.
void complain(std::string_view command, std::string_view text);

}  // namespace stile::cli

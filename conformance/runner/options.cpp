// What the command line of stile-conformance says.
//
// SPDX-License-Identifier: Apache-2.0
#include "runner/options.hpp"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <iostream>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include "config/text.hpp"
#include "report/output.hpp"
#include "runner/contract.hpp"
#include "types/streams.hpp"
#include "types/text.hpp"
#include "types/units.hpp"

namespace stile::conformance {
namespace {

constexpr const char* footer = R"(Examples:
  stile-conformance memory:
  stile-conformance --plugin ./mystore.so 'mystore:/tmp/data' --report certificate.json
  stile-conformance memory: --only A4 --only deliveries.put_off_until_lapse
  stile-conformance --list --only D9
  stile-conformance memory: --level 2 --time 10m --report run.html --report certificate.json
  stile-conformance --driver ./mystore-driver --level 4
  stile-conformance --verify certificate.json      (runs it again, and says whether it comes out the same)
  stile-conformance explain A4                     (a promise, why it matters, what guards it)
  stile-conformance explain lease.free_is_granted  (a check; or a status, such as unknown)
  stile-conformance judge HISTORY.jsonl            (judges a recorded history; see judge --help)

Every case runs in a child process and in a namespace of its own; nothing else of the store is touched.
GoogleTest's own flags (--gtest_filter=..., --gtest_list_tests) are taken too.
Exit status: 0 all passed (or declared absent; with --verify: it agrees), 1 something failed, crashed or hung (with
--verify: it differs), 2 usage (a config string that is refused, too) or output that cannot be written, 130 interrupted;
where the store does not open otherwise, 10 + the number of the status it answered.)";

/// Takes GoogleTest's flags out of the command line. A question for help is kept from it: it would print its own.
std::vector<char*> without_gtest_flags(int argc, char** argv) {
  std::vector<char*> rest, help;
  for (int i = 0; i < argc; ++i) {
    std::string_view word = argv[i];
    (word == "-h" || word == "--help" ? help : rest).push_back(argv[i]);
  }
  auto count = static_cast<int>(rest.size());
  rest.push_back(nullptr);  // as main has it; GoogleTest moves it along
  testing::InitGoogleTest(&count, rest.data());
  rest.resize(static_cast<std::size_t>(count));
  rest.insert(rest.end(), help.begin(), help.end());
  return rest;
}

/// CLI11 would take -1 and what is too large for another number.
std::string whole_number(const std::string& text) {
  std::uint64_t number = 0;
  auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec == std::errc() && read.ptr == text.data() + text.size()) return {};
  return text + " is no whole number from 0 to " + std::to_string(UINT64_MAX);
}

/// A variable of a script that is not set is no wish to go without.
std::string something(const std::string& text) { return text.empty() ? "needs more than an empty text" : ""; }

/// A report that cannot be written is said before an hour of judging, not after.
void check_outputs(const Options& options) {
  std::vector<report::Output> outputs;
  for (const std::string& path : options.reports) outputs.push_back({"--report", path});
  if (!options.junit.empty()) outputs.push_back({"--junit", options.junit});
  std::vector<std::string> inputs = options.cases;
  inputs.push_back(options.plugin_file);
  if (options.certificate) inputs.push_back(options.certificate->file);
  try {
    report::try_outputs(outputs, inputs);
  } catch (const report::BadOutput& bad) {
    throw CLI::ValidationError(bad.option, bad.what());
  }
}

Duration duration_of(const std::string& text) {
  auto length = types::parse_duration(text);
  if (length && *length > 0 && *length <= most_time.count()) return Duration{*length};
  throw CLI::ValidationError("--time", text + " is no length of time between 1us and 30d, such as 90s or 10m");
}

/// The run that a certificate tells of, but where the command line says otherwise what it may.
void take_certificate(Options& options, const std::string& path, const CLI::App& app) {
  for (const char* name : {"--level", "--seed", "--only", "--cases", "--scale", "--time", "--sequence", "--list"})
    if (app.count(name) != 0)
      throw CLI::ValidationError("--verify",
                                 std::string("goes without ") + name + ": the certificate says what to run");
  try {
    options.certificate = read_certificate(path);
  } catch (const std::exception& error) {
    throw CLI::ValidationError("--verify", error.what());
  }
  const Certificate& said = *options.certificate;
  if (options.config.empty() && said.redacted())
    throw CLI::ValidationError("--verify",
                               "the certificate does not tell the secret of its config string: give CONFIG");
  // A certificate may come from anybody: no program is run because it names one.
  if (options.driver.empty() && !said.driver.empty())
    throw CLI::ValidationError("--verify",
                               "it was made with a driver, which is run only if you name it too: give --driver '" +
                                   types::printable(said.driver) + "'");
  bool of_level_4 = said.level == 4 || std::any_of(said.checks.begin(), said.checks.end(),
                                                   [](const std::string& one) { return one.starts_with("Servers."); });
  if (options.driver.empty() && of_level_4)
    throw CLI::ValidationError("--verify", "the certificate is of level 4 and names no driver: give --driver");
  if (options.config.empty() && !said.of_driver) options.config = said.config;
  if (options.plugin_file.empty()) {
    if (std::string why = not_to_be_loaded(said); !why.empty()) throw CLI::ValidationError("--verify", why);
    options.plugin_file = said.plugin_file;
  }
  options.level = said.level;
  options.seed = said.seed;
  options.scale = said.scale;
  options.time = said.time;
  options.sequence = said.sequence;
  options.cases = said.cases;
  if (said.complete) return;
  options.only.insert(options.only.end(), said.checks.begin(), said.checks.end());
}

void add_driver(CLI::App& app, Options& options) {
  app.add_option("--driver", options.driver,
                 "What starts, kills and fills the store's server: a command, for level 4; without CONFIG the other\n"
                 "levels judge a server that it starts")
      ->check(something)
      ->type_name("COMMAND");
}

/// What is drawn at random, and how much of it.
void add_chance(CLI::App& app, Options& options, std::string& time) {
  app.add_option("--seed", options.seed, "Repeats what was drawn at random (default: drawn anew)")
      ->check(whole_number)
      ->type_name("N");
  app.add_option("--sequence", options.sequence, "Plays one random sequence alone: the number that a failure shows")
      ->check(whole_number)
      ->type_name("N");
  app.add_option("--scale", options.scale, "Multiplies the amount of random work")
      ->check(CLI::Range(std::uint64_t{1}, most_scale))
      ->type_name("N");
  app.add_option("--time", time,
                 "How long all random checks together may take (10m); default: a fixed amount of work.\n"
                 "A run in which one of them does less than that is no judgement")
      ->check(something)
      ->type_name("DURATION");
}

}  // namespace

Options read_options(int argc, char** argv) {
  std::vector<char*> words = without_gtest_flags(argc, argv);
  Options options;
  options.arguments.assign(argv + (argc > 0), argv + argc);
  options.gtest_list = testing::GTEST_FLAG(list_tests);
  std::string time, verify;
  CLI::App app{"Judges a store by the contract, and says what is wrong and why."};
  app.footer(footer);
  app.set_version_flag("--version", "stile-conformance " STILE_CONFORMANCE_VERSION ", contract version " +
                                        std::string(contract_version()));
  app.add_option("CONFIG", options.config, "The store, as a config string; - is $STILE_STORE");
  app.add_option("--plugin", options.plugin_file, "A plugin file to load first")->check(something)->type_name("FILE");
  add_driver(app, options);
  app.add_option(
         "--level", options.level,
         "How much is proved: 1, the contract with one caller at a time; 2, with many; 3, with faults; 4, with\n"
         "its server killed, frozen and filled. Each has those before it")
      ->check(CLI::Range(1, 4))
      ->type_name("N");
  app.add_option("--only", options.only, "A contract id (A4), a case (lease.free_is_granted), or a name with *")
      ->allow_extra_args(false)
      ->type_name("ID|NAME");
  app.add_option("--cases", options.cases, "A .case file or a folder of them, in place of those that are built in")
      ->allow_extra_args(false)
      ->type_name("PATH");
  add_chance(app, options, time);
  app.add_option("--jobs", options.jobs, "Children at once (default: twice the processors)")
      ->check(CLI::Range(1, 256))
      ->type_name("N");
  app.add_flag("--in-process", options.in_process,
               "Judges in this process and without limits, for a debugger: who crashes or hangs ends the run");
  app.add_option("--timeout-multiplier", options.timeout_multiplier,
                 "Multiplies the time a case may take; for slow machines and sanitizers")
      ->check(CLI::Range(1, 1000))
      ->type_name("N");
  app.add_option("--report", options.reports,
                 "Writes the certificate, JSON; or, where FILE ends in .html, one page for people. May be given twice")
      ->allow_extra_args(false)
      ->check(something)
      ->type_name("FILE");
  app.add_option("--verify", verify,
                 "Runs a certificate again: the same plugin, level and seed; and says whether it comes out the same.\n"
                 "CONFIG may be left out where the certificate tells it whole; a plugin file that it\n"
                 "names is loaded only if it has the build id that the certificate tells, or --plugin names it; a\n"
                 "driver is run only if --driver names it too")
      ->check(something)
      ->type_name("FILE");
  app.add_option("--junit", options.junit, "Writes a JUnit report")->check(something)->type_name("FILE");
  app.add_flag("--verbose", options.verbose, "Shows every failure whole, and the table of all promises");
  app.add_flag("--list", options.list, "Lists the cases with their ids, and judges nothing");
  app.add_flag("--json", options.json, "The certificate, or the list, on standard output as JSON");
  try {
    app.parse(static_cast<int>(words.size()), words.data());
    if (!time.empty()) options.time = duration_of(time);
    if (!verify.empty()) take_certificate(options, verify, app);
    if (options.config.empty() && options.driver.empty() && !options.list && !options.gtest_list)
      throw CLI::RequiredError("CONFIG (a config string such as memory:)");
    check_outputs(options);
  } catch (const CLI::Success& wanted) {  // --help, --version
    std::ostringstream text;
    options.exit = app.exit(wanted, text);
    types::write_output(text.str());
  } catch (const CLI::ParseError& error) {
    complain(options, std::string(error.what()) + "\nTry: stile-conformance --help");
    options.exit = 2;
  }
  return options;
}

void complain(const Options& options, const std::string& error) {
  std::cerr << "stile-conformance: " << config::hide_arguments(error, options.arguments) << "\n";
}

}  // namespace stile::conformance

// What the command line of stile-conformance says.
//
// SPDX-License-Identifier: Apache-2.0
#include "runner/options.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include "config/text.hpp"
#include "runner/contract.hpp"
#include "types/streams.hpp"

namespace stile::conformance {
namespace {

constexpr const char* footer = R"(Examples:
  stile-conformance memory:
  stile-conformance --plugin ./mystore.so 'mystore:/tmp/data' --report certificate.json
  stile-conformance memory: --only A4 --only delivery.put_off_until_release
  stile-conformance --list --only D9
  stile-conformance judge HISTORY.jsonl            (judges a recorded history; see judge --help)

Every case runs in a child process and in a namespace of its own; nothing else of the store is touched.
GoogleTest's own flags (--gtest_filter=..., --gtest_list_tests) are taken too.
Exit status: 0 all passed (or declared absent), 1 something failed, crashed or hung, 2 usage or output that cannot be
written, 130 interrupted; where the store does not open, 10 + the number of the status it answered.)";

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

/// A report that cannot be written is said before an hour of judging, not after.
void check_outputs(const Options& options) {
  for (const auto& [option, path] : {std::pair{"--report", options.report}, std::pair{"--junit", options.junit}}) {
    if (path.empty()) continue;
    std::filesystem::path folder = std::filesystem::path(path).parent_path();
    if (folder.empty()) folder = ".";
    std::error_code failed;
    std::string why;
    if (std::filesystem::is_directory(path, failed))
      why = "it is a folder";
    else if (!std::filesystem::is_directory(folder, failed))
      why = "there is no folder " + folder.native();
    else if (access(std::filesystem::exists(path, failed) ? path.c_str() : folder.c_str(), W_OK) != 0)
      why = std::strerror(errno);
    if (!why.empty()) throw CLI::ValidationError(option, path + ": cannot be written: " + why);
  }
}

}  // namespace

Options read_options(int argc, char** argv) {
  std::vector<char*> words = without_gtest_flags(argc, argv);
  Options options;
  options.arguments.assign(argv + (argc > 0), argv + argc);
  options.gtest_list = testing::GTEST_FLAG(list_tests);
  CLI::App app{"Judges a store by the contract, and says what is wrong and why."};
  app.footer(footer);
  app.set_version_flag("--version", "stile-conformance " STILE_CONFORMANCE_VERSION ", contract version " +
                                        std::string(contract_version()));
  app.add_option("CONFIG", options.config, "The store, as a config string; - is $STILE_STORE");
  app.add_option("--plugin", options.plugin_file, "A plugin file to load first")->type_name("FILE");
  app.add_option(
         "--level", options.level,
         "How much is proved: 1, the contract with one caller at a time; 2, with many; 3, with faults; 4, with\n"
         "its server killed, frozen and filled. Each has those before it")
      ->check(CLI::Range(1, 4))
      ->type_name("N");
  app.add_option("--only", options.only, "A contract id (A4), a case (lease.free_is_granted), or a name with *")
      ->type_name("ID|NAME");
  app.add_option("--cases", options.cases, "A .case file or a folder of them, in place of those that are built in")
      ->type_name("PATH");
  app.add_option("--seed", options.seed, "Repeats what was drawn at random (default: drawn anew)")
      ->check(whole_number)
      ->type_name("N");
  app.add_option("--sequence", options.sequence, "Plays one random sequence alone: the number that a failure shows")
      ->check(whole_number)
      ->type_name("N");
  app.add_option("--scale", options.scale, "Multiplies the amount of random work")
      ->check(CLI::Range(1, 10000))
      ->type_name("N");
  app.add_option("--jobs", options.jobs, "Children at once (default: twice the processors)")
      ->check(CLI::Range(1, 256))
      ->type_name("N");
  app.add_option("--timeout-multiplier", options.timeout_multiplier,
                 "Multiplies the time a case may take; for slow machines and sanitizers")
      ->check(CLI::Range(1, 1000))
      ->type_name("N");
  app.add_option("--report", options.report, "Writes the certificate, JSON")->type_name("FILE");
  app.add_option("--junit", options.junit, "Writes a JUnit report")->type_name("FILE");
  app.add_flag("--list", options.list, "Lists the cases with their ids, and judges nothing");
  app.add_flag("--json", options.json, "The certificate, or the list, on standard output as JSON");
  try {
    app.parse(static_cast<int>(words.size()), words.data());
    if (options.config.empty() && !options.list && !options.gtest_list)
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

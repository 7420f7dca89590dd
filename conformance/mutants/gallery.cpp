// Judges the suite: the store as it is must pass whole, and each mutant must be failed by a case of every promise that
// its entry says it breaks.
//
// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <iostream>
#include <set>

#include "mutants/entries.hpp"
#include "mutants/suite_run.hpp"
#include "types/streams.hpp"

namespace stile::conformance::mutants {
namespace {

constexpr const char* usual_store = "memory:?clock=manual";

struct Options {
  Suite suite;
  std::string list;
  std::string chapter;
  std::vector<std::string> only;
  int level = 0;  ///< 0 = that of each mutant
  std::uint64_t seed = 1, seeds = 20;
  unsigned hunts = 1;
  std::vector<std::string> checks;
  bool unmutated = false;
  bool whole = false;
};

std::string padded(std::string text, std::size_t width) {
  text.resize(std::max(text.size(), width), ' ');
  return text;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

/// Promises that have cases, and no mutant that would show that these can fail.
std::vector<std::string> never_failed(const SuiteRun& run, const std::vector<Mutant>& mutants) {
  std::set<std::string> broken;
  for (const Mutant& mutant : mutants) broken.insert(mutant.breaks.begin(), mutant.breaks.end());
  std::vector<std::string> out;
  for (const std::string& id : run.judged_ids())
    if (broken.count(id) == 0) out.push_back(id);
  return out;
}

bool judge_unmutated(const Options& options, const std::vector<Mutant>& mutants) {
  const SuiteRun run = run_suite(options.suite, "", usual_store, {});
  if (run.status != 0 || run.certificate.empty() || !run.certificate.at("conformant").as_bool()) {
    std::cout << run.said << "\nthe store as it is does not pass: its mutants prove nothing\n";
    return false;
  }
  std::cout << "the store as it is passes; " << mutants.size() << " mutants of it are known\n"
            << "promises with cases that no mutant has failed yet: " << joined(never_failed(run, mutants)) << "\n";
  return true;
}

/// What failed it, for one promise; nullopt and a word about it where nothing did.
std::optional<std::string> catch_one(const Options& options, const Mutant& mutant, const std::string& id) {
  const std::string store = mutant.store.empty() ? usual_store : mutant.store;
  std::vector<std::string> more{"--only", id};
  if (!options.whole) more.push_back("--gtest_fail_fast");
  SuiteRun run = run_suite(options.suite, mutant.name, store, more);
  std::optional<std::string> caught = run.caught_by(id);
  if (!caught && run.status == 1 && !options.whole) {  // the first that failed may have named other promises
    run = run_suite(options.suite, mutant.name, store, {"--only", id});
    caught = run.caught_by(id);
  }
  if (options.whole || (run.status != 0 && run.status != 1)) std::cout << run.said << "\n";
  return caught;
}

std::string median(std::vector<std::uint64_t> of) {
  std::sort(of.begin(), of.end());
  return of.empty() ? "-" : std::to_string(of[(of.size() - 1) / 2]);
}

/// At a level where threads decide: seed after seed, and that as often as is asked for.
bool hunt_down(const Options& options, const Mutant& mutant, int level) {
  std::vector<std::uint64_t> seeds;
  std::string check = "NOT CAUGHT", id;
  Hunt wanted{mutant.name, mutant.store.empty() ? usual_store : mutant.store, level, options.checks, mutant.breaks};
  if (wanted.checks.empty() && !mutant.check.empty()) wanted.checks = {mutant.check};
  wanted.most_seeds = options.seeds;
  for (unsigned i = 0; i < options.hunts; ++i) {
    wanted.seed = options.seed + i * options.seeds;
    auto caught = hunt(options.suite, wanted);
    if (!caught) continue;
    seeds.push_back(caught->seeds);
    check = caught->check;
    id = caught->id;
  }
  std::cout << padded(mutant.name, 40) << " " << padded(id, 4) << " " << padded(check, 24) << " level " << level
            << ", caught " << seeds.size() << " of " << options.hunts << ", median of seeds " << median(seeds)
            << std::endl;
  if (seeds.size() == options.hunts) return true;
  std::cout << "  " << options.list << ":" << mutant.line << ": " << mutant.slip << "\n";
  return false;
}

bool judge(const Options& options, const Mutant& mutant) {
  int level = options.level != 0 ? options.level : mutant.level.empty() ? 1 : std::stoi(mutant.level);
  if (level > 1) return hunt_down(options, mutant, level);
  bool all = true;
  for (const std::string& id : mutant.breaks) {
    const auto begun = std::chrono::steady_clock::now();
    const std::optional<std::string> caught = catch_one(options, mutant, id);
    const auto took = std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - begun);
    std::cout << padded(mutant.name, 40) << " " << padded(id, 4) << " " << padded(caught.value_or("NOT CAUGHT"), 44)
              << took.count() << " s" << std::endl;
    if (caught) continue;
    all = false;
    std::cout << "  " << options.list << ":" << mutant.line << ": " << mutant.slip << "\n  STILE_MUTANT=" << mutant.name
              << " " << options.suite.program << " --plugin " << options.suite.plugin << " '"
              << (mutant.store.empty() ? usual_store : mutant.store) << "' --seed 1 --only " << id << "\n";
  }
  return all;
}

bool wanted(const Options& options, const Mutant& mutant) {
  bool many_callers = !mutant.level.empty() && mutant.level != "1";
  if (options.only.empty() && many_callers != (options.chapter == "concurrent")) return false;
  if (options.only.empty() && many_callers) return true;
  if (!options.only.empty())
    return std::find(options.only.begin(), options.only.end(), mutant.name) != options.only.end();
  return options.chapter.empty() || mutant.breaks[0].substr(0, 1) == options.chapter;
}

int run(const Options& options) {
  const std::vector<Mutant> mutants = read_mutants(read_file(options.list), options.list);
  if (options.unmutated) return judge_unmutated(options, mutants) ? 0 : 1;
  std::size_t judged = 0, missed = 0;
  for (const Mutant& mutant : mutants) {
    if (!wanted(options, mutant)) continue;
    ++judged;
    if (!judge(options, mutant)) ++missed;
  }
  std::cout << judged << " mutants, " << missed << " not caught\n";
  return judged == 0 || missed != 0 ? 1 : 0;
}

}  // namespace
}  // namespace stile::conformance::mutants

int main(int argc, char** argv) {
  using namespace stile::conformance::mutants;
  stile::types::open_standard_streams();
  Options options;
  options.suite.folder = ".";
  CLI::App app{"Judges the suite by stores that are broken in one way each."};
  app.add_option("MUTANTS", options.list, "The mutants")->required();
  app.add_option("--suite", options.suite.program, "The program stile-conformance")->required();
  app.add_option("--plugin", options.suite.plugin, "The plugin with the switches")->required();
  app.add_option("--folder", options.suite.folder, "Where the runs write their reports");
  app.add_option("--chapter", options.chapter,
                 "Only those whose first promise is of this chapter: A, B, ...; or concurrent");
  app.add_option("--only", options.only, "Only the mutants of these names");
  app.add_option("--level", options.level, "Of the suite that must catch them, in place of what each mutant says")
      ->check(CLI::Range(1, 4));
  app.add_option("--seed", options.seed, "The first seed, where many callers decide")->check(CLI::PositiveNumber);
  app.add_option("--seeds", options.seeds, "Given up after so many")->check(CLI::PositiveNumber);
  app.add_option("--hunts", options.hunts, "So often each, for the median of the seeds it takes")
      ->check(CLI::Range(1, 1000));
  app.add_option("--checks", options.checks, "Only these checks, where many callers decide: Concurrent.*");
  app.add_flag("--unmutated", options.unmutated, "Judges the store as it is, and lists the promises without a mutant");
  app.add_flag("--whole", options.whole, "Runs every case of the promise, and shows what the suite says");
  CLI11_PARSE(app, argc, argv);
  try {
    return stile::types::finish_output(run(options));
  } catch (const std::exception& error) {
    std::cerr << "stile-mutants: " << error.what() << "\n";
    return 2;
  }
}

// Judges the suite: the store as it is must pass whole, and each mutant must be failed by a case of every promise that
// its entry says it breaks.
//
// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <fstream>
#include <iostream>
#include <set>

#include "mutants/judging.hpp"
#include "types/streams.hpp"

namespace stile::conformance::mutants {
namespace {

struct Options {
  Judging how;
  std::string list, table;
  std::string chapter;
  std::vector<std::string> only;
  int level = 0;  ///< 0 = that of each mutant
  bool unmutated = false;
  bool write = false;
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
  std::vector<std::string> more{"--level", std::to_string(std::max(options.level, 1))};
  for (const std::string& check : options.how.checks) more.insert(more.end(), {"--only", check});
  const std::string mutant = options.only.empty() ? "" : options.only.front();
  const SuiteRun run = run_suite(options.how.suite, mutant, options.how.store, more, options.how.seed);
  if (run.status != 0 || run.certificate.empty()) {
    std::cout << run.said << "\nthe store as it is does not pass: its mutants prove nothing\n";
    return false;
  }
  std::cout << "the store as it is passes; " << mutants.size() << " mutants of it are known\n";
  if (options.how.checks.empty())
    std::cout << "promises with cases that no mutant has failed yet: " << joined(never_failed(run, mutants)) << "\n";
  return true;
}

int level_of(const Options& options, const Mutant& mutant) {
  return options.level != 0 ? options.level : row_of(mutant).level;
}

std::string command_of(const Options& options, const Mutant& mutant, const Row& row) {
  const Suite& suite = options.how.suite;
  std::string text = "STILE_MUTANT=" + mutant.name + " " + joined(suite.program);
  if (!suite.plugin.empty()) text += " --plugin " + suite.plugin;
  if (!suite.driver.empty()) text += " --driver '" + suite.driver + "'";
  const std::string& store = mutant.store.empty() ? options.how.store : mutant.store;
  if (!store.empty()) text += " '" + store + "'";
  text += " --level " + std::to_string(row.level) + " --seed " + std::to_string(options.how.seed);
  for (const std::string& only : mutant.check.empty() ? mutant.breaks : std::vector{mutant.check})
    text += " --only " + only;
  return text;
}

Judged judge(const Options& options, const Mutant& mutant, const Table* table) {
  const auto begun = std::chrono::steady_clock::now();
  const Row* row = table != nullptr ? table->find(mutant.name) : nullptr;
  Judged judged = row != nullptr && !options.write ? confirm(options.how, mutant, *row)
                                                   : find_out(options.how, mutant, level_of(options, mutant));
  const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begun);
  std::cout << padded(mutant.name, 40) << " " << padded(joined(judged.row.ids), 9) << " level " << judged.row.level
            << "  " << padded(judged.row.checks.empty() ? "NOT CAUGHT" : joined(judged.row.checks), 44) << " seeds "
            << judged.row.seeds << "  " << took.count() << " ms" << std::endl;
  if (judged.caught()) return judged;
  std::cout << "  " << judged.wrong << "\n  " << options.list << ":" << mutant.line << ": " << mutant.slip << "\n  "
            << command_of(options, mutant, judged.row) << "\n";
  if (row == nullptr || options.write) return judged;
  const Judged found = find_out(options.how, mutant, row->level);
  std::cout << "  found anew, it is failed by: "
            << (found.row.checks.empty() ? "nothing" : joined(found.row.checks) + "; make the table anew") << std::endl;
  return judged;
}

/// --chapter A: those of level 1 whose first promise is of it; --chapter 2: those of level 2.
bool wanted(const Options& options, const Mutant& mutant) {
  if (!options.only.empty())
    return std::find(options.only.begin(), options.only.end(), mutant.name) != options.only.end();
  if (options.chapter.empty()) return true;
  const int level = row_of(mutant).level;
  return options.chapter == std::to_string(level) || (level == 1 && mutant.breaks[0].substr(0, 1) == options.chapter);
}

void write_table(const Options& options, const std::string& title, std::vector<Row> rows) {
  std::ofstream out(options.table, std::ios::binary | std::ios::trunc);
  out << table_text(title, std::move(rows));
  out.close();
  if (!out) throw std::runtime_error(options.table + ": cannot be written");
}

/// The table as committed must be the one that is made of its rows and of the entries as they are now.
bool table_holds(const Options& options, const Table& table, const std::vector<Mutant>& mutants) {
  std::string wrong = differences(table, mutants);
  if (wrong.empty() && table_text(table.title, table.rows) != read_file(options.table))
    wrong = "it is not as it would be made of its rows\n";
  if (!wrong.empty()) std::cout << options.table << ":\n" << wrong << "make it anew\n";
  return wrong.empty();
}

int run(Options options) {
  const std::vector<Mutant> mutants = read_mutants(read_file(options.list), options.list);
  for (const std::string& name : options.only)
    if (std::none_of(mutants.begin(), mutants.end(), [&](const Mutant& each) { return each.name == name; }))
      throw std::runtime_error(options.list + ": no mutant is called " + name);
  if (options.unmutated) return judge_unmutated(options, mutants) ? 0 : 1;
  std::optional<Table> table;
  if (!options.table.empty()) table = read_table(read_file(options.table), options.table);
  bool all_well = !table || options.write || table_holds(options, *table, mutants);
  std::size_t judged = 0, missed = 0;
  std::vector<Row> rows;
  for (const Mutant& mutant : mutants) {
    if (!wanted(options, mutant)) {
      if (const Row* kept = table ? table->find(mutant.name) : nullptr) rows.push_back(*kept);
      continue;
    }
    ++judged;
    const Judged one = judge(options, mutant, table ? &*table : nullptr);
    one.caught() ? rows.push_back(one.row) : void(++missed);
  }
  std::cout << judged << " mutants, " << missed << " not caught\n";
  if (options.write && table) write_table(options, table->title, rows);
  return all_well && judged != 0 && missed == 0 ? 0 : 1;
}

void add_options(CLI::App& app, Options& options) {
  Judging& how = options.how;
  app.add_option("MUTANTS", options.list, "The mutants")->required();
  app.add_option("--suite", how.suite.program, "The program stile-conformance; once for each word before its arguments")
      ->required()
      ->allow_extra_args(false);
  app.add_option("--plugin", how.suite.plugin, "The plugin with the switches");
  app.add_option("--driver", how.suite.driver, "Of the store's server, for level 4");
  app.add_option("--store", how.store,
                 "What mutants are judged on that name no store; driver: on a server that it starts");
  app.add_option("--folder", how.suite.folder, "Where the runs write their reports");
  app.add_option("--table", options.table, "What fails each: every row that is looked at must hold");
  app.add_flag("--write", options.write, "Makes the rows of the table anew")->needs("--table");
  app.add_option(
      "--chapter", options.chapter,
      "Only those of level 1 whose first promise is of this chapter: A, B, ...; or those of a level: 2, ...");
  app.add_option("--only", options.only, "Only the mutants of these names");
  app.add_option("--level", options.level, "Of the suite that must catch them, in place of what each mutant says")
      ->check(CLI::Range(1, 4));
  app.add_option("--seed", how.seed, "The first seed, where chance decides")->check(CLI::PositiveNumber);
  app.add_option("--seeds", how.seeds, "Given up after so many")->check(CLI::PositiveNumber);
  app.add_option("--hunts", how.hunts, "So often each, for the median of the seeds it takes")
      ->check(CLI::Range(1, 1000));
  app.add_option("--checks", how.checks, "Above level 1 only these checks: Concurrent.*");
  app.add_flag("--unmutated", options.unmutated, "Judges the store as it is, and lists the promises without a mutant");
  app.add_flag("--whole", how.whole, "Runs every case of the promise, and shows what the suite says");
}

}  // namespace
}  // namespace stile::conformance::mutants

int main(int argc, char** argv) {
  using namespace stile::conformance::mutants;
  stile::types::open_standard_streams();
  Options options;
  options.how.store = "memory:?clock=manual";
  options.how.suite.folder = ".";
  CLI::App app{"Judges the suite by stores that are broken in one way each."};
  add_options(app, options);
  CLI11_PARSE(app, argc, argv);
  if (options.how.store == "driver") options.how.store.clear();
  try {
    return stile::types::finish_output(run(options));
  } catch (const std::exception& error) {
    std::cerr << "stile-mutants: " << error.what() << "\n";
    return 2;
  }
}

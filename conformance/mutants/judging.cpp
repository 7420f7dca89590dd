// Running the suite on one mutant until it is caught, or given up.
//
// SPDX-License-Identifier: Apache-2.0
#include "mutants/judging.hpp"

#include <algorithm>
#include <iostream>
#include <map>

namespace stile::conformance::mutants {
namespace {

const std::string& store_of(const Judging& how, const Mutant& mutant) {
  return mutant.store.empty() ? how.store : mutant.store;
}

/// What failed it, for one promise; nullopt and a word about it where nothing did.
std::optional<std::string> catch_one(const Judging& how, const Mutant& mutant, const std::string& id) {
  const std::string& store = store_of(how, mutant);
  std::vector<std::string> more{"--only", id, "--jobs", "1"};  // the first one is always the same
  if (!how.whole) more.push_back("--gtest_fail_fast");
  SuiteRun run = run_suite(how.suite, mutant.name, store, more, how.seed);
  std::optional<std::string> caught = run.caught_by(id);
  if (!caught && run.status == 1 && !how.whole) {  // the first that failed may have named other promises
    run = run_suite(how.suite, mutant.name, store, {"--only", id}, how.seed);
    caught = run.caught_by(id);
  }
  if (how.whole || (run.status != 0 && run.status != 1)) std::cout << run.said << "\n";
  return caught;
}

std::uint64_t median(std::vector<std::uint64_t> of) {
  std::sort(of.begin(), of.end());
  return of[(of.size() - 1) / 2];
}

std::string most_often(const std::map<std::string, unsigned>& checks) {
  return std::max_element(checks.begin(), checks.end(), [](auto& a, auto& b) { return a.second < b.second; })->first;
}

/// At a level where threads decide: seed after seed, and that as often as is asked for.
Judged hunt_down(const Judging& how, const Mutant& mutant, int level, const std::vector<std::string>& checks) {
  Judged out{row_of(mutant), {}};
  out.row.level = level;
  Hunt wanted{mutant.name, store_of(how, mutant), level, checks, mutant.breaks};
  wanted.most_seeds = how.seeds;
  std::map<std::string, unsigned> caught_by;
  std::vector<std::uint64_t> seeds;
  for (unsigned i = 0; i < how.hunts; ++i) {
    wanted.seed = how.seed + i * how.seeds;
    const auto caught = hunt(how.suite, wanted);
    if (!caught) continue;
    seeds.push_back(caught->seeds);
    ++caught_by[caught->check];
  }
  if (!seeds.empty()) {
    out.row.checks = {most_often(caught_by)};
    out.row.seeds = median(seeds);
  }
  if (seeds.size() != how.hunts)
    out.wrong = "caught " + std::to_string(seeds.size()) + " times of " + std::to_string(how.hunts) + ", within " +
                std::to_string(how.seeds) + " seeds each";
  return out;
}

}  // namespace

Judged find_out(const Judging& how, const Mutant& mutant, int level) {
  if (level > 1) {
    std::vector<std::string> checks = how.checks;
    if (checks.empty() && !mutant.check.empty()) checks = {mutant.check};
    return hunt_down(how, mutant, level, checks);
  }
  Judged out{row_of(mutant), {}};
  out.row.level = level;
  out.row.seeds = 1;
  for (const std::string& id : mutant.breaks) {
    if (const auto caught = catch_one(how, mutant, id))
      out.row.checks.push_back(*caught);
    else
      out.wrong += (out.wrong.empty() ? "" : "; ") + ("nothing fails it for " + id);
  }
  return out;
}

Judged confirm(const Judging& how, const Mutant& mutant, const Row& row) {
  if (row.level > 1) {
    Judged out = hunt_down(how, mutant, row.level, row.checks);
    if (out.caught() && how.hunts > 1 && !median_holds(row.seeds, out.row.seeds))
      out.wrong =
          "it takes " + std::to_string(out.row.seeds) + " seeds, and the table says " + std::to_string(row.seeds);
    return out;
  }
  std::vector<std::string> more;
  for (const std::string& check : row.checks) more.insert(more.end(), {"--only", check});
  const SuiteRun run = run_suite(how.suite, mutant.name, store_of(how, mutant), more, how.seed);
  Judged out{row, {}};
  for (std::size_t i = 0; i < row.ids.size(); ++i)
    if (!run.caught_by(row.ids[i], {row.checks[i]}))
      out.wrong += (out.wrong.empty() ? "" : "; ") + (row.checks[i] + " does not fail it for " + row.ids[i]);
  if (!out.caught() && run.status != 0 && run.status != 1) out.wrong += ": " + run.said;
  return out;
}

}  // namespace stile::conformance::mutants

// One run of the suite, from the command line to the exit status.
//
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <deque>
#include <filesystem>
#include <iostream>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <thread>

#include "checks/checks.hpp"
#include "config/text.hpp"
#include "dialogue/suite.hpp"
#include "report/output.hpp"
#include "report/pages.hpp"
#include "runner/choice.hpp"
#include "runner/estimate.hpp"
#include "runner/mending.hpp"
#include "runner/options.hpp"
#include "runner/probe.hpp"
#include "runner/progress.hpp"
#include "runner/registry.hpp"
#include "runner/reports.hpp"
#include "runner/schedule.hpp"
#include "runner/verify.hpp"
#include "servers/caller_main.hpp"
#include "servers/servers.hpp"
#include "stile/conformance.hpp"
#include "types/streams.hpp"

namespace stile::conformance {
namespace {

enum Exit { all_passed = 0, some_failed = 1, usage = 2, interrupted = 130 };

/// The run's own folder, where checks put what they record. Gone at the end, unless it was told to stay.
class Folder {
 public:
  Folder() {
    constexpr const char* remedy = "; set TMPDIR to a folder that can be written";
    std::error_code failed;
    path_ = std::filesystem::temp_directory_path(failed) / "stile-conformance.XXXXXX";
    const char* named = std::getenv("TMPDIR");
    if (failed)
      throw std::runtime_error("TMPDIR=" + std::string(named ? named : "") + ": " + failed.message() + remedy);
    if (!mkdtemp(path_.data())) throw std::runtime_error(path_ + ": " + std::strerror(errno) + remedy);
  }
  ~Folder() {
    std::error_code ignored;
    if (!kept_) std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  const std::string& path() const { return path_; }
  void keep() { kept_ = true; }

 private:
  std::string path_;
  bool kept_ = false;
};

std::string utc_now() {
  std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

bool write_file(const std::string& path, const std::string& text) {
  const std::string why = report::write_output_file(path, text);
  if (!why.empty()) std::cerr << "stile-conformance: " << path << ": cannot be written: " << why << "\n";
  return why.empty();
}

bool report(const Options& options, const Run& run) {
  bool written = true;
  std::string text = json::serialize(certificate(run)) + "\n";
  for (const std::string& path : options.reports)
    written = write_file(path, report::is_page(path) ? report::run_page(run) : text) && written;
  if (!options.junit.empty()) written = write_file(options.junit, junit(run)) && written;
  types::write_output(options.json ? text : table(run, isatty(STDOUT_FILENO) == 1));
  // Where JSON was asked for, standard output is JSON alone.
  if (options.json) std::cerr << mending_text(run, run.verbose);
  return written;
}

/// Most cases wait more than they work, and what they do to each other a store must bear.
int jobs_of(const Options& options) {
  if (options.jobs != 0) return options.jobs;
  return static_cast<int>(2 * std::max(1U, std::thread::hardware_concurrency()));
}

int tell_interrupted(std::size_t judged) {
  std::cerr << "stile-conformance: interrupted; " << judged << (judged == 1 ? " check was" : " checks were")
            << " judged\n";
  return interrupted;
}

/// The run itself, told to the reports; false where a signal ended it.
bool judge_all(const Options& options, Target& target, Folder& folder, Run& run) {
  auto begun = std::chrono::steady_clock::now();
  int jobs = jobs_of(options);
  Schedule schedule(target, jobs, options.timeout_multiplier, options.in_process);
  auto& listeners = testing::UnitTest::GetInstance()->listeners();
  delete listeners.Release(listeners.default_result_printer());
  auto* progress = new Progress(schedule, run, jobs, [&](const std::deque<const Check*>& checks) {
    target.time = share_of(options.time, checks, jobs);
  });
  listeners.Append(progress);
  set_judge([&](const Check& check) {
    Result result = schedule.take(check);
    if (interrupted_by() == 0) {
      run.results.push_back(result);
      if (!result.outcome.history.empty()) folder.keep();
      progress->show(result);
    }
    return result;
  });
  [[maybe_unused]] int status = RUN_ALL_TESTS();  // it says no more than the results do
  progress->clear();
  run.took = std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now() - begun);
  listeners.Release(progress);
  delete progress;
  return interrupted_by() == 0;
}

int finish(const Options& options, const Run& run) {
  if (run.results.empty()) {
    std::cerr << "stile-conformance: nothing was run\n";
    return usage;
  }
  if (!report(options, run)) return usage;
  if (!options.certificate) return run.counts().broken() == 0 ? all_passed : some_failed;
  Agreement agreement = compare(*options.certificate, run);
  if (agreement.agrees() && !agreement.too_little.empty()) {
    complain(options, "--verify: this cannot be verified here: it comes out the same, but of less work. " +
                          agreement.too_little + " Another machine, or fewer --jobs, takes longer turns");
    return usage;
  }
  std::string text = agreement_text(*options.certificate, agreement);
  // Where JSON was asked for, standard output is JSON alone.
  if (options.json)
    std::cerr << text;
  else
    types::write_output(text);
  return agreement.agrees() ? all_passed : some_failed;
}

/// Nothing of what was judged is lost: it is told and reported as a part of the suite.
int finish_interrupted(const Options& options, Run& run) {
  run.partial = run.interrupted = true;
  if (!run.results.empty()) report(options, run);
  return tell_interrupted(run.results.size());
}

/// The first look at the store; not -1: the run ends with this.
int look(const Options& options, Target& target) {
  Look seen = look_at(target);
  if (interrupted_by() != 0) return tell_interrupted(0);
  if (!seen.facts) {
    complain(options, seen.error);
    if (!seen.status) return some_failed;
    return *seen.status == Status::invalid ? usage : 10 + static_cast<int>(*seen.status);
  }
  target.facts = *seen.facts;
  if (!options.certificate) return -1;
  std::string other = other_than(*options.certificate, target.facts);
  if (other.empty()) return -1;
  complain(options, "--verify: this cannot be verified here: " + other);
  return usage;
}

/// A case file that is wrong is said before the store is touched.
void add_dialogues(const Options& options) {
  std::vector<CaseFile> files;
  for (const std::string& path : options.cases)
    for (CaseFile& file : read_cases(path)) files.push_back(std::move(file));
  if (options.cases.empty()) files = built_in_cases();
  for (const CaseFile& file : files) add_cases(file);
}

Target target_of(const Options& options) {
  Target target;
  target.config = options.config;
  target.plugin_file = options.plugin_file;
  target.driver = options.driver;
  target.of_driver = options.config.empty();
  target.level = options.level;
  target.patience = options.timeout_multiplier;
  target.scale = options.scale;
  target.sequence = options.sequence;
  target.seed = options.seed != 0 ? options.seed : Id::random().bytes[0] * 256U + Id::random().bytes[1] + 1;
  target.run = Id::random().text().substr(0, 8);
  return target;
}

int run_suite(const Options& options, const std::string& command) {
  Target target = target_of(options);
  add_dialogues(options);
  bool judging = !options.list && !options.gtest_list;
  std::optional<Folder> folder;
  std::optional<servers::ForRun> for_run;
  if (judging) {
    watch_signals();
    folder.emplace();
    target.folder = folder->path();
    if (!target.driver.empty())
      for_run.emplace(target.driver, target.folder + "/driver", target.of_driver, target.patience, interrupted_by);
    if (target.of_driver) target.config = for_run->config();
    if (int end = look(options, target); end >= 0) return end;
  } else {
    target = store_with_all();
  }
  if (options.cases.empty()) add_checks_in_code(target);
  int highest = 1;
  for (const auto& check : all_checks()) highest = std::max(highest, check->level);
  if (options.level > highest && !options.cases.empty()) {
    complain(options, "--level " + std::to_string(options.level) + " with --cases: cases are of level 1");
    return usage;
  }
  if (options.level > highest) {
    complain(options, "--level " + std::to_string(options.level) + ": this store can be judged up to level " +
                          std::to_string(highest) + (options.driver.empty() ? "; level 4 needs --driver" : ""));
    return usage;
  }
  std::vector<const Check*> chosen;
  if (!choose(options, chosen)) return usage;
  const std::string given = testing::GTEST_FLAG(filter);
  if (!options.only.empty() || given == "*" || given.starts_with('-')) filter(chosen);
  if (options.gtest_list) return RUN_ALL_TESTS();
  if (options.list) {
    types::write_output(options.json ? list_json(chosen) : list_text(chosen));
    return all_passed;
  }
  Run run;
  run.command = command;
  run.target = &target;
  run.cases = options.cases;
  run.time = options.time;
  run.started_at = utc_now();
  run.verbose = options.verbose;
  if (!judge_all(options, target, *folder, run)) return finish_interrupted(options, run);
  return finish(options, run);
}

}  // namespace
}  // namespace stile::conformance

int stile::conformance_main(int argc, char** argv) {
  namespace suite = stile::conformance;
  if (argc > 1 && suite::servers::caller_word == argv[1]) return suite::servers::caller_main();
  std::string command = argc > 0 ? argv[0] : "stile-conformance";
  suite::Options options = suite::read_options(argc, argv);
  if (options.exit >= 0) return options.exit;
  try {
    return suite::run_suite(options, command);
  } catch (const suite::SyntaxError& error) {
    std::cerr << config::hide_arguments(error.what(), options.arguments) << "\n";
  } catch (const std::exception& error) {
    complain(options, error.what());
  }
  return suite::usage;
}

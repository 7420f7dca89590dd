// One run of the suite, from the command line to the exit status.
//
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <deque>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>
#include <system_error>
#include <thread>

#include "checks/checks.hpp"
#include "config/text.hpp"
#include "dialogue/suite.hpp"
#include "runner/options.hpp"
#include "runner/probe.hpp"
#include "runner/registry.hpp"
#include "runner/reports.hpp"
#include "runner/schedule.hpp"
#include "stile/conformance.hpp"
#include "types/streams.hpp"

namespace stile::conformance {
namespace {

enum Exit { all_passed = 0, some_failed = 1, usage = 2, interrupted = 130 };

/// `lease.free_is_granted`, with dashes too; `lease.*`; `A4`, of the levels asked for.
bool matches(const Check& check, std::string wanted, int level) {
  for (const std::string& id : check.ids)
    if (id == wanted) return check.level <= level;
  std::replace(wanted.begin(), wanted.end(), '-', '_');
  std::string name = check.suite + "." + check.name;
  std::size_t star = wanted.find('*');
  if (star == std::string::npos) return name == wanted || check.suite == wanted;
  return name.starts_with(wanted.substr(0, star)) && name.ends_with(wanted.substr(star + 1));
}

/// The checks asked for; false with a word about it where one of the wishes fits none.
bool choose(const Options& options, std::vector<const Check*>& chosen) {
  std::set<std::string> fitting;
  for (const auto& check : all_checks()) {
    bool wanted = options.only.empty() && check->level <= options.level;
    for (const std::string& one : options.only)
      if (matches(*check, one, options.level)) wanted = true, fitting.insert(one);
    if (wanted) chosen.push_back(check.get());
  }
  for (const std::string& one : options.only)
    if (fitting.count(one) == 0) {
      complain(options, "--only " + one + ": no contract id and no case is called so; see --list");
      return false;
    }
  return true;
}

std::string list_text(const std::vector<const Check*>& chosen) {
  std::string text;
  for (const Check* check : chosen) {
    text += check->suite + "." + check->name + "  ";
    for (const std::string& id : check->ids) text += " " + id;
    text += "\n    " + check->about + "\n";
  }
  return text + std::to_string(chosen.size()) + " cases\n";
}

std::string list_json(const std::vector<const Check*>& chosen) {
  json::object told;
  json::array& cases = told["cases"].emplace_array();
  for (const Check* check : chosen)
    cases.push_back(json::object{
        {"name", check->suite + "." + check->name}, {"ids", json::value_from(check->ids)}, {"about", check->about}});
  return json::serialize(told) + "\n";
}

void filter(const std::vector<const Check*>& chosen) {
  std::string names;
  for (const Check* check : chosen) names += (names.empty() ? "" : ":") + check->suite + "." + check->name;
  testing::GTEST_FLAG(filter) = names;
}

/// The run's own folder, where checks put what they record. Gone at the end, unless it was told to stay.
class Folder {
 public:
  Folder() {
    std::string path = std::filesystem::temp_directory_path() / "stile-conformance.XXXXXX";
    if (!mkdtemp(path.data())) throw std::system_error(errno, std::generic_category(), path);
    path_ = path;
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

/// Plans the children once GoogleTest has chosen what it will run, and says how far the run is.
class Progress : public testing::EmptyTestEventListener {
 public:
  Progress(Schedule& schedule, Run& run) : schedule_(schedule), run_(run), terminal_(isatty(STDERR_FILENO) == 1) {
    for (const auto& check : all_checks()) of_level_ += check->level <= run.target->level;
  }

  void OnTestIterationStart(const testing::UnitTest& unit, int) override {
    std::deque<const Check*> checks;
    for (int s = 0; s < unit.total_test_suite_count(); ++s) {
      const testing::TestSuite& suite = *unit.GetTestSuite(s);
      for (int t = 0; t < suite.total_test_count(); ++t) {
        const testing::TestInfo& test = *suite.GetTestInfo(t);
        const Check* check = find_check(suite.name(), test.name());
        if (check && test.should_run()) checks.push_back(check);
      }
    }
    planned_ = checks.size();
    run_.partial = planned_ != of_level_;
    schedule_.plan(std::move(checks));
  }

  void show(const Result& result) {
    Verdict verdict = result.outcome.verdict;
    clear();
    if (verdict != Verdict::passed && verdict != Verdict::absent) std::cerr << failure_text(run_, result) << "\n";
    if (!terminal_) return;
    std::cerr << "\r" << run_.results.size() << "/" << planned_ << "  " << result.check->suite << "."
              << result.check->name << std::flush;
    shown_ = true;
  }

  void clear() {
    if (shown_) std::cerr << "\r\x1b[K" << std::flush;
    shown_ = false;
  }

 private:
  Schedule& schedule_;
  Run& run_;
  bool terminal_;
  bool shown_ = false;
  std::size_t planned_ = 0, of_level_ = 0;
};

bool write_file(const std::string& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary);
  out << text;
  out.close();
  if (out) return true;
  std::cerr << "stile-conformance: " << path << ": cannot be written\n";
  return false;
}

bool report(const Options& options, const Run& run) {
  bool written = true;
  std::string text = json::serialize(certificate(run)) + "\n";
  if (!options.report.empty()) written = write_file(options.report, text);
  if (!options.junit.empty()) written = write_file(options.junit, junit(run)) && written;
  types::write_output(options.json ? text : table(run, isatty(STDOUT_FILENO) == 1));
  return written;
}

/// Most cases wait more than they work, and what they do to each other a store must bear.
int jobs_of(const Options& options) {
  if (options.jobs != 0) return options.jobs;
  return static_cast<int>(2 * std::max(1U, std::thread::hardware_concurrency()));
}

int tell_interrupted(std::size_t judged) {
  std::cerr << "stile-conformance: interrupted; " << judged << " cases were judged\n";
  return interrupted;
}

int judge_all(const Options& options, const Target& target, const std::string& command, Folder& folder) {
  Run run;
  run.command = command;
  run.target = &target;
  run.cases = options.cases;
  run.started_at = utc_now();
  auto begun = std::chrono::steady_clock::now();
  Schedule schedule(target, jobs_of(options), options.timeout_multiplier);
  auto& listeners = testing::UnitTest::GetInstance()->listeners();
  delete listeners.Release(listeners.default_result_printer());
  auto* progress = new Progress(schedule, run);
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
  int status = RUN_ALL_TESTS();
  progress->clear();
  run.took = std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now() - begun);
  listeners.Release(progress);
  delete progress;
  if (interrupted_by() != 0) return tell_interrupted(run.results.size());
  if (run.results.empty()) {
    std::cerr << "stile-conformance: nothing was run\n";
    return usage;
  }
  bool written = report(options, run);
  if (!written) return usage;
  return status == 0 && run.counts().broken() == 0 ? all_passed : some_failed;
}

int run_suite(const Options& options, const std::string& command) {
  Target target;
  target.config = options.config;
  target.plugin_file = options.plugin_file;
  target.level = options.level;
  target.scale = options.scale;
  target.sequence = options.sequence;
  target.seed = options.seed != 0 ? options.seed : Id::random().bytes[0] * 256U + Id::random().bytes[1] + 1;
  target.run = Id::random().text().substr(0, 8);
  std::vector<CaseFile> files;
  for (const std::string& path : options.cases)
    for (CaseFile& file : read_cases(path)) files.push_back(std::move(file));
  if (options.cases.empty()) files = built_in_cases();
  for (const CaseFile& file : files) add_cases(file);
  bool judging = !options.list && !options.gtest_list;
  if (judging) {
    watch_signals();
    Look look = look_at(target);
    if (interrupted_by() != 0) return tell_interrupted(0);
    if (!look.facts) {
      complain(options, look.error);
      if (!look.status) return some_failed;
      return *look.status == Status::invalid ? usage : 10 + static_cast<int>(*look.status);
    }
    target.facts = *look.facts;
  }
  if (options.cases.empty()) add_checks_in_code(target);
  int highest = 1;
  for (const auto& check : all_checks()) highest = std::max(highest, check->level);
  if (options.level > highest) {
    complain(options, "--level " + std::to_string(options.level) + ": this store can be judged up to level " +
                          std::to_string(highest));
    return usage;
  }
  std::vector<const Check*> chosen;
  if (!choose(options, chosen)) return usage;
  if (!options.only.empty() || testing::GTEST_FLAG(filter) == "*") filter(chosen);
  if (options.gtest_list) return RUN_ALL_TESTS();
  if (options.list) {
    types::write_output(options.json ? list_json(chosen) : list_text(chosen));
    return all_passed;
  }
  Folder folder;
  target.folder = folder.path();
  return judge_all(options, target, command, folder);
}

}  // namespace
}  // namespace stile::conformance

int stile::conformance_main(int argc, char** argv) {
  namespace suite = stile::conformance;
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

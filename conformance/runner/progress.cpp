// What a run says while it goes on.
//
// SPDX-License-Identifier: Apache-2.0
#include "runner/progress.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <iostream>
#include <utility>

#include "runner/mending.hpp"
#include "runner/registry.hpp"
#include "runner/reports.hpp"

namespace stile::conformance {
namespace {

std::size_t terminal_width() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20 ? size.ws_col : 80;
}

}  // namespace

Progress::Progress(Schedule& schedule, Run& run, int jobs, Planned planned)
    : schedule_(schedule),
      run_(run),
      told_(std::move(planned)),
      estimate_(jobs),
      terminal_(isatty(STDERR_FILENO) == 1) {
  for (const auto& check : all_checks()) of_level_ += check->level <= run.target->level;
  schedule.listen({[this](const Check& check, Duration took) {
                     estimate_.ended(check, took);
                     last_ = check.suite + "." + check.name;
                   },
                   [this] {
                     if (std::chrono::steady_clock::now() - drawn_ >= std::chrono::milliseconds{200}) draw();
                   }});
}

void Progress::OnTestIterationStart(const testing::UnitTest& unit, int) {
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
  run_.partial = planned_ != of_level_ || !run_.cases.empty();
  told_(checks);
  estimate_.plan(checks, run_.target->time);
  schedule_.plan(std::move(checks));
}

void Progress::show(const Result& result) {
  Verdict verdict = result.outcome.verdict;
  if (verdict == Verdict::passed || verdict == Verdict::absent) return;
  // A store that is badly broken breaks a thousand checks: who reads them from the top wants the first ones whole.
  constexpr std::size_t most_whole = 3, most_told = 10;
  ++broken_;
  if (run_.verbose || broken_ <= most_whole)
    tell(failure_text(run_, result, run_.verbose) + "\n");
  else if (broken_ <= most_told)
    tell(brief_text(result, 150));
  else if (broken_ == most_told + 1)
    tell("more fail: they are told at the end, by what to mend first\n");
}

void Progress::tell(const std::string& text) {
  clear();
  std::cerr << text;
}

std::string Progress::line() const {
  auto elapsed = std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now() - begun_);
  std::string text = std::to_string(estimate_.done()) + "/" + std::to_string(planned_);
  if (auto broken = run_.counts().broken()) text += ", " + std::to_string(broken) + " broken";
  text += ", " + roughly(elapsed);
  if (auto left = estimate_.left(elapsed); left && estimate_.done() < planned_)
    text += ", about " + roughly(*left) + " left";
  return text + "  " + last_;
}

void Progress::draw() {
  if (!terminal_) return;
  drawn_ = std::chrono::steady_clock::now();
  std::string text = line();
  // A line that wraps could not be taken back.
  text.resize(std::min(text.size(), terminal_width() - 1));
  std::cerr << "\r\x1b[K" << text << std::flush;
  shown_ = true;
}

void Progress::clear() {
  if (shown_) std::cerr << "\r\x1b[K" << std::flush;
  shown_ = false;
}

}  // namespace stile::conformance

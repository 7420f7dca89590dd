// Which children run when: up to so many at once, in the order in which their results will be asked for.
//
// SPDX-License-Identifier: Apache-2.0
#include "runner/schedule.hpp"

#include <poll.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "servers/program.hpp"
#include "servers/servers.hpp"

namespace stile::conformance {
namespace {

volatile sig_atomic_t signal_seen = 0;

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

void on_signal(int number) { signal_seen = number; }

}  // namespace

int interrupted_by() { return signal_seen; }

void watch_signals() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  struct sigaction hangup {};
  // Under nohup it is to be ignored.
  if (sigaction(SIGHUP, nullptr, &hangup) == 0 && hangup.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, nullptr);
}

std::string judge(const Check& check, const Target& target) {
  Outcome outcome;
  try {
    outcome = check.run(target);
    if (outcome.verdict == Verdict::passed && outcome.counted == 0)
      outcome = {Verdict::failed, "nothing was judged", {}, 0};
  } catch (const Error& error) {
    outcome = {Verdict::failed, name_of(error.status()) + ": " + error.what(), {}, 1};
  } catch (const std::exception& error) {
    // What a plugin answered may be no list, no text, no length at all.
    outcome = {Verdict::failed, std::string("exception: ") + error.what(), {}, 1};
    if (std::string at = said_at(); !at.empty()) outcome.text += "\n    it was " + at;
  }
  return to_text(outcome);
}

Result result_of(const Check& check, const Ended& ended, Duration limit) {
  Result result{&check, {}, ended.took};
  if (ended.complete) {
    if (auto outcome = outcome_from_text(ended.said)) {
      result.outcome = *outcome;
      Verdict verdict = result.outcome.verdict;
      // Whatever was answered: a store that reads memory that is not its own, or races, keeps its promises by luck.
      if ((verdict == Verdict::passed || verdict == Verdict::absent) && !ended.sanitizer.empty()) {
        result.outcome.verdict = Verdict::failed;
        result.outcome.reason = "a sanitizer reported an error: " + readable(first_line(ended.sanitizer));
        result.outcome.text = "all answers were as they must be, but a sanitizer said:\n" + readable(ended.sanitizer);
      }
      return result;
    }
  }
  result.outcome.verdict = ended.timed_out ? Verdict::timed_out : Verdict::crashed;
  result.outcome.text = ended.how();
  if (ended.timed_out) {
    auto seconds = std::chrono::duration_cast<std::chrono::seconds>(limit);
    result.outcome.text += " of " + std::to_string(seconds.count()) + " s";
  }
  if (!ended.at.empty()) result.outcome.text += "\n    it was " + readable(ended.at);
  if (!ended.noise.empty()) result.outcome.text += "\n    it wrote:\n" + readable(ended.noise);
  return result;
}

void Schedule::begin(const Check& check) {
  running_[&check] = std::make_unique<Child>([&] { return judge(check, target_); }, limit_of(check));
}

bool Schedule::may_begin(const Check& check) const {
  if (running_.empty()) return true;
  return !check.alone && !running_.begin()->first->alone && static_cast<int>(running_.size()) < jobs_;
}

void Schedule::fill() {
  while (!waiting_.empty() && may_begin(*waiting_.front()) && interrupted_by() == 0) {
    begin(*waiting_.front());
    waiting_.pop_front();
  }
}

void Schedule::watch() {
  std::vector<pollfd> fds;
  for (const auto& [check, child] : running_) {
    if (child->said_fd() >= 0) fds.push_back({child->said_fd(), POLLIN, 0});
    if (child->noise_fd() >= 0) fds.push_back({child->noise_fd(), POLLIN, 0});
  }
  // A child that closed its pipes may still run on for a moment, or for ever: look again soon.
  poll(fds.data(), fds.size(), 20);
  for (auto it = running_.begin(); it != running_.end();) {
    if (!it->second->step()) {
      ++it;
      continue;
    }
    Result result = result_of(*it->first, it->second->take(), limit_of(*it->first));
    listener_.ended(*it->first, result.took);
    done_[it->first] = std::move(result);
    if (it->first->level == 4) servers::sweep();  // alone, so that nothing else is running
    it = running_.erase(it);
  }
}

Result Schedule::judge_here(const Check& check) const {
  auto begun = std::chrono::steady_clock::now();
  Ended ended;
  ended.said = judge(check, target_);
  ended.complete = true;
  ended.took = std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now() - begun);
  return result_of(check, ended, limit_of(check));
}

Result Schedule::take(const Check& check) {
  if (in_process_) return judge_here(check);
  // Asked for out of order, it is begun at once.
  if (auto found = std::find(waiting_.begin(), waiting_.end(), &check); found != waiting_.end()) {
    if (found != waiting_.begin()) {
      waiting_.erase(found);
      waiting_.push_front(&check);
    }
  } else if (running_.count(&check) == 0 && done_.count(&check) == 0) {
    waiting_.push_front(&check);
  }
  while (done_.count(&check) == 0) {
    if (interrupted_by() != 0) {
      stop();
      return {&check, {Verdict::crashed, "the run was interrupted", {}, 0}, Duration{0}};
    }
    fill();
    watch();
    listener_.tick();
  }
  auto found = done_.find(&check);
  Result result = std::move(found->second);
  done_.erase(found);
  return result;
}

// What a child started dies a moment after it; until then it would outlive the run.
void Schedule::stop() {
  waiting_.clear();
  servers::adopt_orphans();
  std::vector<pid_t> not_orphans = servers::children_of_ours();
  running_.clear();
  servers::end_children(not_orphans);
}

}  // namespace stile::conformance

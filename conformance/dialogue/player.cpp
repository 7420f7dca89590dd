// Playing one case against a store, and saying where it went another way.
//
// SPDX-License-Identifier: Apache-2.0
#include "dialogue/player.hpp"

#include <algorithm>
#include <chrono>
#include <iostream>
#include <limits>
#include <optional>
#include <utility>

#include "check.hpp"
#include "codec/op.hpp"
#include "dialogue/absence.hpp"
#include "dialogue/cost.hpp"
#include "dialogue/match.hpp"
#include "dialogue/pages.hpp"
#include "dialogue/requests.hpp"
#include "dialogue/stage.hpp"
#include "dialogue/standstill.hpp"
#include "dialogue/terms.hpp"

namespace stile::conformance {
namespace {

using Clock = std::chrono::steady_clock;

/// A case has margins of so much: a try in which the machine stood still for longer proves nothing against the store.
constexpr Duration margin = std::chrono::milliseconds{50};
/// After so long one is told as it is.
constexpr Duration longest_disturbance = std::chrono::seconds{8};

/// What a case failed by: the line, what came back, what differs; and that in one line.
struct Difference {
  std::string text;
  std::string reason;
};

/// `session b`, as the case has it: without it nobody knows who b is.
std::string declaration(const Extra& extra) {
  const char* words[] = {"session ", "store ", "namespace "};
  return "  " + (words[static_cast<int>(extra.kind)] + extra.name) +
         (extra.kind == Extra::Kind::space ? " " + json::serialize(codec::bytes_json(extra.suffix)) : "") + "\n";
}

/// The question of a line, without what must come back.
std::string question_of(const Line& line) {
  std::string text = line.source.substr(0, line.source.find("->"));
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

/// Says a request and an answer the way a dialogue is read.
std::string exchange(const json::value& request, const json::value& answer) {
  return "    sent     " + brief(request) + "\n    answered " + brief(answer) + "\n";
}

class Player {
 public:
  Player(const Case& one, const Target& target)
      : case_(one), target_(target), stage_(one, target), scope_(new_scope(target.facts)), begun_(Clock::now()) {
    for (const Extra& extra : one.extras) declared_ += declaration(extra);
    if (one.measures || !target.facts.can("manual_clock")) standstill_.emplace();
  }

  Outcome run() {
    Outcome outcome;
    try {
      for (const Line& line : case_.lines) {
        // Heard only where this process dies or hangs before it can say more.
        std::cerr << line.place.file << ":" << line.place.line << ": " << line.source << std::endl;
        play(line);
      }
      stage_.tidy();
    } catch (const Difference& difference) {
      outcome.verdict = Verdict::failed;
      outcome.text = difference.text;
      outcome.reason = difference.reason;
    } catch (const Error& error) {
      outcome.verdict = Verdict::failed;
      outcome.text = declared_ + said_ + "    after this the store could not be used: " + name_of(error.status()) +
                     ": " + error.what();
    }
    outcome.counted = played_;
    return outcome;
  }

  /// The machine stood still for so long that lengths of real time in this case were not what they say.
  bool disturbed() {
    const auto now = Clock::now();
    return stood(begun_, now) > std::max(margin, std::chrono::duration_cast<Duration>(now - begun_) / 20);
  }

 private:
  Duration stood(Clock::time_point from, Clock::time_point to) {
    return standstill_ ? standstill_->between(from, to) : Duration{0};
  }

  Matching matching() {
    if (target_.facts.can("manual_clock")) return {scope_, Duration{0}};
    // An instant was measured after the case began, so it cannot lie further from its mark than the case is old.
    auto age = std::chrono::duration_cast<Duration>(Clock::now() - begun_);
    return {scope_, age + std::chrono::milliseconds{20}};
  }

  [[noreturn]] void differ(const Line& line, const std::string& what, const std::string& said = {}) {
    throw Difference{declared_ + said_ + "> " + line.source + "\n" + said + "    " + line.place.text() + ": " + what,
                     question_of(line) + ": " + what};
  }

  void note(const Line& line) {
    ++played_;
    // What led to a failure is near its end.
    constexpr std::size_t most = 6000;
    if (said_.size() > most) said_ = "  ...\n" + said_.substr(said_.find('\n', said_.size() - most / 2) + 1);
    if (line.kind != Line::Kind::repeat) said_ += "  " + line.source + "\n";
  }

  void play(const Line& line);
  void play_call(const Line& line);
  void play_batch(const Line& line);
  void play_finish(const Line& line);
  void play_check(const Line& line);
  void play_repeat(const Line& line);
  void judge(const Line& line, const json::value& request, const json::object& answer);
  void judge_measured(const Line& line, const json::value& request, json::object answer, Clock::time_point from,
                      Clock::time_point to);

  const Case& case_;
  const Target& target_;
  Stage stage_;
  Scope scope_;
  Clock::time_point begun_;
  Clock::time_point last_;
  std::optional<Standstill> standstill_;
  std::uint64_t played_ = 0;
  std::string declared_;  ///< its further sessions, stores and namespaces
  std::string said_;
};

void Player::judge(const Line& line, const json::value& request, const json::object& answer) {
  if (auto differs = mismatch(*line.expect, answer, matching())) differ(line, *differs, exchange(request, answer));
}

/// A length counts less what the machine stood still meanwhile, where that is the better for the store.
void Player::judge_measured(const Line& line, const json::value& request, json::object answer, Clock::time_point from,
                            Clock::time_point to) {
  const Duration stood = this->stood(from, to);
  if (!case_.measures || stood.count() == 0) return judge(line, request, answer);
  json::object less = answer;
  for (const char* length : {"took", "late"})
    if (json::value* value = less.if_contains(length))
      *value = std::max<std::int64_t>(0, value->get_int64() - stood.count());
  if (!mismatch(*line.expect, less, matching())) return;
  judge(line, request, answer);
}

void Player::play_call(const Line& line) {
  json::object request = make_request(*line.request, scope_);
  Duration deadline = deadline_of(*line.request, scope_);
  Client& client = stage_.client(line.session);
  auto begun = Clock::now();
  json::object answer;
  if (line.kind == Line::Kind::pages) {
    Paged paged = all_pages(client, request);
    if (!paged.fault.empty()) differ(line, paged.fault, exchange(request, paged.answer));
    answer = std::move(paged.answer);
  } else {
    answer = client.call(request, deadline);
  }
  auto returned = Clock::now();
  answer["took"] = std::chrono::duration_cast<Duration>(returned - begun).count();
  judge_measured(line, request, std::move(answer), begun, returned);
}

void Player::play_batch(const Line& line) {
  std::vector<json::object> requests;
  for (const Line& member : line.lines) requests.push_back(make_request(*member.request, scope_));
  auto answers = stage_.client(line.session).batch(requests);
  for (std::size_t i = 0; i < answers.size(); ++i) judge(line.lines[i], requests[i], answers[i]);
}

void Player::play_finish(const Line& line) {
  auto running = stage_.finish(line.session);
  if (!running) throw Unplayable(line.place, "nothing was started here");
  running->answer["took"] = running->took.count();
  running->answer["late"] =
      std::max<std::int64_t>(0, std::chrono::duration_cast<Duration>(running->returned - last_).count());
  auto begun = running->returned - running->took;
  judge_measured(line, running->request, std::move(running->answer), begun, running->returned);
}

void Player::play_check(const Line& line) {
  json::value left = evaluate(line.terms[0], scope_), right = evaluate(line.terms[1], scope_);
  if (auto differs = mismatch(line.test, left, right, matching().slack)) differ(line, *differs);
}

void Player::play_repeat(const Line& line) {
  std::int64_t from = 1, to = std::numeric_limits<std::int64_t>::max();
  if (line.until.empty()) {
    to = number_of(line.terms.at(0), scope_);
    if (line.terms.size() == 2) from = std::exchange(to, number_of(line.terms[1], scope_));
  }
  auto outer = scope_;
  const std::string before = said_;
  for (std::int64_t i = from; i <= to; ++i) {
    if (!line.until.empty() && stage_.returned(line.until)) break;
    // A loop says the same many times: the last turn is enough.
    if (i != from) said_ = before + "  ... (turn " + std::to_string(i - from + 1) + " of the loop)\n";
    // What a turn took for the first time is of that turn; what was there before the loop stays as `let` left it.
    std::erase_if(scope_.variables, [&](const auto& one) { return outer.variables.count(one.first) == 0; });
    scope_.op_ids = outer.op_ids;
    if (!line.variable.empty()) scope_.variables[line.variable] = i;
    for (const Line& inner : line.lines) play(inner);
  }
}

void Player::play(const Line& line) {
  switch (line.kind) {
    case Line::Kind::call:
    case Line::Kind::pages: play_call(line); break;
    case Line::Kind::batch: play_batch(line); break;
    case Line::Kind::start:
      stage_.start(line.session, make_request(*line.request, scope_), deadline_of(*line.request, scope_));
      break;
    case Line::Kind::finish: play_finish(line); break;
    case Line::Kind::interrupt: stage_.client(line.session).interrupt(); break;
    case Line::Kind::reopen: stage_.reopen(); break;
    case Line::Kind::wait:
      stage_.client(line.session).pass(Duration{number_of(line.terms[0], scope_)}, target_.facts);
      break;
    case Line::Kind::let: scope_.variables[line.variable] = evaluate(line.terms[0], scope_); break;
    case Line::Kind::check: play_check(line); break;
    case Line::Kind::repeat: play_repeat(line); break;
    case Line::Kind::cost: {
      if (auto differs = compare_costs(line, target_)) differ(line, *differs);
      break;
    }
  }
  last_ = Clock::now();
  note(line);
}

}  // namespace

Outcome play(const Case& one, const Target& target) {
  if (auto absent = absence(one, target)) return *absent;
  // A manual clock cannot be stalled by a busy machine, so there a second try would only hide a fault; how long a call
  // took is real time with any store.
  int tries = target.facts.can("manual_clock") && !one.measures ? 1 : one.tries;
  const Duration limit = one.limit.value_or(Check{}.limit) * target.patience;
  const auto begun = Clock::now();
  Outcome outcome;
  int tried = 0;
  for (int counted = 0; counted < tries; ++tried) {
    // A try that could not end in time would be killed, and nobody would learn what the last one differed by.
    const auto took = std::chrono::duration_cast<Duration>(Clock::now() - begun);
    if (tried > 0 && took + took / tried > limit) break;
    try {
      Player player(one, target);
      outcome = player.run();
      if (!player.disturbed() || Clock::now() - begun > longest_disturbance) ++counted;
    } catch (const Unplayable& bug) {
      return {Verdict::failed, std::string("this case cannot be played: ") + bug.what(), {}, 1};
    } catch (const Error& error) {
      return {Verdict::failed, "the store cannot be used: " + name_of(error.status()) + ": " + error.what(), {}, 1};
    }
    if (outcome.verdict == Verdict::passed) return outcome;
  }
  if (tried > 1) outcome.text += "\n    (and so in each of " + std::to_string(tried) + " tries)";
  return outcome;
}

}  // namespace stile::conformance

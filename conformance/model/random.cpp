// Drawing sequences with RapidCheck, playing them, and shrinking those that fail.
//
// SPDX-License-Identifier: Apache-2.0
#include "model/random.hpp"

#include <rapidcheck.h>

#include <algorithm>
#include <chrono>

namespace stile::conformance::model {

namespace {

constexpr std::size_t length_of_a_sequence = 60;
constexpr std::uint64_t seeds_of_a_seed = 100'000'000;
constexpr std::uint64_t seeds_of_a_block = 10'000'000;

/// Deliveries and what answers them come most often: that is where the states are.
rc::Gen<Verb> verb() {
  return rc::gen::weightedElement<Verb>(
      {{12, Verb::enqueue}, {9, Verb::acquire}, {20, Verb::receive}, {8, Verb::record}, {9, Verb::ack},
       {14, Verb::pass},    {4, Verb::supply},  {5, Verb::append},   {4, Verb::renew},  {4, Verb::release},
       {5, Verb::nack},     {5, Verb::snooze},  {4, Verb::reject},   {5, Verb::extend}, {3, Verb::cancel},
       {2, Verb::discard},  {3, Verb::rebase},  {2, Verb::transact}, {2, Verb::load},   {3, Verb::trim},
       {6, Verb::put},      {4, Verb::erase},   {2, Verb::get},      {1, Verb::scan},   {2, Verb::list},
       {1, Verb::stats},    {1, Verb::watch},   {8, Verb::again},    {4, Verb::chain},  {2, Verb::request_cancel}});
}

rc::Gen<Command> command() {
  auto byte = rc::gen::inRange<int>(0, 256);
  return rc::gen::map(rc::gen::tuple(verb(), rc::gen::inRange<int>(0, 3), byte, byte, byte, byte),
                      [](const std::tuple<Verb, int, int, int, int, int>& drawn) {
                        auto [verb, workflow, token, key, time, flags] = drawn;
                        auto small = [](int number) { return static_cast<std::uint8_t>(number); };
                        return Command{verb, small(workflow), small(token), small(key), small(time), small(flags)};
                      });
}

/// One member nearer to its plainest.
rc::Seq<Command> simpler(const Command& command) {
  std::vector<Command> out;
  auto zero = [&](auto member) {
    if (command.*member == 0) return;
    Command other = command;
    other.*member = {};
    out.push_back(other);
    other.*member = static_cast<std::uint8_t>(command.*member / 2);
    if (!(other == out.back())) out.push_back(other);
  };
  zero(&Command::flags);
  zero(&Command::token);
  zero(&Command::time);
  zero(&Command::key);
  zero(&Command::workflow);
  return rc::seq::fromContainer(out);
}

rc::Shrinkable<Sequence> shrinkable(std::uint64_t seed, std::size_t length) {
  rc::Random random(seed);
  Sequence drawn = rc::gen::container<Sequence>(length, command())(random, rc::kNominalSize).value();
  return rc::shrinkable::shrinkRecur(std::move(drawn), [](const Sequence& sequence) {
    return rc::seq::concat(rc::shrink::removeChunks(sequence), rc::shrink::eachElement(sequence, simpler));
  });
}

std::string describe_failure(const Sequence& shrunk, const Played& played, std::uint64_t seed, std::size_t drawn) {
  std::string text = "a random sequence (seed " + std::to_string(seed) + ", " + std::to_string(drawn) +
                     " commands, shrunk to " + std::to_string(shrunk.size()) + ") differs from the contract:\n";
  for (const Difference& each : played.differences) text += "  " + describe(each) + "\n";
  return text + "what was said, as lines for `stile call`, and answered:\n" + played.transcript;
}

}  // namespace

Sequence draw(std::uint64_t seed, std::size_t length) { return shrinkable(seed, length).value(); }

Played play(const Sequence& sequence, const Target& target) {
  Played played;
  Trial trial(target, target.fresh_namespace());
  Player player(trial);
  try {
    for (const Command& each : sequence) player.play(each);
    trial.compare_everything();
  } catch (const Differs& differs) {
    played.differences = differs.differences;
    played.transcript = trial.transcript();
  } catch (const Ambiguous&) {
    played.ambiguous = true;
  }
  played.met = trial.met();
  return played;
}

Sequence shrink(std::uint64_t seed, std::size_t length, const Target& target, Duration budget) {
  auto until = std::chrono::steady_clock::now() + budget;
  rc::Shrinkable<Sequence> best = shrinkable(seed, length);
  for (bool smaller = true; smaller;) {
    smaller = false;
    rc::Seq<rc::Shrinkable<Sequence>> choices = best.shrinks();
    for (auto next = choices.next(); next; next = choices.next()) {
      if (std::chrono::steady_clock::now() > until) return best.value();
      if (play(next->value(), target).differences.empty()) continue;
      best = *next;
      smaller = true;
      break;
    }
  }
  return best.value();
}

namespace {

/// Plays one sequence; what differs is shrunk and told. False when it could not be followed.
bool play_one(const Target& target, std::uint64_t seed, Duration budget, Outcome& outcome) {
  Played played = play(draw(seed, length_of_a_sequence), target);
  if (played.differences.empty()) return !played.ambiguous;
  Sequence shrunk = shrink(seed, length_of_a_sequence, target, budget);
  Played again = play(shrunk, target);
  if (again.differences.empty()) again = played;  // it does not happen every time: then the first is what there is
  outcome.verdict = Verdict::failed;
  outcome.sequence = seed;
  outcome.text = describe_failure(shrunk, again, seed, length_of_a_sequence);
  outcome.reason = describe(again.differences.front());
  for (const Difference& each : again.differences) {
    outcome.ids.insert(outcome.ids.end(), each.ids.begin(), each.ids.end());
  }
  std::sort(outcome.ids.begin(), outcome.ids.end());
  outcome.ids.erase(std::unique(outcome.ids.begin(), outcome.ids.end()), outcome.ids.end());
  return true;
}

}  // namespace

Outcome play_many(const Target& target, std::uint64_t block, std::size_t count, Duration budget) {
  auto until = std::chrono::steady_clock::now() + budget;
  Outcome outcome;
  outcome.counted = 0;
  auto time_left = [&] {
    auto now = std::chrono::steady_clock::now();
    return now < until || (outcome.counted == 0 && now < until + budget);
  };
  std::uint64_t first = target.seed * seeds_of_a_seed + block * seeds_of_a_block;
  if (target.sequence != 0) first = target.sequence;
  std::size_t played = 0;
  for (; played < count && time_left() && outcome.verdict == Verdict::passed; ++played) {
    outcome.counted += play_one(target, target.sequence != 0 ? first : first + played, budget, outcome);
    if (target.sequence != 0 && outcome.counted != 0) break;
  }
  if (outcome.counted == 0) {
    outcome.verdict = Verdict::failed;
    outcome.text = "no sequence could be followed; given up: " + std::to_string(played);
  }
  return outcome;
}

}  // namespace stile::conformance::model

// Workers killed and frozen at every step of what they do, and a second one that does it after them.
//
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <random>

#include "check.hpp"
#include "faults/actor.hpp"
#include "faults/faults.hpp"

namespace stile::conformance::faults {
namespace {

constexpr Duration margin{60'000};

/// Nothing where each process opens the store itself.
std::shared_ptr<store::Backend> shared_store(const Site& site) {
  return site.target.facts.can("cross_process") ? nullptr : site.open();
}

/// Lets the victim come to a gate: before or after a step.
bool bring_to(Actor& victim, std::size_t step, bool after) {
  const std::size_t gates = 2 * step + (after ? 1 : 0);
  for (std::size_t gate = 0; gate <= gates; ++gate) {
    if (!victim.arrived()) return false;
    if (gate < gates) victim.let_go();
  }
  return true;
}

void let_run(Actor& victim) {
  do victim.let_go();
  while (victim.arrived());
}

std::string step_text(std::size_t step, const char* moment) {
  return std::string(moment) + " " + std::string(pass_steps[step]);
}

/// Somebody else does the whole of it, once the victim's lease is over. Empty, or what is wrong.
std::string take_over(const Site& site, const std::shared_ptr<store::Backend>& shared, const std::string& workflow) {
  return elsewhere(site, shared, "second-" + workflow, [&](Worker& worker) -> std::string {
    worker.client().pass(site.lease + margin, site.target.facts);
    return worker.pass(workflow) ? "" : "a second worker could not do the work once the first one's lease was over";
  });
}

/// Ends `found` as failed where a fault is not often enough among its counts.
void demand(Outcome& found, const char* fault, std::uint64_t least) {
  const std::uint64_t times = found.faults[fault];
  if (times >= least || found.verdict == Verdict::failed) return;
  found.verdict = Verdict::failed;
  found.text = std::string("the fault did not bite: ") + fault + " is " + std::to_string(times) + ", wanted " +
               std::to_string(least);
}

Outcome judge_trouble(Outcome outcome, const std::string& trouble) {
  if (trouble.empty()) return outcome;
  outcome.verdict = Verdict::failed;
  outcome.text = trouble + "\n" + outcome.text;
  outcome.ids.push_back("D4");
  outcome.ids.push_back("W1");
  return outcome;
}

Outcome killed_at_every_step(const Target& target) {
  const Site site = make_site(target, "killed");
  auto shared = shared_store(site);
  std::mt19937_64 random(target.seed);
  std::string trouble;
  std::uint64_t killed = 0, within = 400'000;
  auto kill_one = [&](std::size_t step, const char* moment) {
    const std::string workflow = "w" + std::to_string(killed);
    auto victim = make_actor(site, shared, "first-" + workflow,
                             [workflow](Worker& worker, const Gate& gate) { worker.pass(workflow, gate); });
    if (!bring_to(*victim, step, std::string_view(moment) == "after")) {
      trouble += "the first worker could not come to stand " + step_text(step, moment) + "\n";
      return;
    }
    if (std::string_view(moment) == "during") {
      victim->let_go();
      // Somewhere in the call: this is no wait for anything.
      const timespec a_little{0, static_cast<long>(random() % within)};
      nanosleep(&a_little, nullptr);
    }
    victim->kill();
    ++killed;
    if (std::string wrong = take_over(site, shared, workflow); !wrong.empty())
      trouble += "killed " + step_text(step, moment) + " of " + workflow + ": " + wrong + "\n";
  };
  for (std::size_t step = 0; step < pass_steps.size() && trouble.empty(); ++step)
    for (const char* moment : {"before", "during", "after"}) kill_one(step, moment);
  Outcome outcome = judge_site(site, held_elsewhere(site, shared));
  // In the middle of a call is a matter of luck, and of how fast the machine gets there: try on, and later, where there
  // was none. A thread dies between calls only.
  for (int more = 0; !shared && trouble.empty() && outcome.faults["died_in_a_call"] == 0 && more < 5; ++more) {
    within *= 3;
    for (std::size_t step = 0; step < pass_steps.size(); ++step) kill_one(step, "during");
    outcome = judge_site(site, held_elsewhere(site, shared));
  }
  outcome.faults["workers_killed"] = killed;
  if (!shared) demand(outcome, "died_in_a_call", 1);
  demand(outcome, "workers_killed", 3 * pass_steps.size());
  return judge_trouble(outcome, trouble);
}

/// What the woken one was told after its sleep: refused wherever it shows what it held.
std::string check_woken(const Site& site, const std::string& who, std::size_t step) {
  std::string wrong;
  for (const Entry& entry : read_ledger(site.ledger())) {
    if (entry.who != who) continue;
    auto at = std::find(pass_steps.begin(), pass_steps.end(), entry.text("op"));
    const std::string op = entry.text("op"), status = entry.status();
    if (static_cast<std::size_t>(at - pass_steps.begin()) < step || step < 2) continue;
    const bool refused = status == "fenced" || (op == "ack" && (status == "stale" || status == "cancelled"));
    if ((op == "record" || op == "ack") && !refused)
      wrong += "frozen before " + std::string(pass_steps[step]) + ", woken after another did its work: " + op +
               " answered " + status + "\n";
  }
  return wrong;
}

Outcome frozen_at_every_step(const Target& target) {
  const Site site = make_site(target, "frozen");
  auto shared = shared_store(site);
  std::string trouble;
  std::uint64_t frozen = 0;
  for (std::size_t step = 0; step < pass_steps.size() && trouble.empty(); ++step) {
    const std::string workflow = "w" + std::to_string(step), who = "first-" + workflow;
    auto victim =
        make_actor(site, shared, who, [workflow](Worker& worker, const Gate& gate) { worker.pass(workflow, gate); });
    if (!bring_to(*victim, step, false)) return judge_trouble({}, "the first worker did not come to its step");
    victim->freeze();
    ++frozen;
    trouble += take_over(site, shared, workflow);
    victim->thaw();
    let_run(*victim);
    victim->join();
    trouble += check_woken(site, who, step);
  }
  Outcome outcome = judge_site(site, held_elsewhere(site, shared));
  outcome.faults["workers_frozen"] = frozen;
  demand(outcome, "workers_frozen", pass_steps.size());
  // Frozen before record, supply, append and ack: a record and four acks come too late.
  demand(outcome, "refused_as_superseded", 5);
  return judge_trouble(outcome, trouble);
}

}  // namespace

void add_workers(const Target& target) {
  for (std::string_view op : pass_steps)
    if (!target.facts.does(op)) return;
  const std::vector<std::string> ids{"A1", "A3", "A4", "B1", "B3", "B8", "D1",
                                     "D2", "D4", "D5", "D8", "W1", "R2", "I3"};
  constexpr std::chrono::seconds limit{240};
  add_fault("workers_killed_at_every_step",
            "A worker is killed before, in and after every call; another does its work.", ids, limit,
            killed_at_every_step);
  add_fault("workers_frozen_at_every_step",
            "A worker sleeps past its lease before every call; what it says when it wakes up comes too late.", ids,
            limit, frozen_at_every_step);
  add_crowd(target);
}

}  // namespace stile::conformance::faults

// Processes that die in the middle of what they write, while others have the store open: nobody waits for the dead.
//
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <ctime>
#include <random>

#include "check.hpp"
#include "dialogue/match.hpp"
#include "faults/actor.hpp"
#include "faults/faults.hpp"
#include "faults/lateness.hpp"

namespace stile::conformance::faults {
namespace {

constexpr std::uint64_t deaths = 30;
/// Of one call: the longer it takes the likelier it is that one dies in the middle of it.
constexpr std::uint64_t writes = 64;

/// Writes until it is killed.
void write_on(Worker& worker, const Gate& gate) {
  std::vector<json::object> batch;
  while (batch.size() < std::min(writes, worker.site().target.facts.limit("batch", 1)))
    batch.push_back({{"op", "append"}, {"workflow", "of-the-dead"}, {"value", std::string(1'000, 'v')}});
  const auto store = worker.site().target.open_as_program(worker.site().ns);
  Client client(store);
  client.now();  // connected
  gate(0, false);
  for (;;) client.batch(batch);
}

/// Empty, or what came too late to who waits. Beside it are none but the dead and one who does nothing.
std::string wait_in_time(Worker& worker, std::uint64_t death) {
  Client& client = worker.client();
  Lateness lateness;
  std::string wrong;
  int tried = 0;
  const bool in_time = Lateness::in_time([&] {
    const std::string w = "w" + std::to_string(death) + "-" + std::to_string(++tried);
    const json::object made = client.call({{"op", "enqueue"}, {"workflow", w}, {"queue", w}, {"delay", "20ms"}});
    const json::object receive{{"op", "receive"}, {"queues", json::array{w}}, {"lease", "1h"}, {"wait", "1s"}};
    const json::object got = client.call(receive);
    if (made.at("status") != "ok" || got.at("status") != "ok") {
      wrong = "enqueue -> " + brief(made) + "\n    " + brief(receive) + " -> " + brief(got) + "\n";
      return Lateness::no_disturbance + Duration{1};
    }
    const Duration late = lateness.of(got, number_of(made, "visible_at"));
    wrong = std::to_string(late.count() / 1000) + " ms after it was due who waited was told: " + brief(receive) +
            " -> " + brief(got) + "\n";
    return got.at("deliveries").as_array().empty() ? std::max(late, Lateness::allowed + Duration{1}) : late;
  });
  return in_time ? "" : wrong;
}

Outcome nobody_waits_for_the_dead(const Target& target) {
  const Site site = make_site(target, "deaths");
  std::mt19937_64 random(target.seed);
  // Has the store open all the time: what the dead left behind is not tidied up by whoever comes first.
  auto bystander = make_actor(site, nullptr, "bystander", [](Worker& worker, const Gate& gate) {
    worker.client().now();
    gate(0, false);
  });
  if (!bystander->arrived()) return {Verdict::failed, "the store could not be opened", {}, 1};
  Outcome outcome;
  outcome.counted = 0;
  while (outcome.counted < deaths * target.scale && outcome.verdict == Verdict::passed) {
    auto victim = make_actor(site, nullptr, "victim", write_on);
    if (!victim->arrived()) return {Verdict::failed, "the store could not be opened beside others", {}, 1};
    victim->let_go();
    const timespec a_little{0, static_cast<long>(1'000'000 + random() % 8'000'000)};
    nanosleep(&a_little, nullptr);  // it dies at a moment that nobody chose
    victim->kill();
    ++outcome.faults["killed_while_writing"];
    const std::string wrong = elsewhere(site, nullptr, "waits-" + std::to_string(outcome.counted),
                                        [&](Worker& worker) { return wait_in_time(worker, outcome.counted); });
    ++outcome.counted;
    if (wrong.empty()) continue;
    outcome.verdict = Verdict::failed;
    outcome.text = "a process died while it wrote, number " + std::to_string(outcome.counted) + "; then " + wrong;
    outcome.ids = {"W4"};
  }
  return outcome;
}

}  // namespace

void add_deaths(const Target& target) {
  const Facts& facts = target.facts;
  // Where the clock is moved by hand nothing comes by itself.
  if (!facts.does("append") || !facts.does("receive") || !facts.can("cross_process") || facts.can("manual_clock"))
    return;
  add_fault("nobody_waits_for_the_dead",
            "Processes die in the middle of their writes while others have the store open: who waits is told in time.",
            {"W1", "W4"}, std::chrono::seconds{120}, nobody_waits_for_the_dead, true);
}

}  // namespace stile::conformance::faults

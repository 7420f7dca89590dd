// Servers that are killed, and whose power is cut, while many callers write.
//
// SPDX-License-Identifier: Apache-2.0
#include <random>

#include "servers/checks.hpp"

namespace stile::conformance::servers {
namespace {

/// Callers see that it is gone: those of an embedded store are gone with it.
void see_it_gone(Scene& scene, const std::string& fault) {
  if (scene.embedded()) return scene.bury_crowd(fault);
  constexpr Duration patience = std::chrono::seconds{10};
  const std::uint64_t before = scene.heard(&Counters::unavailable) + scene.heard(&Counters::unknown);
  if (!eventually(patience,
                  [&] { return scene.heard(&Counters::unavailable) + scene.heard(&Counters::unknown) > before; }))
    throw Fault("did not bite: " + fault + ": the driver was asked to, and every call is still answered");
  scene.bit(fault);
}

/// Comes at moments that nobody chose, in the middle of whatever is under way.
json::object strike_under_load(Scene& scene, std::string_view word, const std::string& fault, std::mt19937_64& random) {
  scene.goes_on("the server was started");
  scene.hears(&Counters::ok, 1 + random() % 300, std::chrono::seconds{5});
  json::object answer = scene.strike(word, scene.crowd_pids());
  see_it_gone(scene, fault);
  return answer;
}

void come_back(Scene& scene, bool durable) {
  scene.start(durable);
  if (scene.embedded()) scene.open_crowd();
}

void count_dropped(Scene& scene, const json::object& answer) {
  const json::value* lost = answer.if_contains("lost");
  if (!lost || !lost->is_number()) throw Fault("the driver: cut_power was answered without what was lost");
  scene.bit("unsynced_bytes_dropped", lost->to_number<std::uint64_t>());
}

void killed(Scene& scene) {
  std::mt19937_64 random(scene.target().seed);
  scene.open_crowd();
  scene.rounds(6, [&] {
    strike_under_load(scene, "kill", "kills", random);
    come_back(scene, true);
  });
  scene.goes_on("the last kill");
  scene.judge();
  scene.demand("kills", 6);
  scene.demand("writes_in_doubt");
}

void power_cut(Scene& scene) {
  std::mt19937_64 random(scene.target().seed);
  auto cut = [&] {
    count_dropped(scene, strike_under_load(scene, "cut_power", "power_cuts", random));
    come_back(scene, true);
  };
  scene.open_crowd();
  scene.rounds(4, cut);
  // A fast disk seldom has anything that is not synced.
  for (int more = 0; more < 30 && scene.seen("unsynced_bytes_dropped") == 0; ++more) cut();
  scene.goes_on("the last power cut");
  scene.judge();
  scene.demand("power_cuts", 4);
  scene.demand("unsynced_bytes_dropped");
}

/// The same cut on the same store in a setting that does not sync: there it must be seen to lose something.
void power_cut_bites(Scene& scene) {
  std::mt19937_64 random(scene.target().seed);
  scene.open_crowd();
  for (int turn = 0; turn < 5; ++turn) {
    count_dropped(scene, strike_under_load(scene, "cut_power", "power_cuts", random));
    scene.start(false);
    // Whoever saw more than there is now may begin a new epoch, at any moment (S2): not while it is drained.
    scene.stop_crowd();
    const Judgement judgement = scene.settle();
    scene.bit("acknowledged_writes_lost_without_sync", judgement.lost.size() + judgement.stranded.size());
    if (!judgement.lost.empty()) break;
    scene.open_crowd();
  }
  scene.judged(1);
  scene.demand("acknowledged_writes_lost_without_sync");
}

}  // namespace

void add_dying_checks() {
  add_server_check("killed_under_load", {"B8", "R2", "W1", "A1"},
                   "A server that is killed loses nothing that it acknowledged, and goes on.",
                   {.words = {"kill"}, .body = killed, .durable = true, .rounds = true});
  add_server_check("power_cut", {"B8", "B4", "B12", "R2", "W1", "A1"},
                   "What was not synced is gone, and nobody was told it is safe or shown it.",
                   {.words = {"cut_power"}, .body = power_cut, .durable = true, .rounds = true});
  add_server_check("power_cut_bites", {"B8"},
                   "The same power cut takes acknowledged writes where they were not synced: it is a real one.",
                   {.words = {"cut_power", "undurable"}, .body = power_cut_bites, .durable = true, .undurable = true});
}

}  // namespace stile::conformance::servers

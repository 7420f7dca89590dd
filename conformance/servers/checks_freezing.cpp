// Servers that are frozen for longer than a lease, and go on.
//
// SPDX-License-Identifier: Apache-2.0
#include "servers/checks.hpp"

namespace stile::conformance::servers {
namespace {

constexpr Duration ttl = std::chrono::milliseconds{400};
constexpr Duration frozen_for = std::chrono::milliseconds{800};

/// The holder's process, and half of the crowd: of an embedded store the others go on, as far as they can.
std::vector<pid_t> half(Scene& scene, const CallerProcess& holder) {
  return {holder.pid(), scene.crowd().front()->pid()};
}

/// Nothing is answered while it is frozen.
void see_it_frozen(Scene& scene, CallerProcess& holder) {
  holder.begin({{"op", "info"}}, frozen_for / 2);
  auto answer = holder.answer_within(scene.embedded() ? frozen_for : frozen_for / 2 + std::chrono::seconds{5});
  if (scene.embedded() ? answer.has_value() : answer && status_of(*answer) == "ok")
    throw Fault("did not bite: freezes: the driver was asked to, and this was answered: " + json::serialize(*answer));
  if (!scene.embedded() && !answer) throw Fault("a call outlives its deadline while the server is frozen", {"R4"});
  // The lease lapses while nobody can say a word: a call after its deadline, and the rest of the time.
  if (!scene.embedded()) holder.answer_within(frozen_for / 2);
  scene.bit("freezes");
}

void frozen(Scene& scene) {
  auto holder = scene.caller();
  auto other = scene.caller();
  scene.open_crowd();
  int turn = 0;
  scene.rounds(3, [&] {
    scene.goes_on("the store was opened");
    const std::string workflow = "held-" + std::to_string(++turn);
    const json::object acquire{{"op", "acquire"}, {"workflow", workflow}, {"ttl", ttl.count()}, {"budget", "1h"}};
    const json::object old = must(ask_until(*holder, acquire, "ok"), "ok", "a free lease", {"A1"});
    const std::vector<pid_t> whom = half(scene, *holder);
    scene.strike("freeze", whom);
    see_it_frozen(scene, *holder);
    scene.strike("thaw", whom);
    if (scene.embedded()) holder->answer(std::chrono::seconds{10});
    must(ask_until(*other, acquire, "ok"), "ok", "a lease whose holder was frozen for longer than it lasts", {"A3"});
    const json::object record{
        {"op", "record"}, {"workflow", workflow}, {"fence", old.at("fence")}, {"key", "late"}, {"value", "x"}};
    const json::object late = ask_until(*holder, record, "fenced");
    must(late, "fenced", "a record of a holder that was frozen while its lease went to another", {"A4"});
    scene.bit("frozen_holders_fenced");
    scene.goes_on("a thaw");
  });
  holder->stop();
  other->stop();
  scene.judge();
  scene.demand("freezes", 3);
  scene.demand("frozen_holders_fenced", 3);
}

}  // namespace

void add_freezing_checks() {
  add_server_check("frozen_longer_than_a_lease", {"A3", "A4", "R4", "R5"},
                   "Who was frozen while the lease went to another cannot write, and the rest goes on.",
                   {.words = {"freeze"}, .body = frozen, .rounds = true});
}

}  // namespace stile::conformance::servers

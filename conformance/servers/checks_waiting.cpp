// A restart while receivers wait.
//
// SPDX-License-Identifier: Apache-2.0
#include <sys/wait.h>

#include "servers/checks.hpp"

namespace stile::conformance::servers {
namespace {

constexpr Duration fallback = std::chrono::seconds{9};  // W5 says 5 s with every hint lost; this machine may be busy
constexpr Duration wait = std::chrono::seconds{10};     // longer: what its call is given only at its end is not told it

json::object receive(Duration how_long) {
  return {{"op", "receive"}, {"queues", {"waited"}}, {"lease", "60s"}, {"wait", how_long.count()}};
}

/// A caller that waits, again and again, until it was given something.
struct Receiver {
  CallerProcess* caller;
  bool waiting = false;

  void begin() {
    caller->begin(receive(wait), wait + std::chrono::seconds{2});
    waiting = true;
  }
  /// How many deliveries it got, if its call has returned within patience.
  std::size_t look(Duration patience) {
    auto answer = caller->answer_within(patience);
    if (!answer) return 0;
    waiting = false;
    return status_of(*answer) == "ok" ? answer->at("deliveries").as_array().size() : 0;
  }
};

/// Restarts the server; of an embedded store, kills the one that waited longest.
void restart(Scene& scene, std::unique_ptr<CallerProcess>& first, CallerProcess& other) {
  if (scene.embedded()) {
    scene.strike("kill", {first->pid()});
    if (!first->program().ended(std::chrono::seconds{10}) || !WIFSIGNALED(first->program().status()))
      throw Fault("did not bite: restarts: the driver was asked to kill a process that waits, and it lives");
    first.reset();
  } else {
    scene.strike("stop", {});
    const json::object probe = other.ask({{"op", "get"}, {"key", "x"}}, std::chrono::milliseconds{500});
    if (status_of(probe) == "ok" || status_of(probe) == "not_found")
      throw Fault("did not bite: restarts: the driver stopped the server, and it answers " + json::serialize(probe));
    scene.start();
  }
  scene.bit("restarts");
}

/// Until one of them is given something.
std::size_t deliveries(std::vector<Receiver>& receivers) {
  std::size_t got = 0;
  eventually(fallback, [&] {
    for (Receiver& one : receivers) {
      if (!one.waiting) one.begin();
      got += one.look(std::chrono::milliseconds{1});
    }
    return got > 0;
  });
  return got;
}

/// Every call comes home: by its wait, and what this machine needs (W6).
std::size_t come_home(std::vector<Receiver>& receivers) {
  std::size_t got = 0;
  for (Receiver& one : receivers) {
    if (!one.waiting) continue;
    got += one.look(wait + std::chrono::seconds{10});
    if (one.waiting) throw Fault("a receive that waited over a restart does not return", {"W6"});
  }
  return got;
}

void waiting(Scene& scene) {
  auto other = scene.caller();
  auto first = scene.caller();
  auto second = scene.caller();
  scene.rounds(3, [&] {
    if (!first) first = scene.caller();
    std::vector<Receiver> receivers{{second.get()}, {first.get()}};
    for (Receiver& one : receivers) one.begin();
    if (receivers[1].look(std::chrono::milliseconds{200}) != 0 || !receivers[1].waiting)
      throw Fault("a receive returned before its wait was over, and nothing was there", {"W6"});
    restart(scene, first, *other);
    if (!first) receivers.pop_back();
    const std::string job = "job-" + Id::random().text();
    const json::object enqueue{
        {"op", "enqueue"}, {"workflow", job}, {"queue", "waited"}, {"op_id", Id::random().text()}};
    must(ask_until(*other, enqueue, "ok"), "ok", "an enqueue after the restart", {"R5"});
    std::size_t got = deliveries(receivers);
    if (got == 0) throw Fault("a wakeup enqueued after a restart reaches no receiver that waits, in 9 s", {"W1", "W5"});
    got += come_home(receivers);
    got += ok(*other, receive(std::chrono::milliseconds{50})).at("deliveries").as_array().size();
    if (got != 1) throw Fault("one wakeup was delivered " + std::to_string(got) + " times", {"D1"});
    scene.bit("deliveries_after_restarts");
    ok(*other, {{"op", "cancel"}, {"workflow", job}});
    scene.judged(1);
  });
  scene.demand("restarts", 3);
}

}  // namespace

void add_waiting_checks() {
  add_server_check("restarted_while_receivers_wait", {"W1", "W5", "W6", "R5", "D1"},
                   "Who waits over a restart comes back in time, and is given what comes then.",
                   {.words = {"kill", "stop"}, .body = waiting, .rounds = true});
}

}  // namespace stile::conformance::servers

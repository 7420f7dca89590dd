// Progress without a hint (W5): by time alone, and while those who were told sleep.
//
// SPDX-License-Identifier: Apache-2.0
#include <poll.h>

#include <algorithm>

#include "check.hpp"
#include "dialogue/match.hpp"
#include "faults/actor.hpp"
#include "faults/faults.hpp"

namespace stile::conformance::faults {
namespace {

/// The fallback interval is at most 5 s; a machine may be slow.
constexpr const char* long_enough = "9s";

Outcome fail(std::string text) { return {Verdict::failed, std::move(text), {}, 1}; }

bool delivered(const json::object& answer) {
  return answer.at("status") == "ok" && answer.at("deliveries").as_array().size() == 1;
}

/// Nobody does anything while a receiver waits for what time alone makes due.
Outcome by_time_alone(const Target& target) {
  auto store = target.open_as_program(target.fresh_namespace());
  Client client(store);
  Outcome outcome;
  std::string wrong;
  auto say = [&](const json::object& request) {
    json::object answer = client.call(request);
    if (answer.at("status") != "ok") wrong += brief(request) + " -> " + brief(answer) + "\n";
    return answer;
  };
  auto wait_for = [&](const char* what, const json::object& receive) {
    const json::object answer = say(receive);
    ++outcome.counted;
    ++outcome.faults["waited_in_silence"];
    if (!delivered(answer)) wrong += std::string(what) + ": " + brief(receive) + " -> " + brief(answer) + "\n";
    return answer;
  };
  auto receive = [](const char* queue, const char* lease) {
    return json::object{{"op", "receive"}, {"queues", json::array{queue}}, {"lease", lease}, {"wait", long_enough}};
  };
  say({{"op", "enqueue"}, {"workflow", "delayed"}, {"queue", "a"}, {"delay", "300ms"}});
  wait_for("a delayed wakeup came due", receive("a", "1h"));
  say({{"op", "enqueue"}, {"workflow", "lapses"}, {"queue", "b"}});
  wait_for("a first delivery", receive("b", "200ms"));
  const json::object second = wait_for("its lease ended", receive("b", "1h"));
  if (wrong.empty() && second.at("deliveries").as_array()[0].as_object().at("delivery_count") != 2)
    wrong += "the delivery that followed a lapse: " + brief(second) + "\n";
  say({{"op", "acquire"}, {"workflow", "held"}, {"ttl", "300ms"}, {"budget", "1h"}});
  say({{"op", "enqueue"}, {"workflow", "held"}, {"queue", "c"}});
  json::object coupled = receive("c", "1h");
  coupled["acquire"] = json::object{{"ttl", "1h"}, {"budget", "1h"}};
  wait_for("the lease that a wakeup was put off for ended", coupled);
  return wrong.empty() ? outcome : fail(wrong);
}

/// Others who wait for the same are frozen before the news, so that whoever is told first may be one of them.
class Sleepers {
 public:
  Sleepers(const Site& site, const json::object& request) : site_(site), request_(request) {}

  /// Empty, or what is wrong. The news is made by somebody else while all wait.
  std::string play(bool sleepers_first, const json::object& news, const char* member) {
    const std::string who = sleepers_first ? "awake-last" : "awake-first";
    std::unique_ptr<Actor> awake;
    if (!sleepers_first) awake = begin(who);
    std::vector<std::unique_ptr<Actor>> sleepers;
    for (int i = 0; i < 3; ++i) sleepers.push_back(begin("sleeper" + std::to_string(i) + "-of-" + who));
    for (auto& each : sleepers) each->freeze();
    if (sleepers_first) awake = begin(who);
    elsewhere(site_, nullptr, "news-" + who, [&](Worker& worker) {
      worker.call(news);
      return std::string();
    });
    awake->join();  // its call has a bound of its own
    for (auto& each : sleepers) each->kill();
    for (const Entry& entry : read_ledger(site_.ledger())) {
      if (entry.who != who) continue;
      if (!entry.ok() || entry.answer.at(member).as_array().empty())
        return "three of four who waited were frozen; then " + brief(news) +
               "\n    the fourth: " + brief(entry.request) + " -> " + brief(entry.answer) + "\n";
      return {};
    }
    return who + " never asked\n";
  }

 private:
  std::unique_ptr<Actor> begin(const std::string& who) {
    auto actor = make_actor(site_, nullptr, who, [request = request_](Worker& worker, const Gate& gate) {
      worker.client().now();  // connected
      gate(0, false);
      worker.call(request);
    });
    if (!actor->arrived()) throw Error(Status::internal, who + " did not come to its call");
    actor->let_go();
    poll(nullptr, 0, 100);  // nobody can see from outside that it waits; too early only makes the fault milder
    return actor;
  }

  const Site& site_;
  json::object request_;
};

/// Empty, or what is wrong.
std::string play_sleepers(const Target& target, bool watches, bool sleepers_first) {
  const Site site = make_site(target, "silence");
  json::object request{{"op", "receive"}, {"lease", "1h"}, {"wait", long_enough}};
  json::object news{{"op", "enqueue"}, {"workflow", "w"}};
  if (watches) {
    request = {{"op", "watch"}, {"workflows", json::array{{{"workflow", "w"}, {"after", 0}}}}, {"wait", long_enough}};
    news = {{"op", "supply"}, {"workflow", "w"}, {"key", "k"}, {"value", "v"}};
  }
  return Sleepers(site, request).play(sleepers_first, news, watches ? "changed" : "deliveries");
}

Outcome told_are_asleep(const Target& target, bool watches) {
  constexpr int tries = 3;  // on a busy machine the wait may be over before four processes have come so far
  Outcome outcome;
  outcome.counted = 0;
  for (bool sleepers_first : {true, false}) {
    std::string wrong = play_sleepers(target, watches, sleepers_first);
    for (int i = 1; i < tries && !wrong.empty(); ++i) wrong = play_sleepers(target, watches, sleepers_first);
    if (!wrong.empty()) return fail(wrong);
    ++outcome.counted;
    outcome.faults["frozen_while_waiting"] += 3;
  }
  return outcome;
}

}  // namespace

void add_silence(const Target& target) {
  constexpr std::chrono::seconds limit{180};
  // Where the clock is moved by hand nothing comes by itself.
  if (!target.facts.does("receive") || target.facts.can("manual_clock")) return;
  add_fault("silence_by_time_alone", "What becomes due while nobody says a word reaches who waits for it.",
            {"W1", "W4", "W5", "W6", "D4", "D9"}, limit, by_time_alone);
  if (!target.facts.can("cross_process")) return;
  add_fault("silence_told_are_frozen", "The hint may go to a process that sleeps; another that waits gets the wakeup.",
            {"W1", "W5", "W6"}, limit, [](const Target& store) { return told_are_asleep(store, false); });
  if (target.facts.can("push_records"))
    add_fault("silence_watchers_are_frozen", "The same for records and those who watch.", {"B14", "W5", "W6"}, limit,
              [](const Target& store) { return told_are_asleep(store, true); });
}

}  // namespace stile::conformance::faults

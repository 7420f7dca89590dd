// Progress without a hint (W5): by time alone, and while those who were told sleep.
//
// SPDX-License-Identifier: Apache-2.0
#include <poll.h>

#include <algorithm>

#include "check.hpp"
#include "dialogue/match.hpp"
#include "faults/actor.hpp"
#include "faults/faults.hpp"
#include "faults/lateness.hpp"

namespace stile::conformance::faults {
namespace {

/// The fallback interval is at most 5 s; a machine may be slow.
constexpr const char* long_enough = "9s";

Outcome fail(std::string text) { return {Verdict::failed, std::move(text), {}, 1}; }

bool delivered(const json::object& answer) {
  return answer.at("status") == "ok" && answer.at("deliveries").as_array().size() == 1;
}

/// Nobody does anything while a receiver waits for what time alone makes due. No hint is lost by that, so it is owed
/// within 50 ms (D4, W4); a call that looks once more when its wait is over must not pass for one that was woken.
class Silence {
 public:
  explicit Silence(const Target& target) : client_(target.open_as_program(target.fresh_namespace())) {}

  /// How late the latest came.
  Duration play(Outcome& outcome) {
    ++tries_;
    latest_ = Duration{0};
    ids_.clear();
    wrong_.clear();
    delayed();
    lapses();
    held();
    outcome.counted += 4;
    outcome.faults["waited_in_silence"] += 4;
    return latest_;
  }
  /// What is wrong with the last playing; empty: nothing.
  const std::string& wrong() const { return wrong_; }
  const std::vector<std::string>& ids() const { return ids_; }

 private:
  using Ids = std::vector<std::string>;

  /// A workflow, and its queue, of this try.
  std::string name(const char* what) const { return what + std::to_string(tries_); }

  json::object say(const json::object& request) {
    json::object answer = client_.call(request);
    if (answer.at("status") != "ok") wrong_ += brief(request) + " -> " + brief(answer) + "\n";
    return answer;
  }
  json::object receive(const std::string& queue, const char* lease) const {
    return {{"op", "receive"}, {"queues", json::array{queue}}, {"lease", lease}, {"wait", "1s"}};
  }

  /// due: when it can be delivered, by the store's clock.
  json::object wait_for(const char* what, const Ids& ids, std::int64_t due, const json::object& request) {
    json::object answer = say(request);
    const Duration late = lateness_.of(answer, due);
    latest_ = std::max(latest_, late);
    if (delivered(answer) && late <= Lateness::allowed) return answer;
    wrong_ += std::string(what) + "; " + std::to_string(late.count() / 1000) +
              " ms later who waited was told: " + brief(request) + " -> " + brief(answer) + "\n";
    ids_.insert(ids_.end(), ids.begin(), ids.end());
    return answer;
  }

  void delayed() {
    const std::string w = name("delayed");
    const json::object made = say({{"op", "enqueue"}, {"workflow", w}, {"queue", w}, {"delay", "300ms"}});
    wait_for("a delayed wakeup came due", {"W4"}, number_of(made, "visible_at"), receive(w, "1h"));
  }
  void lapses() {
    const std::string w = name("lapses");
    const json::object made = say({{"op", "enqueue"}, {"workflow", w}, {"queue", w}});
    const json::object first =
        wait_for("a wakeup was ready", {"W4"}, number_of(made, "visible_at"), receive(w, "200ms"));
    if (!wrong_.empty()) return;
    const std::int64_t ends = number_of(first.at("deliveries").as_array()[0].as_object(), "visible_at");
    const json::object second = wait_for("the lease of a delivery ended", {"D4"}, ends, receive(w, "1h"));
    if (wrong_.empty() && second.at("deliveries").as_array()[0].as_object().at("delivery_count") != 2)
      wrong_ += "the delivery that followed a lapse: " + brief(second) + "\n";
  }
  void held() {
    const std::string w = name("held");
    const json::object lease = say({{"op", "acquire"}, {"workflow", w}, {"ttl", "300ms"}, {"budget", "1h"}});
    say({{"op", "enqueue"}, {"workflow", w}, {"queue", w}});
    json::object coupled = receive(w, "1h");
    coupled["acquire"] = json::object{{"ttl", "1h"}, {"budget", "1h"}};
    wait_for("the lease that a wakeup was put off for ended", {"D9", "W4"}, number_of(lease, "live_until"), coupled);
  }

  Client client_;
  Lateness lateness_;
  int tries_ = 0;
  Duration latest_{0};
  Ids ids_;
  std::string wrong_;
};

Outcome by_time_alone(const Target& target) {
  Silence silence(target);
  Outcome outcome;
  outcome.counted = 0;
  Lateness::in_time([&] { return silence.play(outcome); });
  if (silence.wrong().empty()) return outcome;
  outcome.verdict = Verdict::failed;
  outcome.text = silence.wrong();
  outcome.ids = silence.ids();
  return outcome;
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
  add_fault("silence_by_time_alone", "What becomes due while nobody says a word reaches at once who waits for it.",
            {"W1", "W4", "W5", "W6", "D4", "D9"}, limit, by_time_alone, true);
  if (!target.facts.can("cross_process")) return;
  add_fault("silence_told_are_frozen", "The hint may go to a process that sleeps; another that waits gets the wakeup.",
            {"W1", "W5", "W6"}, limit, [](const Target& store) { return told_are_asleep(store, false); });
  if (target.facts.can("push_records"))
    add_fault("silence_watchers_are_frozen", "The same for records and those who watch.", {"B14", "W5", "W6"}, limit,
              [](const Target& store) { return told_are_asleep(store, true); });
}

}  // namespace stile::conformance::faults

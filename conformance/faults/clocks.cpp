// Callers whose clocks are wrong (A11). A store has a clock of its own, and nothing changes. Where the store has none
// but the machine's (it says so: its store_time goes with the caller's clock), it is that clock which was stepped, and
// A12 is what is owed: numbers and order go on, nothing is lost; leases and due times may be off by the step.
//
// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "check.hpp"
#include "dialogue/match.hpp"
#include "faults/actor.hpp"
#include "faults/faults.hpp"
#include "faults/wall_clock.hpp"
#include "stile/config.hpp"

namespace stile::conformance::faults {
namespace {

constexpr std::int64_t second = 1'000'000, minute = 60 * second, hour = 60 * minute;
/// How much later than it was asked something may have taken effect.
constexpr std::int64_t slack = 2 * minute;

/// A server that processes reach by an address; its clock is not theirs.
bool is_served(const Target& target) {
  return target.facts.can("cross_process") && !Config::read(target.config).hosts.empty();
}

class Travel {
 public:
  Travel(const Target& target, Duration off)
      : site_(make_site(target, "clock")),
        shared_(target.facts.can("cross_process") ? nullptr : site_.open()),
        off_(off) {}

  /// Whether the store's clock is that of the process that asks. Asked of a step forwards: after one back a store goes
  /// on with the latest time it knows.
  bool follows() {
    const std::int64_t here = number(true_clock({{"op", "info"}}), "store_time");
    return number(wrong_clock({{"op", "info"}}), "store_time") - here > off_.count() / 2;
  }

  /// What is wrong; empty: nothing.
  std::string run(bool follows) {
    follows_ = follows;
    if (site_.target.facts.does("acquire")) leases();
    if (site_.target.facts.does("receive")) wakeups();
    if (site_.target.facts.does("put")) documents();
    return wrong_;
  }

 private:
  json::object true_clock(const json::object& request) {
    return json::parse(elsewhere(site_, shared_, "right",
                                 [&](Worker& worker) { return json::serialize(worker.client().call(request)); }))
        .as_object();
  }
  json::object wrong_clock(const json::object& request) {
    MovedClock moved(off_);
    if (!moved.seen()) throw Error(Status::internal, "the fault did not bite: the clock of this process did not move");
    return true_clock(request);
  }
  static std::int64_t number(const json::object& answer, const char* member) {
    const json::value* value = answer.if_contains(member);
    if (!value) throw Error(Status::internal, std::string("no ") + member + ": " + brief(answer));
    return value->to_number<std::int64_t>();
  }
  void say(const std::string& text) { wrong_ += "  " + text + "\n"; }
  void say(const json::object& request, const json::object& answer, const std::string& wanted) {
    say(brief(request) + " -> " + brief(answer) + "\n    wanted: " + wanted);
  }
  /// Wanted of a store with a clock of its own.
  void status(const json::object& request, const json::object& answer, std::string_view wanted) {
    if (!follows_ && std::string_view(answer.at("status").as_string()) != wanted)
      say(request, answer, std::string(wanted));
  }
  void instant(const json::object& request, const json::object& answer, const char* member, std::int64_t length) {
    if (follows_ || answer.at("status") != "ok") return;
    const std::int64_t now = number(true_clock({{"op", "info"}}), "store_time");
    const std::int64_t off = number(answer, member) - now - length;
    if (off > slack || off < -slack) say(request, answer, std::string(member) + " by the store's clock");
  }

  static std::int64_t fence_number(const json::object& answer) {
    return answer.at("status") == "ok" ? std::stoll(std::string(answer.at("fence").as_string())) : 0;
  }

  void leases() {
    const json::object take{{"op", "acquire"}, {"workflow", "w"}, {"ttl", hour / 2}, {"budget", hour / 2}};
    const json::object take_v{{"op", "acquire"}, {"workflow", "v"}, {"ttl", hour / 2}, {"budget", hour / 2}};
    json::object force(take);
    force["force"] = true;
    auto write = [](const char* key) {
      return json::object{{"op", "supply"}, {"workflow", "w"}, {"key", key}, {"value", "v"}};
    };
    std::int64_t last = fence_number(true_clock(take));
    status(take, wrong_clock(take), "held");
    json::object answer = wrong_clock(take_v);
    status(take_v, answer, "ok");
    instant(take_v, answer, "live_until", hour / 2);
    status(take_v, true_clock(take_v), "held");
    instant(write("a"), true_clock(write("a")), "written_at", 0);
    instant(write("b"), wrong_clock(write("b")), "written_at", 0);
    instant(write("c"), true_clock(write("c")), "written_at", 0);
    for (bool moved : {true, false, true, false}) {
      answer = moved ? wrong_clock(force) : true_clock(force);
      if (fence_number(answer) <= last) say(force, answer, "ok, and a number above " + std::to_string(last));
      last = fence_number(answer);
    }
    const json::object load{{"op", "load"}, {"workflow", "w"}};
    answer = true_clock(load);
    std::int64_t position = 0, written = 0;
    for (const json::value& each : answer.at("records").as_array()) {
      const json::object& record = each.as_object();
      if (number(record, "position") <= position || number(record, "written_at") < written)
        say(load, answer, "positions that rise and a written_at that does not fall");
      position = number(record, "position");
      written = number(record, "written_at");
    }
    if (answer.at("records").as_array().size() != 3) say(load, answer, "three records");
  }

  void wakeups() {
    const json::object later{{"op", "enqueue"}, {"workflow", "later"}, {"queue", "later"}, {"delay", hour / 2}};
    const json::object now{{"op", "enqueue"}, {"workflow", "now"}, {"queue", "now"}};
    auto receive = [](const char* queue) {
      return json::object{{"op", "receive"}, {"queues", json::array{queue}}, {"lease", hour}};
    };
    json::object answer = wrong_clock(later);
    instant(later, answer, "visible_at", hour / 2);
    answer = true_clock(receive("later"));
    if (!follows_ && !answer.at("deliveries").as_array().empty()) say(receive("later"), answer, "nothing: not yet due");
    answer = wrong_clock(receive("later"));
    if (!follows_ && !answer.at("deliveries").as_array().empty()) say(receive("later"), answer, "nothing: not yet due");
    wrong_clock(now);
    answer = true_clock(receive("now"));
    if (!follows_ && answer.at("deliveries").as_array().size() != 1) say(receive("now"), answer, "the wakeup");
    const json::object list{{"op", "list"}};
    answer = true_clock(list);
    std::size_t kept = 0;
    for (const json::value& each : answer.at("workflows").as_array())
      kept += each.as_object().at("workflow") == "now" || each.as_object().at("workflow") == "later";
    if (kept != 2) say(list, answer, "both wakeups, or what became of them (W1)");
  }

  void documents() {
    const json::object put{{"op", "put"}, {"key", "d"}, {"value", "v"}, {"ttl", hour / 2}};
    const json::object get{{"op", "get"}, {"key", "d"}};
    json::object answer = wrong_clock(put);
    status(put, answer, "ok");
    status(get, true_clock(get), "ok");
    instant(get, true_clock(get), "expires_at", hour / 2);
    true_clock(put);
    status(get, wrong_clock(get), "ok");
  }

  Site site_;
  std::shared_ptr<store::Backend> shared_;
  Duration off_;
  bool follows_ = false;
  std::string wrong_;
};

Outcome wrong_clocks(const Target& target) {
  Outcome outcome;
  outcome.counted = 0;
  const bool follows = Travel(target, std::chrono::hours{1}).follows();
  if (follows && is_served(target))
    return {Verdict::failed, "store_time goes with the caller's clock, and the store is a server", {"A11"}, 1};
  for (int hours : {1, -1, 24, -24}) {
    const std::string wrong = Travel(target, std::chrono::hours{hours}).run(follows);
    ++outcome.counted;
    ++outcome.faults["clocks_moved"];
    if (wrong.empty()) continue;
    outcome.verdict = Verdict::failed;
    outcome.text += "a caller's clock is off by " + std::to_string(hours) + " h" +
                    (follows ? ", and the store's, which is the machine's, with it" : "") + ":\n" + wrong;
  }
  return outcome;
}

}  // namespace

void add_clocks(const Target&) {
  add_fault("callers_clock_is_wrong", "The clock of a caller is off by an hour and by a day, both ways.",
            {"A11", "A12", "A14", "K4", "W4"}, std::chrono::seconds{240}, wrong_clocks, true);
}

}  // namespace stile::conformance::faults

// Suite Network: a store that is reached by an address, judged through our proxy. Every operation meets every fault of
// the connection; what it answers must be honest (R2), in time (R4), and it must come back by itself (R5).
//
// SPDX-License-Identifier: Apache-2.0
#include <poll.h>

#include <algorithm>
#include <array>
#include <memory>

#include "check.hpp"
#include "dialogue/match.hpp"
#include "dialogue/standstill.hpp"
#include "faults/faults.hpp"
#include "faults/playing.hpp"
#include "faults/scripts.hpp"
#include "faults/stage.hpp"
#include "model/trial.hpp"
#include "proxy/proxy.hpp"
#include "stile/config.hpp"

namespace stile::conformance::faults {
namespace {

using Clock = std::chrono::steady_clock;
using proxy::Direction;

constexpr Duration patience{400'000};     ///< the deadline of a call that meets a fault
constexpr Duration margin{1'000'000};     ///< R4 says 100 ms; a machine may be slow
constexpr Duration recovery{10'000'000};  ///< by then a healed store answers again
/// A busy machine may be too slow for a fault to be met, or for an answer that is in time; not each time.
constexpr int tries = 4;

/// Where in the message the fault lies.
enum class Place { first_byte, second_byte, middle };

/// One fault of a connection.
struct Trouble {
  const char* name;
  proxy::Fault fault;
  Direction direction;
  Place place = Place::first_byte;
  bool broken_before = false;  ///< the connection there is goes first, so that a new one meets the fault

  bool flaps() const { return fault == proxy::Fault::flapping; }
  /// How many calls meet it at most. A session that was lost while idle may be noticed by one call, and replaced by the
  /// next, which meets the fault; where the network comes and goes, each is made in another of its states.
  int turns() const { return flaps() ? 6 : broken_before ? 3 : 1; }
};

constexpr std::array<Trouble, 20> troubles{{
    {"request_cut_at_once", proxy::Fault::cut, Direction::up},
    {"request_cut_in_the_middle", proxy::Fault::cut, Direction::up, Place::middle},
    {"reply_cut_at_once", proxy::Fault::cut, Direction::down},
    {"reply_cut_after_a_byte", proxy::Fault::cut, Direction::down, Place::second_byte},
    {"reply_cut_in_the_middle", proxy::Fault::cut, Direction::down, Place::middle},
    {"request_reset_at_once", proxy::Fault::reset, Direction::up},
    {"request_reset_in_the_middle", proxy::Fault::reset, Direction::up, Place::middle},
    {"reply_reset_at_once", proxy::Fault::reset, Direction::down},
    {"reply_reset_in_the_middle", proxy::Fault::reset, Direction::down, Place::middle},
    {"requests_swallowed", proxy::Fault::half_open, Direction::up},
    {"replies_swallowed", proxy::Fault::half_open, Direction::down},
    {"request_swallowed_from_the_middle", proxy::Fault::half_open, Direction::up, Place::middle},
    {"black_hole_at_once", proxy::Fault::black_hole, Direction::up},
    {"black_hole_in_the_reply", proxy::Fault::black_hole, Direction::down, Place::middle},
    {"request_slow", proxy::Fault::slow, Direction::up},
    {"reply_slow", proxy::Fault::slow, Direction::down},
    {"connection_lost_while_idle", proxy::Fault::none, Direction::up, Place::first_byte, true},
    {"connecting_refused", proxy::Fault::refuse, Direction::up, Place::first_byte, true},
    {"connecting_into_a_black_hole", proxy::Fault::mute, Direction::up, Place::first_byte, true},
    {"flapping", proxy::Fault::flapping, Direction::up},
}};

/// A proxy before each host of the config string; forked before anything is opened.
class Net {
 public:
  explicit Net(const Target& target) : config_(Config::read(target.config)) {
    for (Host& host : config_.hosts) {
      proxies_.push_back(std::make_unique<proxy::Proxy>(proxy::Endpoint{host.name, host.port}));
      host = {"127.0.0.1", proxies_.back()->port()};
    }
  }
  /// The same store, reached through the proxies.
  Target behind(const Target& target) const {
    Target made = target;
    made.config = config_.text();
    return made;
  }
  proxy::Counts obey(const proxy::Rule& rule) {
    return all([&](proxy::Proxy& one) { return one.obey(rule); });
  }
  proxy::Counts drop() {
    return all([](proxy::Proxy& one) { return one.drop(true); });
  }
  proxy::Counts counts() {
    return all([](proxy::Proxy& one) { return one.counts(); });
  }

 private:
  template <class Ask>
  proxy::Counts all(Ask ask) {
    proxy::Counts sum;
    for (auto& each : proxies_)
      for (const auto& [name, times] : ask(*each)) sum[name] += times;
    return sum;
  }
  Config config_;
  std::vector<std::unique_ptr<proxy::Proxy>> proxies_;
};

/// How many bytes an operation and its answer are.
struct Size {
  std::uint64_t up = 0, down = 0;
};

/// One script, played with its act sent through the proxies.
class Play {
 public:
  Play(const Script& script, const Target& target, Net& net, Standstill& standstill)
      : target_(target),
        net_(net),
        standstill_(standstill),
        stage_(target, "1h"),
        ns_(target.fresh_namespace()),
        through_(net.behind(target).open(ns_)),
        direct_(target.open(ns_)) {
    stage_.begin(direct_.now());
    for (const Line& line : script.setup) {
      if (line == "pass") {
        direct_.pass(moment, target.facts);
        continue;
      }
      json::object request = stage_.request(line);
      stage_.note(request, direct_.call(request));
    }
    act_ = stage_.request(script.act);
    through_.call({{"op", "info"}});  // connected, and past its greetings
  }

  Size measure() {
    proxy::Counts before = net_.counts();
    through_.call(act_);
    proxy::Counts after = net_.counts();
    return {after["up_bytes"] - before["up_bytes"], after["down_bytes"] - before["down_bytes"]};
  }

  /// Empty, or what is wrong.
  std::string meet(const Trouble& trouble, Size size, const Played& undisturbed) {
    // Looked at with names of its own: what the act is told must be named first.
    const Stage named = stage_;
    const json::object before = held(Stage(named));
    std::string wrong = disturb(trouble, size, undisturbed);
    net_.obey({});
    if (wrong.empty() && refused_) {
      // Nothing happened, it said: so nothing did, and nothing will.
      Played as_before;
      as_before.held = before;
      wrong = differing_state(held(Stage(named)), as_before, "after it said that nothing had happened");
    }
    if (wrong.empty()) wrong = come_back(undisturbed);
    if (wrong.empty()) wrong = differing_state(held_now(), undisturbed, "afterwards");
    return wrong;
  }

  const std::string& transcript() const { return stage_.transcript(); }
  /// Whether a machine that was busy may be all that is wrong.
  bool by_chance() const { return by_chance_; }

 private:
  json::object held(Stage stage) {
    return dump([this](const json::object& request) { return direct_.call(request); }, target_, stage);
  }
  json::object held_now() {
    return dump([this](const json::object& request) { return direct_.call(request); }, target_, stage_);
  }

  std::string disturb(const Trouble& trouble, Size size, const Played& undisturbed) {
    const std::uint64_t length = trouble.direction == Direction::up ? size.up : size.down;
    const std::uint64_t after = trouble.place == Place::middle        ? length / 2
                                : trouble.place == Place::second_byte ? 1
                                                                      : 0;
    const auto fault = static_cast<std::size_t>(trouble.fault);
    const std::string counted(trouble.broken_before && trouble.fault == proxy::Fault::none ? "reset"
                                                                                           : proxy::fault_names[fault]);
    const std::uint64_t times = net_.counts()[counted];
    if (trouble.broken_before) net_.drop();
    net_.obey({trouble.fault, trouble.direction, after, trouble.flaps() ? 15'000U : 1'000U});
    refused_ = true;
    for (int turn = 0; turn < trouble.turns(); ++turn) {
      const std::uint64_t changes = net_.counts()["changes"];
      std::string wrong = call_once(trouble.name, undisturbed);
      if (!wrong.empty()) return wrong;
      if (trouble.flaps())
        wait_for_change(changes);
      else if (net_.counts()[counted] > times && turn > 0)
        break;
    }
    by_chance_ = net_.counts()[counted] <= times;
    return by_chance_ ? std::string("the fault did not bite: ") + trouble.name : "";
  }

  /// Until a network that comes and goes has come or gone once more.
  void wait_for_change(std::uint64_t changes) {
    const auto until = Clock::now() + recovery;
    while (net_.counts()["changes"] == changes && Clock::now() < until) poll(nullptr, 0, 1);
  }

  /// One call into the fault, within its deadline, answered honestly.
  std::string call_once(const char* how, const Played& undisturbed) {
    const auto begun = Clock::now();
    json::object answer;
    try {
      answer = through_.call(act_, patience);
    } catch (const Error& error) {  // it could not connect: nothing was sent
      answer = {{"status", name_of(error.status())}, {"error", error.what()}};
    }
    const auto ended = Clock::now();
    const auto took = std::chrono::duration_cast<Duration>(ended - begun) - standstill_.between(begun, ended);
    stage_.note(act_, answer, how);
    by_chance_ = took > patience + margin;
    if (by_chance_)
      return "it took " + std::to_string(took.count() / 1000) + " ms, and its deadline was after " +
             std::to_string(patience.count() / 1000) + " ms (R4)";
    const std::string_view status = answer.at("status").as_string();
    const bool said_no = status == "unavailable" || status == "timed_out";
    refused_ = refused_ && said_no;
    return said_no || status == "unknown" ? "" : differing_answer(stage_, answer, undisturbed, false);
  }

  /// The same handle, once the network is whole again (R5), and somebody else: both are answered as without the fault.
  std::string come_back(const Played& undisturbed) {
    const auto until = Clock::now() + recovery;
    json::object answer;
    for (std::string_view status = "unknown";
         status == "unknown" || status == "unavailable" || status == "timed_out";) {
      if (Clock::now() > until) return "10 s after the network was whole again it answers " + brief(answer) + " (R5)";
      try {
        answer = through_.call(act_, std::chrono::seconds{5});
      } catch (const Error& error) {
        answer = {{"status", name_of(error.status())}, {"error", error.what()}};
      }
      status = answer.at("status").as_string();
    }
    stage_.note(act_, answer, "sent again over a whole network");
    std::string wrong = differing_answer(stage_, answer, undisturbed, false);
    if (!wrong.empty()) return wrong;
    answer = direct_.call(act_);
    stage_.note(act_, answer, "sent again by somebody else");
    return differing_answer(stage_, answer, undisturbed, false);
  }

  const Target& target_;
  Net& net_;
  Standstill& standstill_;
  Stage stage_;
  const std::string ns_;
  Client through_, direct_;
  json::object act_;
  bool refused_ = false, by_chance_ = false;
};

/// One script in one trouble: empty, or what is wrong and what was said.
std::string judge_trouble(const Script& script, const Trouble& trouble, Size size, const Played& undisturbed,
                          const Target& target, Net& net, Standstill& standstill) {
  for (int tried = 1;; ++tried) {
    Play play(script, target, net, standstill);
    const std::string wrong = play.meet(trouble, size, undisturbed);
    if (wrong.empty()) return wrong;
    if (!play.by_chance() || tried == tries)
      return script.name + " x " + trouble.name + ": " + wrong + "\n  what was said:\n" + play.transcript() +
             "  without the fault:\n" + undisturbed.transcript;
    // Another connection of the store's own may have been counted in.
    size = Play(script, target, net, standstill).measure();
  }
}

Outcome judge_operation(const std::string& op, const Target& target) {
  Net net(target);
  Standstill standstill;
  Outcome outcome;
  outcome.counted = 0;
  for (const Script& script : scripts()) {
    if (operation_of(script) != op || !playable(script, target.facts)) continue;
    const Played undisturbed = play_without_fault(script, {}, {}, target);
    const Size size = Play(script, target, net, standstill).measure();
    for (const Trouble& trouble : troubles) {
      ++outcome.counted;
      ++outcome.faults[trouble.name];
      outcome.text = judge_trouble(script, trouble, size, undisturbed, target, net, standstill);
      if (outcome.text.empty()) continue;
      outcome.verdict = Verdict::failed;
      return outcome;
    }
  }
  return outcome;
}

Outcome no_network(const Target& target) {
  const Config config = Config::read(target.config);
  if (target.facts.can("cross_process") && !config.hosts.empty())
    return {Verdict::failed,
            "write the port of every host into the config string: the proxy must know where to forward"};
  return {Verdict::absent, "the config string names no server: there is no network between a caller and this store"};
}

bool is_networked(const Target& target) {
  const Config config = Config::read(target.config);
  auto addressed = [](const Host& host) { return !host.port.empty() || host.name.starts_with('/'); };
  return !config.hosts.empty() && std::all_of(config.hosts.begin(), config.hosts.end(), addressed);
}

/// Nothing is opened: a store that has everything stands for all there are (runner/probe.hpp).
bool only_listed(const Target& target) { return target.config.empty(); }

}  // namespace

void add_network(const Target& target) {
  auto add = [](std::string name, std::string about, std::function<Outcome(const Target&)> run) {
    Check check;
    check.suite = "Network";
    check.name = std::move(name);
    check.ids = {"R1", "R2", "R4", "R5"};
    check.about = std::move(about);
    check.level = 3;
    check.limit = std::chrono::seconds{300};
    check.run = std::move(run);
    add_check(std::move(check));
  };
  if (!only_listed(target) && !is_networked(target)) {
    add("connections", "The connection to the server is cut, reset, swallowed, slow, refused, flapping.", no_network);
    return;
  }
  std::vector<std::string> known;
  for (const Script& script : scripts()) {
    const std::string op = operation_of(script);
    if (!playable(script, target.facts) || std::find(known.begin(), known.end(), op) != known.end()) continue;
    known.push_back(op);
    add(op, op + " over a connection that is cut, reset, swallowed, slow, refused, flapping",
        [op](const Target& store) { return judge_operation(op, store); });
  }
}

}  // namespace stile::conformance::faults

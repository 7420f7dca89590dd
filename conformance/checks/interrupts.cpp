// An interrupt at every moment of a call: before it begins, before its first look, while it goes to sleep. None is
// missed, and none is heard by a later call (W6).
//
// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <chrono>
#include <random>
#include <thread>

#include "check.hpp"
#include "checks/checks.hpp"
#include "codec/op.hpp"
#include "dialogue/match.hpp"

namespace stile::conformance {
namespace {

/// One session, and a thread that interrupts its calls.
class Interrupted {
 public:
  explicit Interrupted(const Target& target)
      : backend_(target.open(target.fresh_namespace())),
        link_(backend_->connect(std::chrono::steady_clock::now() + std::chrono::seconds{20})),
        random_(target.seed),
        host_([this](const std::stop_token& stop) { interrupt_all(stop); }) {}

  /// One call that waits and is interrupted; what is wrong with it.
  std::string play(const json::object& request) {
    const std::uint64_t serial = ++serial_;
    pause_ = random_() % longest_pause;
    // On a busy machine the two seldom run at once, and one of them would always come first: so now and then it is
    // said.
    const auto order = random_() % 4;
    waits_ = order == 0;
    next_ = serial;
    spend(random_() % longest_pause);
    while (order == 1 && done_ != serial) std::this_thread::yield();
    const auto begun = Clock::now();
    const json::object answer = say(request, serial);
    while (done_ != serial) std::this_thread::yield();
    ++(before_ ? early_ : late_);
    if (answer.at("status") != "interrupted" || Clock::now() - begun > soon)
      return std::string("interrupted ") + (before_ ? "before it began" : "while it ran") + ": " + brief(request) +
             "\n    answered " + brief(answer) + "\n";
    return {};
  }

  /// A call that nobody interrupts.
  std::string play_next(const json::object& request) {
    const json::object answer = say(request, ++serial_);
    if (answer.at("status") == "ok") return {};
    return "the call after an interrupted one: " + brief(request) + "\n    answered " + brief(answer) + "\n";
  }

  std::uint64_t early() const { return early_; }
  std::uint64_t late() const { return late_; }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds soon{4};           // as in the dialogues
  static constexpr std::uint64_t longest_pause = 100'000;  // nanoseconds: as long as a call takes to fall asleep

  static void spend(std::uint64_t nanoseconds) {
    const auto end = Clock::now() + std::chrono::nanoseconds{nanoseconds};
    while (Clock::now() < end) continue;
  }

  json::object say(const json::object& request, std::uint64_t serial) {
    auto op = codec::Op::decode(request);
    stile_call call{};
    call.struct_size = sizeof call;
    call.serial = serial;
    const auto deadline = Clock::now() + std::chrono::seconds{20};
    call.deadline = std::chrono::duration_cast<Duration>(deadline.time_since_epoch()).count();
    stile_op* ops[] = {op->get()};
    say_at("asking " + brief(request));
    begun_ = serial;
    link_->execute(call, ops);
    return codec::answer_json(*op->get());
  }

  void interrupt_all(const std::stop_token& stop) {
    for (std::uint64_t seen = 0; !stop.stop_requested();) {
      const std::uint64_t serial = next_;
      if (serial == seen) {
        std::this_thread::yield();
        continue;
      }
      seen = serial;
      while (waits_ && begun_ != serial && !stop.stop_requested()) std::this_thread::yield();
      spend(pause_);
      before_ = begun_ != serial;
      link_->interrupt(serial);
      done_ = serial;
    }
  }

  std::shared_ptr<store::Backend> backend_;
  std::unique_ptr<store::Link> link_;
  std::mt19937_64 random_;
  std::uint64_t serial_ = 0, early_ = 0, late_ = 0;
  std::atomic<std::uint64_t> pause_{0}, next_{0}, begun_{0}, done_{0};
  std::atomic<bool> before_{false}, waits_{false};
  std::jthread host_;  // last: it ends before what it uses
};

Outcome at_every_moment(const Target& target) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::seconds usual{1}, most{15};
  constexpr std::uint64_t least = 20;
  const json::object receive{{"op", "receive"}, {"lease", "1h"}, {"wait", "15s"}};
  const json::object watch{
      {"op", "watch"}, {"workflows", json::array{{{"workflow", "w"}, {"after", 0}}}}, {"wait", "15s"}};
  const bool watches = target.facts.can("push_records");
  const Duration wanted = target.time.count() > 0
                              ? target.time
                              : std::chrono::duration_cast<Duration>(usual) * static_cast<int>(target.scale);
  Interrupted session(target);
  Outcome outcome;
  outcome.counted = 0;
  std::string wrong = session.play_next({{"op", "receive"}, {"lease", "1h"}});
  const auto begun = Clock::now();
  auto met = [&] { return session.early() >= least && session.late() >= least; };
  while (wrong.empty() && (Clock::now() - begun < wanted || (!met() && Clock::now() - begun < most))) {
    const bool other = watches && outcome.counted % 2 == 1;
    wrong = session.play(other ? watch : receive);
    if (wrong.empty() && outcome.counted % 4 < 2)
      wrong = session.play_next({{"op", "receive"}, {"lease", "1h"}, {"wait", "1us"}});
    ++outcome.counted;
  }
  outcome.faults["interrupts_before_a_call"] = session.early();
  outcome.faults["interrupts_of_a_call"] = session.late();
  if (wrong.empty() && !met()) wrong = "did not bite: interrupts before a call and in one are to be 20 each";
  outcome.cut = target.time.count() > 0 && target.time < usual;
  if (!wrong.empty()) outcome.verdict = Verdict::failed, outcome.text = wrong;
  return outcome;
}

}  // namespace

void add_interrupt_checks(const Target& target) {
  if (!target.facts.does("receive")) return;
  Check check;
  check.suite = "Concurrent";
  check.name = "interrupts";
  check.ids = {"W6"};
  check.about = "a call that waits is interrupted at every moment, also before it begins; no later one is";
  check.level = 2;
  check.random = true;
  check.limit = std::chrono::seconds{60};
  check.run = at_every_moment;
  add_check(std::move(check));
}

}  // namespace stile::conformance

// Several workers at once, killed and frozen at random.
//
// SPDX-License-Identifier: Apache-2.0
#include <poll.h>
#include <sys/mman.h>

#include <atomic>
#include <new>
#include <random>

#include "check.hpp"
#include "faults/actor.hpp"
#include "faults/faults.hpp"

namespace stile::conformance::faults {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t crowd = 4, workflows = 6;
constexpr Duration usual{1'500'000};     ///< of a run that is given no time
constexpr Duration longest{20'000'000};  ///< after this a fault that did not happen will not

/// In memory that all processes share.
class Flag {
 public:
  Flag() {
    void* memory = mmap(nullptr, sizeof(std::atomic<bool>), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    value_ = new (memory) std::atomic<bool>{false};
  }
  ~Flag() { munmap(value_, sizeof(*value_)); }
  Flag(const Flag&) = delete;
  Flag& operator=(const Flag&) = delete;
  void raise() { *value_ = true; }
  bool raised() const { return *value_; }

 private:
  std::atomic<bool>* value_;
};

void wait(Duration length) { poll(nullptr, 0, static_cast<int>(length.count() / 1000)); }

class Crowd {
 public:
  explicit Crowd(const Target& target)
      : site_(make_site(target, "crowd")),
        shared_(target.facts.can("cross_process") ? nullptr : site_.open()),
        random_(target.seed) {
    for (std::size_t i = 0; i < crowd; ++i) workers_.push_back(make(i));
  }

  Outcome run(const Target& target) {
    const Duration wanted = target.time.count() > 0 ? target.time : usual * static_cast<int>(target.scale);
    const auto begun = Clock::now();
    while (Clock::now() - begun < wanted || (!bitten() && Clock::now() - begun < longest)) strike();
    stop_.raise();
    for (auto& worker : workers_) worker->join();
    workers_.clear();
    settle();
    Outcome outcome = judge_site(site_, held_elsewhere(site_, shared_));
    outcome.cut = target.time.count() > 0 && target.time < usual;
    outcome.faults["workers_killed"] = killed_;
    outcome.faults["workers_frozen"] = frozen_;
    for (const auto& [fault, least] :
         {std::pair{"workers_killed", 3}, {"workers_frozen", 3}, {"refused_as_superseded", 1}})
      if (outcome.verdict == Verdict::passed && outcome.faults[fault] < static_cast<std::uint64_t>(least)) {
        outcome.verdict = Verdict::failed;
        outcome.text = std::string("the fault did not bite: ") + fault + " is " + std::to_string(outcome.faults[fault]);
      }
    return outcome;
  }

 private:
  std::unique_ptr<Actor> make(std::size_t place) {
    const std::uint64_t seed = random_();
    const std::string who = "worker" + std::to_string(place) + "-" + std::to_string(++made_);
    return make_free_actor(site_, shared_, who, [this, seed](Worker& worker, const Gate& gate) {
      std::mt19937_64 random(seed);
      worker.wait_for(Duration{0});
      while (!stop_.raised()) worker.pass("w" + std::to_string(random() % workflows), gate);
    });
  }

  void strike() {
    wait(Duration{5'000 + static_cast<Duration::rep>(random_() % 30'000)});
    const std::size_t place = random_() % workers_.size();
    if (random_() % 2 == 0) {
      workers_[place]->kill();
      ++killed_;
      workers_[place] = make(place);
      return;
    }
    workers_[place]->freeze();
    ++frozen_;
    if (site_.target.facts.can("manual_clock"))
      pass_by_hand();
    else
      wait(site_.lease * 3 / 2);
    // The others go on with its work meanwhile; where it sleeps in the middle of a commit they may have to wait for it.
    workers_[place]->thaw();
  }

  void pass_by_hand() {
    elsewhere(site_, shared_, "clock", [&](Worker& worker) {
      worker.client().pass(site_.lease, site_.target.facts);
      return std::string();
    });
    wait(Duration{20'000});
  }

  bool bitten() const { return killed_ >= 3 && frozen_ >= 3 && refusals() > 0; }
  std::size_t refusals() const {
    std::size_t count = 0;
    for (const Entry& entry : read_ledger(site_.ledger())) {
      const std::string status = entry.status();
      count += status == "fenced" || status == "stale" || status == "cancelled";
    }
    return count;
  }

  /// Every lease ends; then one worker does all there is to do.
  void settle() {
    elsewhere(site_, shared_, "last", [&](Worker& worker) {
      worker.client().pass(site_.lease + Duration{100'000}, site_.target.facts);
      for (std::size_t i = 0; i < workflows; ++i) worker.pass("w" + std::to_string(i));
      return std::string();
    });
  }

  Site site_;
  std::shared_ptr<store::Backend> shared_;
  std::mt19937_64 random_;
  Flag stop_;
  std::uint64_t made_ = 0, killed_ = 0, frozen_ = 0;
  std::vector<std::unique_ptr<Actor>> workers_;
};

}  // namespace

void add_crowd(const Target&) {
  add_fault("workers_killed_and_frozen",
            "Several workers at once, killed and frozen at random; a ledger outside the store, and the judge.",
            {"A1", "A2", "A4", "B1", "B3", "B8", "D1", "D2", "D4", "D5", "D8", "W1", "R2", "I3"},
            std::chrono::seconds{180}, [](const Target& target) { return Crowd(target).run(target); });
}

}  // namespace stile::conformance::faults

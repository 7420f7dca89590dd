// What a check of level 4 has on stage: a driver with its server, callers in processes of their own, and in the end a
// judgement of all that they did.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "check.hpp"
#include "servers/caller_main.hpp"
#include "servers/counters.hpp"
#include "servers/driver.hpp"
#include "servers/ledger.hpp"
#include "target.hpp"

namespace stile::conformance::servers {

/// The store, or its driver, did not do what it had to. Ends a check; its text is the verdict's.
struct Fault : std::runtime_error {
  explicit Fault(const std::string& text, std::vector<std::string> broken = {})
      : runtime_error(text), ids(std::move(broken)) {}
  std::vector<std::string> ids;
};

/// One process that has the store open.
class CallerProcess {
 public:
  CallerProcess(const Job& job, const Started& started);

  pid_t pid() const { return program_.pid(); }
  const Job& job() const { return job_; }
  Counters& counters() const { return **counters_; }
  Program& program() { return program_; }

  /// Waits until the store is open in it. Throws Fault when it does not open.
  void wait_until_open();
  /// One operation; a caller that is slower than its deadline is a Fault (R4).
  json::object ask(const json::object& operation, Duration deadline = std::chrono::seconds{5});
  /// The same in two halves.
  void begin(const json::object& operation, Duration deadline);
  json::object answer(Duration patience);
  std::optional<json::object> answer_within(Duration patience);
  /// Ends it as its owner would; throws Fault where it does not end.
  void stop();

 private:
  Job job_;
  Program program_;
  std::unique_ptr<SharedCounters> counters_;
};

class Scene {
 public:
  /// faults: the words of the driver that are to come.
  Scene(const Target& target, std::vector<std::string> faults, Outcome& outcome);
  ~Scene();
  Scene(const Scene&) = delete;
  Scene& operator=(const Scene&) = delete;

  Driver& driver() { return *driver_; }
  const Target& target() const { return target_; }
  bool embedded() const { return driver_->embedded(); }
  void start(bool durable = true);

  /// A word that is about the server: of an embedded store that is the processes named.
  json::object strike(std::string_view word, const std::vector<pid_t>& callers, json::object with = {});
  /// Counts that a fault was seen to happen.
  void bit(const std::string& fault, std::uint64_t times = 1) { outcome_.faults[fault] += times; }
  std::uint64_t seen(const std::string& fault) const;
  void judged(std::uint64_t more) { outcome_.counted += more; }
  /// Fails unless it was seen so often.
  void demand(const std::string& fault, std::uint64_t times = 1) const;

  /// A caller that is told each operation.
  std::unique_ptr<CallerProcess> caller();
  /// Callers that do everything at once. value_bytes: of what they write.
  void open_crowd(unsigned processes = 2, std::uint64_t value_bytes = 16);
  std::vector<CallerProcess*> crowd() const;
  std::vector<pid_t> crowd_pids() const;
  /// The crowd's counters, of all processes there ever were.
  std::uint64_t heard(std::atomic<std::uint64_t> Counters::*counter) const;
  /// Waits until the crowd heard so much more of it; false where that took too long.
  bool hears(std::atomic<std::uint64_t> Counters::*counter, std::uint64_t more, Duration patience);
  /// Liveness: the crowd's calls are answered ok again. Throws Fault.
  void goes_on(std::string_view after);
  void stop_crowd();
  /// After a kill of an embedded store: the crowd's processes are gone, by that signal, each counted as `fault`.
  void bury_crowd(const std::string& fault);

  /// No fault any more: drains the store, and judges ledger and history; the latter not where clocks were stepped.
  void judge(bool history = true);
  /// The part of it that tells what became of every write.
  Judgement settle();
  /// At least so many times, and as long as --time says.
  void rounds(std::uint64_t least, const std::function<void()>& round);

 private:
  Job job(std::string name) const;
  void drain(Found& found);
  void read_all(CallerProcess& reader, Found& found);
  void judge_history();

  const Target& target_;
  Outcome& outcome_;
  std::vector<std::string> faults_;
  std::string folder_, ns_;
  std::unique_ptr<Driver> driver_;
  Started started_;
  std::vector<std::unique_ptr<CallerProcess>> crowd_;
  std::vector<std::unique_ptr<SharedCounters>> gone_;
  unsigned named_ = 0, rounds_ = 0;
};

/// Runs a check: absent where the driver has not got one of the words, or the store not what it needs; else what body
/// does, and a verdict whatever happens.
struct Play {
  std::vector<std::string> words;
  void (*body)(Scene&) = nullptr;
  bool durable = false;    ///< only for a store that says it is
  bool undurable = false;  ///< begun in a setting that may lose what was acknowledged
  bool rounds = false;     ///< --time makes it longer
};
Outcome play(const Target& target, const Play& what);

}  // namespace stile::conformance::servers

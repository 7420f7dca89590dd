// What came of every check of a run.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "check.hpp"
#include "target.hpp"

namespace stile::conformance {

struct Result {
  const Check* check = nullptr;
  Outcome outcome;
  Duration took{0};
};

/// How many of each verdict.
struct Counts {
  std::uint64_t passed = 0, failed = 0, crashed = 0, timed_out = 0, absent = 0;
  Duration took{0};  ///< of all of them; children that ran at once count each
  void add(Verdict verdict, Duration length = Duration{0});
  std::uint64_t broken() const { return failed + crashed + timed_out; }
  std::uint64_t all() const { return passed + broken() + absent; }
};

/// A run, as the reports tell it.
struct Run {
  std::string command;  ///< how this program was called, for the command that repeats a failure
  const Target* target = nullptr;
  std::vector<std::string> cases;  ///< files or folders in place of those built in
  Duration time{0};                ///< what all random checks together were given; 0 = nothing was said
  std::vector<Result> results;
  std::string started_at;  ///< UTC, to the second
  Duration took{0};
  bool partial = false;  ///< only some of the checks were asked for, or came to be judged
  bool interrupted = false;
  bool verbose = false;  ///< people are shown all there is

  int level() const;  ///< the highest that anything was judged at; where all was asked for, that level

  /// How many of the checks had too little time for what they do by themselves; whom a run with such does not convict,
  /// it does not acquit either.
  std::uint64_t cut() const;
  std::string cut_text() const;

  Counts counts() const;
  std::map<std::string, Counts> by_id(int level = 0) const;  ///< of one level; 0 = of all
  /// How often each fault happened.
  std::map<std::string, std::uint64_t> faults() const;
  /// Ids that something is known to break, in the contract's order.
  std::vector<std::string> broken_ids() const;
};

/// The config string as it may be shown: as it was given, or, where it has a secret, as the store shows it.
std::string shown_config(const Target& target);
/// The driver's command line without its secrets.
std::string shown_driver(const Target& target);

/// The command that runs the check of a result alone again, and of random sequences the one that failed.
std::string repeat_command(const Run& run, const Result& result);

/// The text, with what is no UTF-8 in it replaced: a plugin may write anything.
std::string readable(std::string text);

/// A check's outcome on its way from the child to the runner.
std::string to_text(const Outcome& outcome);
std::optional<Outcome> outcome_from_text(std::string_view text);

}  // namespace stile::conformance

// One thing to judge a store by: what the runner runs in a child process, and the verdict that comes of it.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "stile/types.hpp"
#include "target.hpp"

namespace stile::conformance {

/// passed, failed and absent (a declared absence that was seen to be one) are said by the check itself; the runner says
/// crashed and timed_out when the child ended without a word or did not end.
enum class Verdict { passed, failed, crashed, timed_out, absent };
std::string_view name_of(Verdict verdict);

/// What a check found. Travels from the child to the runner as JSON.
struct Outcome {
  Verdict verdict = Verdict::passed;
  std::string text;              ///< failed: the dialogue with what differed; absent: what is missing
  std::vector<std::string> ids;  ///< failed: contract ids known to be broken; empty = those of the check
  std::uint64_t counted = 1;     ///< how many things were judged (lines, cells, sequences): 0 is a failure
  std::uint64_t sequence = 0;    ///< failed: the random sequence that did; 0 = none
  /// How often each fault happened ("lost_replies", 17): summed over the run, shown in every report.
  std::map<std::string, std::uint64_t> faults;
  std::string history;         ///< failed: the recorded history, a file that was kept
  boost::json::object judged;  ///< failed: what the judge said of that history (judge/verdict.hpp), for a picture
  std::string reason;          ///< failed: what differs, in one line; empty = the first line of the text says it
  bool cut = false;            ///< passed: Target.time was too short for the amount that it does by itself
};

/// A GoogleTest `suite.name`, both [A-Za-z0-9_]+ (GoogleTest's filters give '-' a meaning of its own).
struct Check {
  std::string suite;
  std::string name;
  std::vector<std::string> ids;  ///< contract ids it proves something of
  std::string about;             ///< one line: why
  std::string place;             ///< file and line it comes from; empty = code
  int level = 1;  ///< 1 one caller, 2 many callers, 3 faults, 4 servers; a run has all up to the one it was asked for
  bool alone = false;                         ///< nothing of this run is judged beside it
  bool random = false;                        ///< its work is drawn at random: it takes Target.time where that is given
  Duration limit = std::chrono::seconds{30};  ///< killed and judged timed_out after this
  /// Judges the store. Runs in a child process that has opened nothing; may open what it likes, start threads, crash.
  std::function<Outcome(const Target&)> run;
};

/// Says what this process is at: where it dies or hangs before it can say more, the runner tells it. Any thread; the
/// last one counts. Every call of a Client says what it sends; a check that drives a store by other means may say so
/// itself.
void say_at(std::string_view what);

/// Makes a check known to GoogleTest and to the runner. Before the tests are run, on the main thread.
void add_check(Check check);

}  // namespace stile::conformance

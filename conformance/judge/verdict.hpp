// What the judge found: every broken promise with the few operations that contradict each other.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json.hpp>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "judge/clock.hpp"
#include "judge/history.hpp"

namespace stile::conformance::judge {

/// One broken promise.
struct Finding {
  std::string ids;   ///< "A4", or "A4 A7"; "undecided" where the search gave up
  std::string what;  ///< in one sentence
  Text subject = Text::none;
  enum class Of : std::uint8_t { workflow, document, store } of = Of::workflow;
  std::vector<std::uint32_t> events;  ///< those that contradict each other, in the order in which they were asked
};

/// How much was judged: what did not happen in a history was not judged.
struct Counts {
  std::size_t operations = 0, in_doubt = 0, workflows = 0, documents = 0;
  std::size_t steps = 0;      ///< of all searches
  std::size_t undecided = 0;  ///< searches that gave up
  std::map<std::string, std::size_t> operation, status;
};

struct Verdict {
  std::vector<Finding> findings;
  std::vector<std::string> notes;
  Counts counts;
  Calibration clock;

  bool accepted() const { return findings.empty(); }
};

/// The request and the answer of an event as lines of `stile call`; the answer is empty where none came.
std::string question_line(const History& history, const Event& event);
std::string answer_line(const History& history, const Event& event);

/// {"accepted", "begin", "findings": [{"ids", "what", "workflow" or "document", "events": [{"client", "call", "place",
/// "invoke", "return", "asked", "answered"}], "beside": [the same]}], "notes", "counts", "clock"}: a report draws from
/// this. begin is when the history did; beside is what else happened to the subject then (judge/beside.hpp).
boost::json::object verdict_json(const Verdict& verdict, const History& history);

/// For people; times in milliseconds since the history began.
std::string verdict_text(const Verdict& verdict, const History& history);

}  // namespace stile::conformance::judge

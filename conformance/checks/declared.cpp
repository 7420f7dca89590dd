// What a store declares, against what it answers (S3).
//
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "check.hpp"
#include "checks/checks.hpp"
#include "dialogue/absence.hpp"
#include "dialogue/match.hpp"

namespace stile::conformance {
namespace {

Outcome contradiction(std::string text) { return {Verdict::failed, std::move(text), {}, 1}; }

/// Of the closed list, what one answer can show.
constexpr std::array<std::string_view, 8> shown_by_an_answer{"one_commit",   "coupled_receive", "push_records",
                                                             "manual_clock", "effects:sql",     "effects:lua",
                                                             "render:sql",   "render:lua"};

Outcome undeclared_is_unsupported(const Target& target) {
  Client client(target.open(target.fresh_namespace()));
  Outcome outcome;
  outcome.counted = 1;
  for (std::string_view capability : shown_by_an_answer) {
    if (target.facts.can(capability)) continue;
    json::object request = request_needing(capability);
    json::object answer = client.call(request);
    ++outcome.counted;
    if (answer.at("status") != "unsupported")
      return contradiction("undeclared: " + std::string(capability) + "\n    sent     " + brief(request) +
                           "\n    answered " + brief(answer));
  }
  return outcome;
}

Outcome declared_is_supported(const Target& target) {
  Client client(target.open(target.fresh_namespace()));
  Outcome outcome;
  outcome.counted = 1;
  for (std::string_view capability : shown_by_an_answer) {
    if (!target.facts.can(capability)) continue;
    json::object request = request_needing(capability);
    json::object answer = client.call(request);
    ++outcome.counted;
    if (answer.at("status") == "unsupported")
      return contradiction("declared: " + std::string(capability) + "\n    sent     " + brief(request) +
                           "\n    answered " + brief(answer));
  }
  return outcome;
}

/// The closed list; an effect and a rendering name their language.
Outcome capabilities_are_known(const Target& target) {
  static constexpr std::array<std::string_view, 8> closed{"one_commit",    "coupled_receive", "push_wakeups",
                                                          "durable",       "push_records",    "manual_clock",
                                                          "cross_process", "replicated"};
  for (const std::string& one : target.facts.capabilities) {
    bool language = (one.starts_with("effects:") && one.size() > 8) || (one.starts_with("render:") && one.size() > 7);
    if (!language && std::find(closed.begin(), closed.end(), one) == closed.end())
      return contradiction("info names a capability that the contract does not know: " + one);
  }
  return {};
}

/// A part is kept whole, or not at all; records come with documents, wakeups with both and with what shows them.
Outcome parts_are_whole(const Target& target) {
  auto groups = operation_groups();
  std::string missing;
  std::size_t last = 0;
  for (std::size_t g = 0; g < groups.size(); ++g)
    for (std::string_view op : groups[g])
      if (target.facts.does(op)) last = g;
  for (std::size_t g = 0; g <= last; ++g)
    for (std::string_view op : groups[g])
      if (!target.facts.does(op)) missing += " " + std::string(op);
  if (last == 2)
    for (std::string_view op : groups[3])
      if (!target.facts.does(op)) missing += " " + std::string(op);
  if (target.facts.part == Part::nothing)
    return contradiction("every operation is unsupported: there is nothing to judge");
  if (!missing.empty())
    return contradiction("these operations are unsupported, and others of their part are not:" + missing);
  return {};
}

}  // namespace

void add_declared_checks() {
  add_check_in_code("declared", "undeclared_is_unsupported", {"S3"},
                    "What is not declared answers unsupported, and not something like it.", undeclared_is_unsupported);
  add_check_in_code("declared", "declared_is_supported", {"S3"}, "What is declared is there.", declared_is_supported);
  add_check_in_code("declared", "capabilities_are_known", {"S3"}, "A capability is one of the contract's list.",
                    capabilities_are_known);
  add_check_in_code("declared", "parts_are_whole", {"S3"},
                    "Documents, records, wakeups: each is kept whole or not at all.", parts_are_whole);
}

}  // namespace stile::conformance

// A store that nobody has prepared (S1). Where the suite itself had to prepare what all namespaces share, there is none
// to be had, and what is judged is that it says so.
//
// SPDX-License-Identifier: Apache-2.0
#include "check.hpp"
#include "checks/checks.hpp"
#include "dialogue/absence.hpp"
#include "dialogue/match.hpp"

namespace stile::conformance {
namespace {

Outcome fault(const json::object& request, const std::string& expected, const json::object& answer) {
  return {Verdict::failed,
          "must be " + expected + "\n    sent     " + brief(request) + "\n    answered " + brief(answer),
          {},
          1};
}

/// What every operation of the store's part answers to a request that nothing is wrong with.
std::vector<json::object> one_of_each(const Target& target) {
  std::vector<json::object> out{{{"op", "info"}}};
  for (const auto& group : operation_groups()) {
    for (std::string_view op : group) {
      if (!target.facts.does(op)) continue;
      if (json::object request = harmless_request(op); !request.empty()) out.push_back(std::move(request));
    }
  }
  return out;
}

Outcome nothing_before_prepare(const Target& target) {
  const std::string ns = target.fresh_namespace();
  const json::object check_only{{"op", "prepare"}, {"check_only", true}};
  const json::object prepare{{"op", "prepare"}};
  Client client(target.open(ns, "never"));
  Outcome outcome;
  json::object looked = client.call(check_only);
  bool unprepared = looked.at("status") == "unprepared";
  if (!unprepared && (looked.at("status") != "ok" || looked.at("migrated") != false)) {
    return fault(check_only, "unprepared, or ok with migrated=false", looked);
  }
  for (int turn = 0; turn < 2; ++turn) {  // the second time: check_only changed nothing
    for (const json::object& request : one_of_each(target)) {
      json::object answer = client.call(request);
      ++outcome.counted;
      bool says = answer.at("status") == "unprepared";
      if (says != unprepared) return fault(request, unprepared ? "unprepared" : "answered: it is prepared", answer);
    }
    looked = client.call(check_only);
    if ((looked.at("status") == "unprepared") != unprepared) return fault(check_only, "as it was before", looked);
  }
  if (!unprepared) return outcome;
  // What no state is read for comes first.
  const json::object wrong{{"op", "put"}, {"key", ""}, {"value", "v"}};
  json::object answer = client.call(wrong);
  if (answer.at("status") != "invalid") return fault(wrong, "invalid", answer);
  answer = client.call(prepare);
  if (answer.at("status") != "ok" || answer.at("migrated") != true) return fault(prepare, "ok migrated=true", answer);
  answer = client.call(prepare);
  if (answer.at("status") != "ok" || answer.at("migrated") != false) return fault(prepare, "ok migrated=false", answer);
  const json::object put{{"op", "put"}, {"key", "k"}, {"value", "v"}};
  answer = client.call(put);
  return answer.at("status") == "ok" ? outcome : fault(put, "ok, for it is prepared now", answer);
}

/// What one session prepared, another finds prepared, though it was told otherwise before.
Outcome prepared_for_everyone(const Target& target) {
  auto store = target.open(target.fresh_namespace(), "check");
  Client first(store);
  Client second(store);
  const json::object scan{{"op", "scan"}, {"prefix", ""}};
  second.call(scan);
  const json::object prepare{{"op", "prepare"}};
  json::object answer = first.call(prepare);
  if (answer.at("status") != "ok") return fault(prepare, "ok", answer);
  answer = second.call(scan);
  return answer.at("status") == "ok" ? Outcome{} : fault(scan, "ok, for it is prepared now", answer);
}

}  // namespace

void add_unprepared_checks() {
  add_check_in_code("unprepared", "nothing_before_prepare", {"S1"},
                    "Opened with prepare=never it opens, and answers unprepared until it is prepared.",
                    nothing_before_prepare);
  add_check_in_code("unprepared", "prepared_for_everyone", {"S1"},
                    "A store that one caller prepared is prepared for all.", prepared_for_everyone);
}

}  // namespace stile::conformance

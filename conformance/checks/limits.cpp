// Values over the declared limit (B9): how long they are, only the store can say.
//
// SPDX-License-Identifier: Apache-2.0
#include "check.hpp"
#include "checks/checks.hpp"
#include "dialogue/match.hpp"

namespace stile::conformance {
namespace {

/// Above this a value is too much for the machine that judges, and its limit is not tried.
constexpr std::uint64_t largest_tried = 256u << 20;

Outcome value_over_the_limit(const Target& target) {
  std::uint64_t limit = target.facts.limit("value_bytes", largest_tried);
  Outcome outcome;
  if (limit >= largest_tried) return outcome;
  Client client(target.open(target.fresh_namespace()));
  std::vector<json::object> writes{{{"op", "put"}, {"key", "k"}}};
  std::vector<json::object> reads{{{"op", "scan"}, {"prefix", ""}}};
  json::value fence;
  if (target.facts.part >= Part::documents_and_records) {
    fence = client.call({{"op", "acquire"}, {"workflow", "w"}, {"ttl", "1h"}, {"budget", "1h"}}).at("fence");
    writes.push_back({{"op", "record"}, {"workflow", "w"}, {"key", "k"}, {"fence", fence}});
    writes.push_back({{"op", "rebase"}, {"workflow", "w"}, {"key", "k"}, {"fence", fence}});
    writes.push_back({{"op", "supply"}, {"workflow", "w"}, {"key", "k"}});
    writes.push_back({{"op", "append"}, {"workflow", "w"}});
    reads.push_back({{"op", "load"}, {"workflow", "w"}});
  }
  std::vector<json::object> before = client.batch(reads);
  const std::string too_long(limit + 1, 'v');
  for (const json::object& each : writes) {
    json::object request(each);
    request["value"] = too_long;
    json::object answer = client.call(request);
    ++outcome.counted;
    if (answer.at("status") == "too_large") continue;
    return {Verdict::failed,
            "a value of limits.value_bytes + 1 bytes must be too_large\n    sent     " + brief(each) +
                "\n    answered " + brief(answer),
            {},
            1};
  }
  std::vector<json::object> after = client.batch(reads);
  if (before != after) {
    return {Verdict::failed,
            "a refused value was written:\n    " + brief(after[0]) + "\n    " + brief(after.back()),
            {},
            1};
  }
  // The workflow works on.
  if (target.facts.part >= Part::documents_and_records) {
    json::object answer =
        client.call({{"op", "record"}, {"workflow", "w"}, {"key", "k"}, {"fence", fence}, {"value", "x"}});
    if (answer.at("status") != "ok") return {Verdict::failed, "afterwards, record: " + brief(answer), {}, 1};
  }
  return outcome;
}

}  // namespace

void add_limit_checks() {
  Check check;
  check.suite = "limits";
  check.name = "value_over_the_limit";
  check.ids = {"B9"};
  check.about = "A value longer than the store declares is too_large, whatever writes it, and nothing is written.";
  check.limit = std::chrono::seconds{300};  // it moves gigabytes
  check.run = value_over_the_limit;
  add_check(std::move(check));
}

}  // namespace stile::conformance

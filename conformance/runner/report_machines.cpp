// The reports for programs: JUnit for CI, and the certificate in JSON.
//
// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <vector>

#include "runner/contract.hpp"
#include "runner/mending.hpp"
#include "runner/reports.hpp"

namespace stile::conformance {
namespace {

/// XML has no way to say most control characters: they become a question mark.
std::string xml(const std::string& text) {
  std::string out;
  for (char c : readable(text)) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default: {
        bool control = static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t';
        out += control ? '?' : c;
      }
    }
  }
  return out;
}

std::string plain_seconds(Duration took) {
  std::string micros = std::to_string(took.count() % 1'000'000);
  return std::to_string(took.count() / 1'000'000) + "." + std::string(6 - micros.size(), '0') + micros;
}

json::object counts_json(const Counts& counts) {
  return {{"passed", counts.passed},
          {"failed", counts.failed},
          {"crashed", counts.crashed},
          {"timed_out", counts.timed_out},
          {"absent", counts.absent}};
}

}  // namespace

std::string junit(const Run& run) {
  std::map<std::string, std::vector<const Result*>> suites;
  for (const Result& result : run.results) suites[result.check->suite].push_back(&result);
  Counts all = run.counts();
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"stile-conformance\" tests=\"" +
                     std::to_string(all.all()) + "\" failures=\"" + std::to_string(all.failed) + "\" errors=\"" +
                     std::to_string(all.crashed + all.timed_out) + "\" skipped=\"" + std::to_string(all.absent) +
                     "\" time=\"" + plain_seconds(run.took) + "\">\n";
  for (const auto& [name, results] : suites) {
    Counts counts;
    for (const Result* result : results) counts.add(result->outcome.verdict);
    text += "  <testsuite name=\"" + xml(name) + "\" tests=\"" + std::to_string(counts.all()) + "\" failures=\"" +
            std::to_string(counts.failed) + "\" errors=\"" + std::to_string(counts.crashed + counts.timed_out) +
            "\" skipped=\"" + std::to_string(counts.absent) + "\" timestamp=\"" + run.started_at + "\">\n";
    for (const Result* result : results) {
      text += "    <testcase classname=\"" + xml(name) + "\" name=\"" + xml(result->check->name) + "\" time=\"" +
              plain_seconds(result->took) + "\"";
      Verdict verdict = result->outcome.verdict;
      if (verdict == Verdict::passed) {
        text += "/>\n";
        continue;
      }
      if (verdict == Verdict::absent) {
        text += "><skipped message=\"" + xml(result->outcome.text) + "\"/></testcase>\n";
        continue;
      }
      std::string tag = verdict == Verdict::failed ? "failure" : "error";
      text += "><" + tag + " type=\"" + std::string(name_of(verdict)) + "\">" + xml(failure_text(run, *result, true)) +
              "</" + tag + "></testcase>\n";
    }
    text += "  </testsuite>\n";
  }
  return text + "</testsuites>\n";
}

json::object certificate(const Run& run) {
  const Target& target = *run.target;
  const Facts& facts = target.facts;
  json::object plugin{
      {"name", facts.plugin.name},
      {"version", facts.plugin.version},
      {"license", facts.plugin.license},
      {"file", facts.plugin.path},
      {"build_id", facts.plugin.build_id},
      {"abi", std::to_string(facts.plugin.abi >> 16) + "." + std::to_string(facts.plugin.abi & 0xFFFF)}};
  json::object ids;
  auto by_id = run.by_id();
  for (const Promise& one : promises()) {
    auto found = by_id.find(one.id);
    ids[one.id] = counts_json(found == by_id.end() ? Counts{} : found->second);
  }
  json::array checks;
  for (const Result& result : run.results) {
    json::object one{{"name", result.check->suite + "." + result.check->name},
                     {"level", result.check->level},
                     {"ids", json::value_from(result.check->ids)},
                     {"verdict", name_of(result.outcome.verdict)},
                     {"judged", result.outcome.counted},
                     {"microseconds", result.took.count()}};
    if (result.outcome.verdict != Verdict::passed) one["text"] = readable(result.outcome.text);
    if (result.outcome.verdict != Verdict::passed) one["reason"] = readable(reason_of(result));
    if (!result.outcome.faults.empty()) one["faults"] = json::value_from(result.outcome.faults);
    if (result.outcome.cut) one["cut"] = true;
    if (!result.outcome.ids.empty()) one["broken"] = json::value_from(result.outcome.ids);
    checks.push_back(std::move(one));
  }
  json::array capabilities;
  for (const std::string& one : facts.capabilities) capabilities.push_back(json::value_from(one));
  return {{"certificate", "stile-conformance"},
          {"conformant", !run.partial && run.cut() == 0 && run.counts().broken() == 0},
          {"complete", !run.partial && run.cut() == 0},
          {"cut", run.cut()},
          {"plugin", std::move(plugin)},
          {"config", shown_config(target)},
          {"driver", shown_driver(target)},
          {"of_driver", target.of_driver},
          {"server", facts.info.contains("server") ? facts.info.at("server") : json::value("")},
          {"durability", facts.info.contains("durability") ? facts.info.at("durability") : json::value("")},
          {"capabilities", std::move(capabilities)},
          {"contract_version", contract_version()},
          {"level", run.level()},
          {"part", name_of(facts.part)},
          {"seeds", json::array{target.seed}},
          {"scale", target.scale},
          {"sequence", target.sequence},
          {"time", run.time.count()},
          {"cases", json::value_from(run.cases)},
          {"started_at", run.started_at},
          {"microseconds", run.took.count()},
          {"counts", counts_json(run.counts())},
          {"faults", json::value_from(run.faults())},
          {"broken_ids", json::value_from(run.broken_ids())},
          {"ids", std::move(ids)},
          {"checks", std::move(checks)}};
}

}  // namespace stile::conformance

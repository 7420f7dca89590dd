// What came of every check of a run.
//
// SPDX-License-Identifier: Apache-2.0
#include "runner/results.hpp"

#include <algorithm>

#include "codec/op.hpp"
#include "config/text.hpp"
#include "report/html.hpp"
#include "runner/contract.hpp"
#include "runner/shorter.hpp"
#include "types/units.hpp"

namespace stile::conformance {

std::string_view name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::passed: return "passed";
    case Verdict::failed: return "failed";
    case Verdict::crashed: return "crashed";
    case Verdict::timed_out: return "timed out";
    case Verdict::absent: return "declared absent";
  }
  return "?";
}

void Counts::add(Verdict verdict, Duration length) {
  took += length;
  switch (verdict) {
    case Verdict::passed: ++passed; break;
    case Verdict::failed: ++failed; break;
    case Verdict::crashed: ++crashed; break;
    case Verdict::timed_out: ++timed_out; break;
    case Verdict::absent: ++absent; break;
  }
}

int Run::level() const {
  if (!partial) return target->level;
  int highest = 1;
  for (const Result& result : results) highest = std::max(highest, result.check->level);
  return highest;
}

Counts Run::counts() const {
  Counts counts;
  for (const Result& result : results) counts.add(result.outcome.verdict, result.took);
  return counts;
}

std::uint64_t Run::cut() const {
  return static_cast<std::uint64_t>(
      std::count_if(results.begin(), results.end(), [](const Result& one) { return one.outcome.cut; }));
}

std::string Run::cut_text() const {
  const std::uint64_t many = cut();
  return "In --time " + types::duration_text(time.count()) + " " + report::counted(many, "random check") +
         " did less than " + (many == 1 ? "it does by itself" : "they do by themselves") +
         ": this is no judgement on the store.";
}

std::map<std::string, std::uint64_t> Run::faults() const {
  std::map<std::string, std::uint64_t> all;
  for (const Result& result : results)
    for (const auto& [name, count] : result.outcome.faults) all[name] += count;
  return all;
}

std::map<std::string, Counts> Run::by_id(int level) const {
  std::map<std::string, Counts> counts;
  for (const Result& result : results) {
    if (level != 0 && result.check->level != level) continue;
    // A check that names what differs says nothing against its other ids.
    const auto& broken = result.outcome.ids;
    for (const std::string& id : result.check->ids) {
      bool named = broken.empty() || std::find(broken.begin(), broken.end(), id) != broken.end();
      if (result.outcome.verdict != Verdict::failed || named) counts[id].add(result.outcome.verdict, result.took);
    }
    if (result.outcome.verdict != Verdict::failed) continue;
    for (const std::string& id : broken)
      if (std::find(result.check->ids.begin(), result.check->ids.end(), id) == result.check->ids.end())
        counts[id].add(Verdict::failed, result.took);
  }
  return counts;
}

std::vector<std::string> Run::broken_ids() const {
  std::vector<std::string> ids;
  auto counts = by_id();
  for (const Promise& one : promises())
    if (auto found = counts.find(one.id); found != counts.end() && found->second.broken() != 0) ids.push_back(one.id);
  return ids;
}

namespace {

/// For a shell: as it is where that is safe, else in single quotes.
std::string quoted(const std::string& text) {
  auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_-./:=,+@%").find(c) != std::string_view::npos;
  };
  if (!text.empty() && std::all_of(text.begin(), text.end(), plain)) return text;
  std::string out = "'";
  for (char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

}  // namespace

std::string shown_config(const Target& target) {
  bool secret = target.facts.config.find("***") != std::string::npos;
  return secret || target.config == "-" ? target.facts.config : target.config;
}

std::string shown_driver(const Target& target) { return config::hide_secrets(target.driver); }

std::string repeat_command(const Run& run, const Result& result) {
  std::string command = run.command;
  if (!run.target->of_driver) command += " " + quoted(shown_config(*run.target));
  if (!run.target->driver.empty()) command += " --driver " + quoted(shown_driver(*run.target));
  if (!run.target->plugin_file.empty()) command += " --plugin " + quoted(run.target->plugin_file);
  for (const std::string& path : run.cases) command += " --cases " + quoted(path);
  command += " --only " + result.check->suite + "." + result.check->name;
  command += " --seed " + std::to_string(run.target->seed);
  if (run.target->scale != 1) command += " --scale " + std::to_string(run.target->scale);
  // The time that this check had: as the only one it has all that is given.
  if (result.check->random && run.target->time.count() != 0)
    command += " --time " + types::duration_text(run.target->time.count());
  if (result.outcome.sequence != 0) command += " --sequence " + std::to_string(result.outcome.sequence);
  return command;
}

std::string readable(std::string text) {
  if (codec::bytes_json(text).is_string()) return text;
  for (char& c : text)
    if (static_cast<unsigned char>(c) >= 0x80) c = '?';
  return text;
}

namespace {

/// A value of a store may be sixteen megabytes long; what is told of it is for people.
void shorten(json::value& value) {
  constexpr std::size_t most = 2000;
  if (value.is_string() && value.get_string().size() > most)
    value = report::cut(std::string_view(value.get_string()), most);
  if (value.is_array())
    for (json::value& each : value.get_array()) shorten(each);
  if (value.is_object())
    for (auto& member : value.get_object()) shorten(member.value());
}

/// Its first and its last ones.
void thin_out(json::array& list, std::size_t most) {
  if (list.size() > most)
    list.erase(list.begin() + static_cast<std::ptrdiff_t>(most / 2),
               list.end() - static_cast<std::ptrdiff_t>(most / 2));
}

json::object bounded(json::object judged) {
  constexpr std::size_t most_findings = 30, most_events = 200;
  if (json::value* findings = judged.if_contains("findings"); findings && findings->is_array()) {
    thin_out(findings->get_array(), most_findings);
    for (json::value& finding : findings->get_array())
      for (const char* list : {"events", "beside"})
        if (finding.is_object() && finding.get_object().contains(list) && finding.at(list).is_array())
          thin_out(finding.at(list).get_array(), most_events);
  }
  json::value value = std::move(judged);
  shorten(value);
  return std::move(value.get_object());
}

}  // namespace

std::string to_text(const Outcome& outcome) {
  constexpr std::size_t most_text = std::size_t{1} << 20, most_lines = 600;
  json::array ids;
  for (const std::string& id : outcome.ids) ids.push_back(json::value_from(id));
  const std::string text = ends_of(readable(outcome.text), most_lines / 4 * 3, most_lines / 4);
  return json::serialize(json::object{{"verdict", static_cast<int>(outcome.verdict)},
                                      {"text", report::cut(text, most_text)},
                                      {"ids", std::move(ids)},
                                      {"counted", outcome.counted},
                                      {"sequence", outcome.sequence},
                                      {"faults", json::value_from(outcome.faults)},
                                      {"history", outcome.history},
                                      {"judged", bounded(outcome.judged)},
                                      {"reason", report::cut(readable(outcome.reason), 2000)},
                                      {"cut", outcome.cut}});
}

std::optional<Outcome> outcome_from_text(std::string_view text) {
  boost::system::error_code error;
  json::value value = json::parse(text, error);
  if (error || !value.is_object()) return std::nullopt;
  try {
    Outcome outcome;
    int verdict = value.at("verdict").to_number<int>();
    // Only what a check may say of itself: the rest is the runner's to say.
    for (Verdict allowed : {Verdict::passed, Verdict::failed, Verdict::absent})
      if (verdict == static_cast<int>(allowed)) outcome.verdict = allowed, verdict = -1;
    if (verdict != -1) return std::nullopt;
    outcome.text = json::value_to<std::string>(value.at("text"));
    outcome.ids = json::value_to<std::vector<std::string>>(value.at("ids"));
    outcome.counted = value.at("counted").to_number<std::uint64_t>();
    outcome.sequence = value.at("sequence").to_number<std::uint64_t>();
    outcome.faults = json::value_to<std::map<std::string, std::uint64_t>>(value.at("faults"));
    outcome.history = json::value_to<std::string>(value.at("history"));
    outcome.judged = value.at("judged").as_object();
    outcome.reason = json::value_to<std::string>(value.at("reason"));
    outcome.cut = value.at("cut").as_bool();
    return outcome;
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

}  // namespace stile::conformance

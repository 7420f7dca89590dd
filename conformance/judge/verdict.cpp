// A verdict as JSON and as text.
//
// SPDX-License-Identifier: Apache-2.0
#include "judge/verdict.hpp"

#include <algorithm>

#include "codec/op.hpp"
#include "judge/beside.hpp"

namespace stile::conformance::judge {

namespace json = boost::json;

namespace {

json::object content(const History& history, Place at) {
  if (at.length == 0) return {};
  json::object line = json::parse(history.line(at)).as_object();
  for (std::string_view heading : {"client", "call", "place", "invoke", "return"}) line.stable_erase(heading);
  return line;
}

std::string_view subject_word(Finding::Of of) { return of == Finding::Of::document ? "document" : "workflow"; }

json::object event_json(const History& history, const Event& event) {
  json::object out{{"client", history.clients[event.client]},
                   {"call", event.call},
                   {"place", event.place},
                   {"invoke", event.invoke}};
  if (event.returned < never) out["return"] = event.returned;
  out["asked"] = content(history, event.asked_at);
  if (event.told_at.length != 0) out["answered"] = content(history, event.told_at);
  return out;
}

Time beginning_of(const History& history) { return history.events.empty() ? 0 : history.events.front().invoke; }

/// 12.345
std::string milliseconds(Time time) {
  std::string digits = std::to_string(std::max<Time>(0, time));
  if (digits.size() < 4) digits.insert(0, 4 - digits.size(), '0');
  return digits.insert(digits.size() - 3, ".");
}

std::string padded(std::string text, std::size_t width) {
  if (text.size() < width) text.append(width - text.size(), ' ');
  return text;
}

json::object counted(const std::map<std::string, std::size_t>& counts) {
  json::object out;
  for (const auto& [name, count] : counts) out[name] = count;
  return out;
}

}  // namespace

std::string question_line(const History& history, const Event& event) {
  return json::serialize(content(history, event.asked_at));
}

std::string answer_line(const History& history, const Event& event) {
  return event.told_at.length == 0 ? std::string() : json::serialize(content(history, event.told_at));
}

json::object verdict_json(const Verdict& verdict, const History& history) {
  json::array findings;
  for (const Finding& finding : verdict.findings) {
    json::object one{{"ids", finding.ids}, {"what", finding.what}};
    if (finding.of != Finding::Of::store)
      one[subject_word(finding.of)] = codec::bytes_json(history.names[finding.subject]);
    json::array events;
    for (std::uint32_t event : finding.events) events.push_back(event_json(history, history.events[event]));
    one["events"] = std::move(events);
    json::array around;
    for (std::uint32_t event : beside(history, finding)) around.push_back(event_json(history, history.events[event]));
    one["beside"] = std::move(around);
    findings.push_back(std::move(one));
  }
  const Counts& counts = verdict.counts;
  json::object clock{{"samples", verdict.clock.samples}, {"contradicts", verdict.clock.contradicts}};
  if (verdict.clock.known()) clock["offset"] = {verdict.clock.least, verdict.clock.most};
  return {{"accepted", verdict.accepted()},
          {"begin", beginning_of(history)},
          {"findings", std::move(findings)},
          {"notes", json::value_from(verdict.notes)},
          {"counts",
           {{"operations", counts.operations},
            {"in_doubt", counts.in_doubt},
            {"workflows", counts.workflows},
            {"documents", counts.documents},
            {"steps", counts.steps},
            {"undecided", counts.undecided},
            {"by_operation", counted(counts.operation)},
            {"by_status", counted(counts.status)}}},
          {"clock", std::move(clock)}};
}

std::string verdict_text(const Verdict& verdict, const History& history) {
  std::string out;
  Time begin = beginning_of(history);
  for (const Finding& finding : verdict.findings) {
    out += finding.ids + ": " + finding.what;
    if (finding.of != Finding::Of::store)
      out += " (" + std::string(subject_word(finding.of)) + " " +
             json::serialize(codec::bytes_json(history.names[finding.subject])) + ")";
    out += "\n";
    for (std::uint32_t number : finding.events) {
      const Event& event = history.events[number];
      std::string end = event.returned < never ? milliseconds(event.returned - begin) : std::string("never");
      out += "  " + padded(milliseconds(event.invoke - begin) + " - " + end + " ms", 30) + " client " +
             padded(history.clients[event.client], 8) + " " + question_line(history, event) + "\n";
      std::string answer = answer_line(history, event);
      out += std::string(49, ' ') + "-> " + (answer.empty() ? "no answer" : answer) + "\n";
    }
  }
  for (const std::string& note : verdict.notes) out += "note: " + note + "\n";
  const Counts& counts = verdict.counts;
  out += std::to_string(counts.operations) + " operations on " + std::to_string(counts.workflows) + " workflows and " +
         std::to_string(counts.documents) + " documents, " + std::to_string(counts.in_doubt) + " in doubt; " +
         std::to_string(counts.steps) + " steps, " + std::to_string(counts.undecided) + " undecided; " +
         (verdict.accepted() ? "accepted" : std::to_string(verdict.findings.size()) + " findings") + "\n";
  return out;
}

}  // namespace stile::conformance::judge

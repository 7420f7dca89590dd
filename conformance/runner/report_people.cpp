// The report for people: failing dialogues, the table of ids, the judgement.
//
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "runner/contract.hpp"
#include "runner/mending.hpp"
#include "runner/reports.hpp"
#include "runner/shorter.hpp"

namespace stile::conformance {
namespace {

constexpr std::size_t promise_width = 58;

/// Characters, not bytes: the contract writes a dash here and there.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string padded(std::string text, std::size_t width, bool right = false) {
  const std::size_t has = width_of(text);
  if (has < width) text.insert(right ? 0 : text.size(), width - has, ' ');
  return text;
}

/// The beginning of a promise, cut between words; where all of it is, if an id is given.
std::string beginning(const std::string& text, std::size_t width, const std::string& id = {}) {
  if (text.size() <= width) return text;
  std::size_t cut = text.rfind(' ', width - 4);
  while (cut > 0 && static_cast<unsigned char>(text[cut - 1]) >= 0x80) --cut;
  return text.substr(0, cut) + " ..." + (id.empty() ? "" : " (stile-conformance explain " + id + ")");
}

std::string wrapped(const std::string& text, std::size_t width, const std::string& indent) {
  std::string out, line;
  std::size_t at = 0;
  while (at < text.size()) {
    std::size_t space = std::min(text.find(' ', at), text.size());
    std::string word = text.substr(at, space - at);
    if (!line.empty() && line.size() + 1 + word.size() > width) {
      out += indent + line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
    at = space + 1;
  }
  return line.empty() ? out : out + indent + line + "\n";
}

std::string cell(std::uint64_t count) { return count == 0 ? "." : std::to_string(count); }

std::string paint(const std::string& text, const char* code, bool colour) {
  return colour ? std::string("\x1b[") + code + "m" + text + "\x1b[0m" : text;
}

std::string seconds(Duration took) {
  auto tenths = took.count() / 100'000;
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " s";
}

}  // namespace

std::string failure_text(const Run& run, const Result& result, bool whole) {
  const Check& check = *result.check;
  std::string ids;
  for (const std::string& id : check.ids) ids += " " + id;
  std::string name = check.suite + "." + check.name;
  std::string text = std::string(name_of(result.outcome.verdict)) + ": " + name + " " + ids + "\n";
  if (!check.place.empty()) text += "  " + check.place + "\n";
  text += wrapped(check.about, 100, "  # ");
  constexpr std::size_t first = 30, last = 12, widest = 140;
  text += whole ? result.outcome.text : for_terminal(ends_of(result.outcome.text, first, last), widest);
  if (!text.ends_with('\n')) text += "\n";
  const auto& broken = result.outcome.ids.empty() ? check.ids : result.outcome.ids;
  for (const std::string& id : broken)
    if (const Promise* one = promise(id))
      text += wrapped(id + " promises: " + (whole ? one->text : beginning(one->text, 300, id)), 112, "  ");
  return text + "  again: " + repeat_command(run, result) + "\n";
}

namespace {

std::string id_table(const Run& run, bool colour) {
  std::string text = padded("id", 5) + padded("promise", promise_width) + "  passed  failed crashed   hung  absent\n";
  auto counts = run.by_id();
  for (const Promise& one : promises()) {
    auto found = counts.find(one.id);
    if (found == counts.end() && run.partial) continue;
    Counts row = found == counts.end() ? Counts{} : found->second;
    std::string line = padded(one.id, 5) + padded(beginning(one.text, promise_width), promise_width);
    for (auto [count, width] :
         {std::pair{row.passed, 8}, {row.failed, 8}, {row.crashed, 8}, {row.timed_out, 7}, {row.absent, 8}})
      line += padded(cell(count), static_cast<std::size_t>(width), true);
    const char* code = row.broken() != 0 ? "31" : row.passed != 0 ? "32" : "33";
    text += paint(line, code, colour) + "\n";
  }
  return text;
}

}  // namespace

std::string table(const Run& run, bool colour) {
  std::string text;
  // Where a hundred promises are broken, a table of them helps nobody to begin.
  if (run.verbose || run.counts().broken() == 0) text += id_table(run, colour);
  text += mending_text(run, run.verbose);
  const Facts& facts = run.target->facts;
  text += (text.ends_with("\n\n") ? "" : "\n") + facts.plugin.name + " " + facts.plugin.version +
          ", contract version " + std::string(contract_version()) + ", level " + std::to_string(run.level()) +
          ", part: " + std::string(name_of(facts.part)) + ", seed " + std::to_string(run.target->seed) + "\n";
  if (run.interrupted) {
    text += "Interrupted: only what was judged until then is told, and this is no judgement on the store.\n";
  } else if (run.partial) {
    text += "Only a part of the suite was run: this is no judgement on the store.\n";
  } else if (run.counts().broken() == 0 && run.cut() != 0) {
    text += "Passed what was done. " + run.cut_text() + "\n";
  } else if (run.counts().broken() == 0) {
    text += paint("Conformant at level " + std::to_string(run.target->level), "32", colour) + " (" +
            std::string(name_of(facts.part)) + ").\n";
  } else {
    std::string ids;
    for (const std::string& id : run.broken_ids()) ids += (ids.empty() ? "" : ", ") + id;
    // What is broken may be no promise of the contract but a law of the ABI: then the failures say it.
    text += paint("Not conformant", "31", colour) + (ids.empty() ? "" : ": " + ids) + ".\n";
  }
  return text + summary(run) + "\n";
}

std::string summary(const Run& run) {
  Counts counts = run.counts();
  std::string text = std::to_string(counts.passed) + " passed, " + std::to_string(counts.failed) + " failed, " +
                     std::to_string(counts.crashed) + " crashed, " + std::to_string(counts.timed_out) + " timed out, " +
                     std::to_string(counts.absent) + " declared absent";
  return text + " in " + seconds(run.took);
}

}  // namespace stile::conformance

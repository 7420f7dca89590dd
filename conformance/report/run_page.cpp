// The page of a run: who was judged by what, how it came out, and each failure with what led there.
//
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "report/html.hpp"
#include "report/pages.hpp"
#include "runner/contract.hpp"
#include "runner/mending.hpp"
#include "runner/reports.hpp"
#include "runner/shorter.hpp"

namespace stile::conformance::report {
namespace {

constexpr std::size_t most_of_a_dialogue = 40'000;
/// What lies behind them is told without pictures, so that the page stays one that a browser opens.
constexpr std::size_t most_with_pictures = 25, most_failures = 300;

std::string judgement(const Run& run) {
  if (run.interrupted) return run.counts().broken() == 0 ? "Interrupted" : "Interrupted, and failed until then";
  if (run.partial) return run.counts().broken() == 0 ? "Passed what was run" : "Failed in what was run";
  if (run.counts().broken() == 0 && run.cut() != 0) return "Passed what was done";
  if (run.counts().broken() == 0)
    return "Conformant at level " + std::to_string(run.target->level) + " (" +
           std::string(name_of(run.target->facts.part)) + ")";
  std::string ids;
  std::size_t shown = 0;
  for (const std::string& id : run.broken_ids())
    if (++shown <= 12) ids += (ids.empty() ? "" : ", ") + id;
  if (shown > 12) ids += " and " + std::to_string(shown - 12) + " more";
  return "Not conformant" + (ids.empty() ? std::string() : ": " + ids);
}

/// The counts as one bar of colours.
std::string bar(const Counts& counts) {
  std::string out = "<div class=\"counts\" role=\"img\" aria-label=\"" + grouped(counts.passed) + " passed, " +
                    grouped(counts.broken()) + " broken, " + grouped(counts.absent) + " absent\">";
  auto add = [&](std::uint64_t count, const char* colour) {
    if (count != 0)
      out += "<span class=\"" + std::string(colour) + "\" style=\"flex-grow:" + std::to_string(count) + "\"></span>";
  };
  add(counts.broken(), "bad");
  add(counts.passed, "good");
  add(counts.absent, "absent");
  return out + "</div>\n";
}

std::string header(const Run& run) {
  const Facts& facts = run.target->facts;
  Counts counts = run.counts();
  std::string out = "<header class=\"" + std::string(counts.broken() == 0 ? "good" : "bad") + "\"><p class=\"kind\">" +
                    html(facts.plugin.name + " " + facts.plugin.version) + ", judged by contract version " +
                    html(contract_version()) + "</p><h1>" + html(judgement(run)) + "</h1><p>";
  auto add = [&](std::uint64_t count, const char* word) {
    out += "<span class=\"count\"><b>" + grouped(count) + "</b> " + word + "</span> ";
  };
  add(counts.passed, "passed");
  add(counts.failed, "failed");
  if (counts.crashed != 0) add(counts.crashed, "crashed");
  if (counts.timed_out != 0) add(counts.timed_out, "timed out");
  add(counts.absent, "declared absent");
  out += "<span class=\"count\">in <b>" + length(run.took.count()) + "</b></span></p>" + bar(counts);
  if (run.partial && !run.interrupted)
    out += "<p>Only a part of the suite was run: this is no judgement on the store.</p>";
  if (run.cut() != 0 && run.counts().broken() == 0) out += "<p>" + html(run.cut_text()) + "</p>";
  return out + "</header>\n";
}

std::string text_in(const json::object& info, const char* name) {
  const json::value* value = info.if_contains(name);
  return value && value->is_string() ? std::string(value->get_string()) : std::string();
}

std::string facts_table(const Run& run) {
  const Target& target = *run.target;
  const Facts& facts = target.facts;
  std::string out = "<dl class=\"facts\">\n";
  auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) out += "<div><dt>" + std::string(name) + "</dt><dd>" + html(cut(value, 600)) + "</dd></div>\n";
  };
  std::string capabilities;
  for (const std::string& one : facts.capabilities) capabilities += (capabilities.empty() ? "" : ", ") + one;
  add("store", shown_config(target));
  add("plugin", facts.plugin.name + " " + facts.plugin.version + " (" + facts.plugin.license + ")");
  add("file", facts.plugin.path);
  add("build id", facts.plugin.build_id);
  add("ABI", std::to_string(facts.plugin.abi >> 16) + "." + std::to_string(facts.plugin.abi & 0xFFFF));
  add("server", text_in(facts.info, "server"));
  add("durability", text_in(facts.info, "durability"));
  add("capabilities", capabilities.empty() ? "none" : capabilities);
  add("contract version", std::string(contract_version()));
  add("level", std::to_string(run.level()));
  add("part", std::string(name_of(facts.part)));
  add("seed", std::to_string(target.seed));
  add("time", run.time.count() == 0 ? std::string() : length(run.time.count()) + " for all random checks");
  add("scale", target.scale == 1 ? std::string() : std::to_string(target.scale));
  add("begun", run.started_at);
  add("took", length(run.took.count()));
  return out + "</dl>\n";
}

std::string faults(const Run& run) {
  auto bit = run.faults();
  if (bit.empty()) return {};
  std::string out = "<h2>Faults and races that bit</h2>\n<p class=\"chips\">";
  for (const auto& [name, count] : bit)
    out += "<span class=\"chip\">" + html(name) + " <b>" + grouped(count) + "</b></span> ";
  return out + "</p>\n";
}

/// A dialogue: the line that differed and what came back stand out.
std::string dialogue(const std::string& text) {
  std::string out = "<pre class=\"dialogue\">";
  std::string shown = cut(text, most_of_a_dialogue);
  for (std::size_t at = 0; at < shown.size();) {
    std::size_t end = std::min(shown.find('\n', at), shown.size());
    std::string line = shown.substr(at, end - at);
    const char* kind = line.starts_with("> ")              ? "here"
                       : line.starts_with("    sent ")     ? "sent"
                       : line.starts_with("    answered ") ? "sent"
                       : line.starts_with("    -> ")       ? "sent"
                       : line.starts_with("    ")          ? "differs"
                                                           : "";
    out += *kind == '\0' ? html(line) : "<span class=\"" + std::string(kind) + "\">" + html(line) + "</span>";
    out += "\n";
    at = end + 1;
  }
  return out + "</pre>\n";
}

std::string failure(const Run& run, const Result& result, std::size_t number) {
  const Check& check = *result.check;
  const Outcome& outcome = result.outcome;
  const auto& ids = outcome.ids.empty() ? check.ids : outcome.ids;
  std::string badges;
  for (const std::string& id : ids) {
    const Promise* one = promise(id);
    badges += "<span class=\"ids\" title=\"" + html(one ? one->text : std::string()) + "\">" + html(id) + "</span> ";
  }
  std::string out = "<details class=\"failure\" id=\"" + html(anchor_of(result)) + "\"" +
                    (number <= 10 ? " open" : "") + "><summary><span class=\"verdict\">" +
                    std::string(name_of(outcome.verdict)) + "</span> <b>" + html(check.suite + "." + check.name) +
                    "</b> " + badges + "<small>level " + std::to_string(check.level) + ", " +
                    length(result.took.count()) + "</small></summary>\n";
  out += "<p class=\"about\">" + html(check.about) + "</p>\n<p class=\"reason\">" + html(cut(reason_of(result), 400)) +
         "</p>\n";
  if (!check.place.empty()) out += "<p class=\"place\">" + html(check.place) + "</p>\n";
  bool drawn = !outcome.judged.empty() && number <= most_with_pictures;
  if (drawn) {
    out += findings(outcome.judged, "p" + std::to_string(number));
    out += "<details class=\"text\"><summary>as text</summary>" + dialogue(outcome.text) + "</details>\n";
  } else {
    out += dialogue(outcome.text);
  }
  if (!drawn)
    for (const std::string& id : ids)
      if (const Promise* one = promise(id))
        out += "<p class=\"promise\"><b>" + html(one->id) + "</b> " + prose(one->text) + "</p>\n";
  out += "<p class=\"again\"><span>again:</span> <code>" + html(repeat_command(run, result)) + "</code></p>\n";
  if (!outcome.history.empty())
    out += "<p class=\"again\"><span>the recorded history:</span> <code>" + html(outcome.history) + "</code></p>\n";
  return out + "</details>\n";
}

std::string failures(const Run& run) {
  std::string out;
  std::size_t number = 0;
  for (const Broken& one : to_be_mended(run)) {
    const Promise* broken_one = promise(one.id);
    if (number < most_failures)
      out += "<h3 class=\"mend\">" +
             (broken_one ? html(one.id) + " <small>" + prose(cut_line(broken_one->text, 110)) + "</small>"
                         : std::string("Of many promises")) +
             "</h3>\n";
    for (const Result* result : one.results)
      if (++number <= most_failures) out += failure(run, *result, number);
  }
  if (number == 0) return {};
  if (number > 1)
    out.insert(0,
               "<p class=\"note\">In the order in which to mend them: what stands below is often only a consequence."
               "</p>\n");
  if (number > most_failures)
    out +=
        "<p class=\"note\">" + counted(number - most_failures, "further failure") + ": see the table of checks.</p>\n";
  return "<h2 id=\"failures\">" + counted(number, "failure") + "</h2>\n" + out;
}

}  // namespace

std::string run_page(const Run& run) {
  const Facts& facts = run.target->facts;
  std::string body = header(run) + "<main>\n" + facts_table(run) + faults(run);
  body += failures(run);
  body += "<h2>Promises by level</h2>\n" + id_table(run);
  body += "<h2>Slowest checks</h2>\n" + slowest_table(run);
  body += "<details class=\"all\"><summary>All " + counted(run.results.size(), "check") + "</summary>" +
          check_table(run) + "</details>\n";
  body += "<footer>stile-conformance, contract version " + html(contract_version()) +
          ". A promise is proved by every check that names it; a declared absence was seen to answer "
          "<code>unsupported</code>. The certificate (--report FILE.json) says the same for programs; --verify runs it "
          "again.</footer>\n</main>\n";
  return page(judgement(run) + " – " + facts.plugin.name + " " + facts.plugin.version, body);
}

}  // namespace stile::conformance::report

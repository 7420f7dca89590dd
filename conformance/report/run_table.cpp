// The tables of a run's page: ids by levels, the slowest checks, all checks.
//
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "report/html.hpp"
#include "report/pages.hpp"
#include "runner/contract.hpp"

namespace stile::conformance::report {
namespace {

constexpr const char* level_names[] = {"", "one caller", "many callers", "faults", "servers"};

std::vector<int> levels_of(const Run& run) {
  std::set<int> levels;
  for (int level = 1; level <= run.target->level; ++level) levels.insert(level);
  for (const Result& result : run.results) levels.insert(result.check->level);
  return {levels.begin(), levels.end()};
}

std::string level_title(int level) {
  bool known = level >= 1 && level <= 4;
  return "<th class=\"level\">level " + std::to_string(level) + (known ? "<br><small>" : "") +
         (known ? level_names[level] : "") + (known ? "</small>" : "") + "</th>";
}

std::string cell(const Counts& counts) {
  if (counts.all() == 0) return "<td class=\"none\">–</td>";
  std::string text;
  auto add = [&](std::uint64_t count, const char* word) {
    if (count != 0) text += (text.empty() ? "" : ", ") + grouped(count) + " " + word;
  };
  add(counts.failed, "failed");
  add(counts.crashed, "crashed");
  add(counts.timed_out, "hung");
  add(counts.passed, "passed");
  add(counts.absent, "absent");
  const char* colour = counts.broken() != 0 ? "bad" : counts.passed != 0 ? "good" : "absent";
  return "<td class=\"" + std::string(colour) + "\">" + text + " <small>" + length(counts.took.count()) +
         "</small></td>";
}

/// The chapter's letter, and its own words.
std::string chapter_row(const Promise& one, std::size_t columns) {
  return "<tr class=\"chapter\"><th colspan=\"" + std::to_string(columns) + "\">" + html(one.chapter) + "</th></tr>\n";
}

std::string beginning(const std::string& text, std::size_t most) {
  if (text.size() <= most) return text;
  std::size_t space = text.rfind(' ', most);
  return text.substr(0, space == std::string::npos ? most : space) + " …";
}

}  // namespace

std::string_view class_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::passed: return "good";
    case Verdict::absent: return "absent";
    default: return "bad";
  }
}

std::string anchor_of(const Result& result) { return "fail-" + result.check->suite + "." + result.check->name; }

std::string id_table(const Run& run) {
  std::vector<int> levels = levels_of(run);
  std::vector<std::map<std::string, Counts>> counts;
  for (int level : levels) counts.push_back(run.by_id(level));
  std::map<std::string, std::string> failures;
  for (const Result& result : run.results) {
    if (class_of(result.outcome.verdict) != "bad") continue;
    const auto& ids = result.outcome.ids.empty() ? result.check->ids : result.outcome.ids;
    for (const std::string& id : ids) failures.emplace(id, anchor_of(result));
  }
  std::string out = "<div class=\"wide\"><table class=\"ids\"><thead><tr><th>id</th><th>promise</th>";
  for (int level : levels) out += level_title(level);
  out += "</tr></thead><tbody>\n";
  std::string chapter;
  for (const Promise& one : promises()) {
    bool any = std::any_of(counts.begin(), counts.end(), [&](const auto& each) { return each.count(one.id) != 0; });
    if (!any && run.partial) continue;
    if (one.chapter != chapter) out += chapter_row(one, 2 + levels.size());
    chapter = one.chapter;
    auto failure = failures.find(one.id);
    std::string id = failure == failures.end() ? html(one.id)
                                               : "<a href=\"#" + html(failure->second) + "\">" + html(one.id) + "</a>";
    out += "<tr><th title=\"" + html(one.text) + "\">" + id + "</th><td class=\"text\" title=\"" + html(one.text) +
           "\">" + prose(beginning(one.text, 90)) + "</td>";
    for (const auto& each : counts) {
      auto found = each.find(one.id);
      out += cell(found == each.end() ? Counts{} : found->second);
    }
    out += "</tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

std::string slowest_table(const Run& run) {
  constexpr std::size_t most = 12;
  std::vector<const Result*> slowest;
  for (const Result& result : run.results) slowest.push_back(&result);
  std::stable_sort(slowest.begin(), slowest.end(), [](auto* a, auto* b) { return a->took > b->took; });
  slowest.resize(std::min(slowest.size(), most));
  std::string out = "<table class=\"slow\">\n";
  for (const Result* each : slowest) {
    double part = 100.0 * static_cast<double>(each->took.count()) /
                  static_cast<double>(std::max<std::int64_t>(1, slowest.front()->took.count()));
    out += "<tr><th>" + html(each->check->suite + "." + each->check->name) + "</th><td>" + length(each->took.count()) +
           "</td><td class=\"bar\"><span class=\"" + std::string(class_of(each->outcome.verdict)) +
           "\" style=\"width:" + std::to_string(std::max(1, static_cast<int>(part))) + "%\"></span></td></tr>\n";
  }
  return out + "</table>\n";
}

std::string check_table(const Run& run) {
  std::string out =
      "<div class=\"wide\"><table class=\"checks\"><thead><tr><th>check</th><th>level</th><th>ids</th><th>verdict</th>"
      "<th>judged</th><th>time</th><th>why</th></tr></thead><tbody>\n";
  for (const Result& result : run.results) {
    const Check& check = *result.check;
    std::string ids;
    for (const std::string& id : check.ids) ids += (ids.empty() ? "" : " ") + id;
    std::string why = result.outcome.verdict == Verdict::absent ? result.outcome.text : check.about;
    out += "<tr><th title=\"" + html(check.place) + "\">" + html(check.suite + "." + check.name) + "</th><td>" +
           std::to_string(check.level) + "</td><td>" + html(ids) + "</td><td class=\"" +
           std::string(class_of(result.outcome.verdict)) + "\">" + std::string(name_of(result.outcome.verdict)) +
           "</td><td>" + grouped(result.outcome.counted) + "</td><td>" + length(result.took.count()) +
           "</td><td class=\"text\">" + html(cut(why, 240)) + "</td></tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

}  // namespace stile::conformance::report

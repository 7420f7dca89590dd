// The page of a judged history, and the findings as every page shows them.
//
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "report/html.hpp"
#include "report/lanes.hpp"
#include "report/moments.hpp"
#include "report/pages.hpp"
#include "runner/contract.hpp"

namespace stile::conformance::report {
namespace {

/// Pictures of one verdict: the first contradiction is what people look at, the hundredth is not.
constexpr std::size_t most_findings = 12;

const json::array& entries(const json::object& object, const char* name) {
  static const json::array none;
  const json::value* value = object.if_contains(name);
  return value && value->is_array() ? value->get_array() : none;
}

std::string text(const json::object& object, const char* name) {
  const json::value* value = object.if_contains(name);
  return value ? said(*value) : std::string();
}

std::string promises_of(const std::string& ids) {
  std::string out;
  for (std::size_t at = 0; at < ids.size();) {
    std::size_t end = std::min(ids.find(' ', at), ids.size());
    if (const Promise* one = promise(ids.substr(at, end - at)))
      out += "<p class=\"promise\"><b>" + html(one->id) + "</b> " + prose(one->text) + "</p>\n";
    at = end + 1;
  }
  return out;
}

std::string subject_of(const json::object& finding) {
  for (const char* word : {"workflow", "document"})
    if (finding.contains(word)) return std::string(word) + " <code>" + html(cut(text(finding, word), 200)) + "</code>";
  return {};
}

std::string one_finding(const json::object& finding, const json::object& verdict, const std::string& id) {
  std::string out = "<section class=\"finding\"><h4><span class=\"ids\">" + html(text(finding, "ids")) + "</span> " +
                    html(cut(text(finding, "what"), 2000)) + "</h4>\n";
  std::string subject = subject_of(finding);
  if (!subject.empty()) out += "<p class=\"subject\">" + subject + "</p>\n";
  out += draw(lay_out(finding, verdict), id) + told(finding, verdict, id);
  return out + promises_of(text(finding, "ids")) + "</section>\n";
}

std::string counts_line(const json::object& verdict) {
  const json::value* value = verdict.if_contains("counts");
  if (!value || !value->is_object()) return {};
  const json::object& counts = value->get_object();
  std::string out;
  for (const char* name : {"operations", "workflows", "documents", "in_doubt", "steps", "undecided"}) {
    const json::value* number = counts.if_contains(name);
    if (!number || !number->is_number()) continue;
    bool one = said(*number) == "1";
    std::string word = std::string(name) == "in_doubt" ? "in doubt" : name;
    if (one && word.ends_with("s")) word.pop_back();
    out += "<span class=\"chip\"><b>" +
           grouped(number->is_uint64() ? number->get_uint64() : static_cast<std::uint64_t>(number->get_int64())) +
           "</b> " + word + "</span> ";
  }
  return "<p class=\"chips\">" + out + "</p>\n";
}

std::string counted_by(const json::object& verdict, const char* name, const char* title) {
  const json::value* counts = verdict.if_contains("counts");
  const json::value* by = counts && counts->is_object() ? counts->get_object().if_contains(name) : nullptr;
  if (!by || !by->is_object() || by->get_object().empty()) return {};
  std::string out = "<p class=\"chips\"><span class=\"title\">" + std::string(title) + "</span> ";
  for (const auto& [word, count] : by->get_object())
    out += "<span class=\"chip\">" + html(std::string(word)) + " <b>" + html(said(count)) + "</b></span> ";
  return out + "</p>\n";
}

}  // namespace

std::string findings(const json::object& verdict, const std::string& id) {
  const json::array& all = entries(verdict, "findings");
  std::string out;
  if (!all.empty()) out += legend();
  for (std::size_t i = 0; i < std::min(all.size(), most_findings); ++i)
    if (all[i].is_object()) out += one_finding(all[i].get_object(), verdict, id + "-" + std::to_string(i + 1));
  if (all.size() > most_findings)
    out += "<p class=\"note\">" + counted(all.size() - most_findings, "further finding") + " not drawn.</p>\n";
  const json::array& notes = entries(verdict, "notes");
  for (std::size_t i = 0; i < std::min<std::size_t>(notes.size(), 50); ++i)
    out += "<p class=\"note\">note: " + html(cut(said(notes[i]), 500)) + "</p>\n";
  return out;
}

std::string history_page(const json::object& verdict, const std::vector<std::string>& files) {
  std::size_t found = entries(verdict, "findings").size();
  const json::value* accepted = verdict.if_contains("accepted");
  bool good = accepted && accepted->is_bool() && accepted->get_bool();
  std::string names;
  for (std::size_t i = 0; i < std::min<std::size_t>(files.size(), 20); ++i)
    names += (i == 0 ? "" : ", ") + std::string("<code>") + html(files[i]) + "</code>";
  if (files.size() > 20) names += " and " + counted(files.size() - 20, "other");
  std::string body = "<header class=\"" + std::string(good ? "good" : "bad") +
                     "\"><p class=\"kind\">recorded history, " + "judged by contract version " +
                     html(contract_version()) + "</p><h1>" +
                     (good ? "Accepted" : "Refused: " + counted(found, "finding")) + "</h1><p>" + names +
                     "</p></header>\n<main>\n" + counts_line(verdict);
  body += counted_by(verdict, "by_operation", "asked") + counted_by(verdict, "by_status", "answered");
  body += "<section>" + findings(verdict, "f") + "</section>\n</main>\n";
  return page(std::string(good ? "Accepted" : "Refused") + " – judged history", body);
}

}  // namespace stile::conformance::report

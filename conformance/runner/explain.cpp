// stile-conformance explain: a promise, why it matters, what guards it, where to read on; a check; a status.
//
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <boost/json.hpp>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "checks/checks.hpp"
#include "codec/fields.hpp"
#include "config/text.hpp"
#include "dialogue/suite.hpp"
#include "runner/contract.hpp"
#include "runner/explained.hpp"
#include "runner/probe.hpp"
#include "runner/registry.hpp"
#include "stile/conformance.hpp"
#include "types/streams.hpp"
#include "types/text.hpp"

namespace stile {
namespace conformance {
namespace {

constexpr const char* explain_usage =
    R"(Explains a promise of the contract (what it says, why it matters, which checks guard it), a check (what it
does, its dialogue, the command that runs it alone), or a status (what it means, what a store says by it, who sends
again).
Usage: stile-conformance explain [--json] ID|CHECK|STATUS...

  stile-conformance explain A4
  stile-conformance explain lease.late_holder_is_fenced
  stile-conformance explain lease                 (every check of a suite, in a line)
  stile-conformance explain unknown
Exit status: 0, or 2 where a word names nothing or the output cannot be written.
)";

void add_all_checks() {
  for (const CaseFile& file : built_in_cases()) add_cases(file);
  add_checks_in_code(store_with_all());
}

std::vector<const Check*> guarding(const std::string& id) {
  std::vector<const Check*> out;
  for (const auto& check : all_checks())
    if (std::find(check->ids.begin(), check->ids.end(), id) != check->ids.end()) out.push_back(check.get());
  std::stable_sort(out.begin(), out.end(), [](auto* a, auto* b) { return a->level < b->level; });
  return out;
}

std::string upper(std::string text) {
  for (char& c : text)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return text;
}

bool in_a_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// What a promise speaks of: other promises, operations, statuses; each once, in its order.
struct Mentions {
  std::vector<std::string> promises, operations, statuses;
};

Mentions mentions_of(const Promise& one) {
  Mentions out;
  auto add = [](std::vector<std::string>& list, const std::string& word) {
    if (std::find(list.begin(), list.end(), word) == list.end()) list.push_back(word);
  };
  const std::string& text = one.text;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && in_a_word(text[end])) ++end;
    std::string word = text.substr(at, end - at);
    if (promise(word) && word != one.id) add(out.promises, word);
    bool quoted = at > 0 && text[at - 1] == '`';
    if (quoted && codec::op_kind(word) != 0) add(out.operations, word);
    for (int status = 0; quoted && status < STILE_STATUS_COUNT; ++status)
      if (name_of(static_cast<Status>(status)) == word) add(out.statuses, word);
    at = std::max(end, at + 1);
  }
  return out;
}

std::string joined_by(const std::vector<std::string>& words, const char* between) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : between) + word;
  return out;
}

std::string guard_text(const Check& check) {
  std::string text = "  " + check.suite + "." + check.name;
  text += check.place.empty() ? "  (in code)" : "  " + check.place;
  if (check.level > 1) text += "  (level " + std::to_string(check.level) + ")";
  return text + "\n" + folded(check.about, 104, "      ");
}

using conformance::json_of, conformance::text_of;  // beside those of a promise

std::string text_of(const Promise& one) {
  std::string out = one.id + " promises (" + one.chapter + "):\n" + folded(one.text, 108, "  ");
  out += "\nWhy it matters:\n" + folded(chapter_about(one.chapter), 108, "  ");
  auto guards = guarding(one.id);
  out += "\nGuarded by " + std::to_string(guards.size()) + (guards.size() == 1 ? " check:\n" : " checks:\n");
  for (const Check* check : guards) out += guard_text(*check);
  Mentions mentions = mentions_of(one);
  out += "\nTry a store by it:\n  stile-conformance CONFIG --only " + one.id + "\n\nRead on:\n";
  if (!mentions.promises.empty()) out += "  stile-conformance explain " + joined_by(mentions.promises, " ") + "\n";
  if (!mentions.statuses.empty()) out += "  stile-conformance explain " + joined_by(mentions.statuses, " ") + "\n";
  if (!mentions.operations.empty())
    out += "  its operations: " + joined_by(mentions.operations, ", ") + " (the table of operations in the contract)\n";
  return out + "  conformance/CONTRACT.md, chapter \"" + one.chapter + "\"\n";
}

json::object json_of(const Promise& one) {
  json::array cases;
  for (const Check* check : guarding(one.id))
    cases.push_back(json::object{{"name", check->suite + "." + check->name},
                                 {"level", check->level},
                                 {"ids", json::value_from(check->ids)},
                                 {"about", check->about},
                                 {"place", check->place}});
  Mentions mentions = mentions_of(one);
  return {{"id", one.id},
          {"text", one.text},
          {"chapter", one.chapter},
          {"why", chapter_about(one.chapter)},
          {"cases", std::move(cases)},
          {"promises", json::value_from(mentions.promises)},
          {"operations", json::value_from(mentions.operations)},
          {"statuses", json::value_from(mentions.statuses)}};
}

/// What a word that names nothing was meant to be.
std::string unknown(const std::string& word) {
  std::string text = types::printable(word) + " is no contract id, no check and no status";
  std::vector<std::string> chapter;
  for (const Promise& one : promises())
    if (!word.empty() && one.id[0] == upper(word)[0]) chapter.push_back(one.id);
  bool like_an_id = word.size() > 1 && word.size() <= 4 && word[1] >= '0' && word[1] <= '9';
  if (like_an_id && !chapter.empty()) return text + "; that chapter has " + chapter.front() + " to " + chapter.back();
  std::string near = word.empty() ? std::string() : meant(word);
  return text + (near.empty() ? "; ids are such as A4, --list has the checks, stile explain the statuses" : ";" + near);
}

/// Everything a word names, as text or as JSON; nothing where it names nothing.
std::string explained(const std::string& word, bool as_json) {
  if (const Promise* one = promise(upper(word))) return as_json ? json::serialize(json_of(*one)) + "\n" : text_of(*one);
  if (auto status = status_called(word)) return as_json ? json::serialize(json_of(*status)) + "\n" : text_of(*status);
  std::vector<const Check*> checks = checks_called(word);
  std::string out;
  for (const Check* check : checks) {
    if (as_json)
      out += json::serialize(json_of(*check)) + "\n";
    else
      out += checks.size() == 1 ? text_of(*check) : guard_text(*check);
  }
  return out;
}

int explain(const std::vector<std::string>& given) {
  bool as_json = false;
  std::vector<std::string> words;
  for (const std::string& word : given) {
    if (word == "-h" || word == "--help") return types::write_output(explain_usage), 0;
    if (word == "--json") as_json = true;
    if (word.starts_with("-") && word != "--json")
      return std::cerr << "stile-conformance explain: " << types::printable(word) << " is no option\n"
                       << explain_usage,
             2;
    if (!word.starts_with("-")) words.push_back(word);
  }
  if (words.empty()) return std::cerr << explain_usage, 2;
  add_all_checks();
  std::string out;
  for (const std::string& word : words) {
    std::string text = explained(word, as_json);
    if (text.empty()) return std::cerr << "stile-conformance explain: " << unknown(word) << "\n", 2;
    out += (out.empty() || as_json ? "" : "\n") + text;
  }
  return types::write_output(out), 0;
}

}  // namespace
}  // namespace conformance

inline namespace v1 {

int explain_main(int argc, char** argv) {
  try {
    return conformance::explain(std::vector<std::string>(argv + 1, argv + argc));
  } catch (const std::exception& error) {
    return std::cerr << "stile-conformance explain: " << error.what() << "\n", 2;
  }
}

}  // namespace v1
}  // namespace stile

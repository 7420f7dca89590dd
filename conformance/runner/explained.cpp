// What `explain` says of a check and of a status.
//
// SPDX-License-Identifier: Apache-2.0
#include "runner/explained.hpp"

#include <algorithm>
#include <utility>

#include "dialogue/suite.hpp"
#include "runner/contract.hpp"
#include "runner/registry.hpp"
#include "stile/abi.h"
#include "types/text.hpp"

namespace stile::conformance {

namespace json = boost::json;

namespace {

constexpr std::size_t widest = 108;

std::string with_underscores(std::string_view word) {
  std::string out(word);
  std::replace(out.begin(), out.end(), '-', '_');
  return out;
}

std::string name_of_check(const Check& check) { return check.suite + "." + check.name; }

/// A dialogue as it stands in its file, from `case` to the last of its lines; empty = it is code.
std::string script_of(const Check& check) {
  std::size_t colon = check.place.rfind(':');
  if (colon == std::string::npos) return {};
  std::string script;
  for (const CaseFile& file : built_in_cases()) {
    if (file.name != check.place.substr(0, colon)) continue;
    std::string_view rest = file.text;
    const std::size_t begin = std::stoul(check.place.substr(colon + 1));
    for (std::size_t number = 1; !rest.empty(); ++number) {
      std::string_view line = rest.substr(0, rest.find('\n'));
      rest.remove_prefix(std::min(rest.size(), line.size() + 1));
      if (number < begin) continue;
      // What stands above the next case is about that one.
      if (number > begin && (line.starts_with("case ") || line.starts_with("#"))) break;
      script += (line.empty() ? "" : "  ") + std::string(line) + "\n";
    }
  }
  std::size_t end = script.find_last_not_of('\n');
  return end == std::string::npos ? std::string() : script.substr(0, end + 1) + "\n";
}

const char* level_about(int level) {
  const char* words[] = {"", "one caller", "many callers", "faults", "servers"};
  return level >= 1 && level <= 4 ? words[level] : "";
}

std::string command_of(const Check& check) {
  return "stile-conformance CONFIG " + std::string(check.level == 4 ? "--driver COMMAND " : "") + "--only " +
         name_of_check(check);
}

struct StatusRow {
  Status status;
  const char* name;
  int happened, again;
  const char* meaning;
};
constexpr StatusRow statuses[] = {
#define STILE_EXPLAIN_STATUS(NAME, value, name, happened, again, text) {Status::name, #name, happened, again, text},
    STILE_STATUS_TABLE(STILE_EXPLAIN_STATUS)
#undef STILE_EXPLAIN_STATUS
};

const StatusRow& row_of(Status status) { return statuses[static_cast<std::size_t>(status)]; }

std::string happened_text(const StatusRow& row) {
  switch (row.happened) {
    case STILE_HAPPENED_YES: return "It has happened, and is as durable as info.durability says (B8).";
    case STILE_HAPPENED_MAYBE:
      return "It may have happened, or happen later, once. A store answers this where it cannot know, and only there: "
             "whatever it knows, it must say (R2).";
    default:
      return "Nothing of this send has happened, and nothing will, byte for byte: a store that cannot be sure of that "
             "must answer unknown (R2).";
  }
}

std::string again_text(const StatusRow& row) {
  switch (row.again) {
    case STILE_AGAIN_YES:
      return "Sending again helps. The library does so by itself until the caller's deadline, a write under the same "
             "op_id (R1); the program hears of it when that was in vain.";
    case STILE_AGAIN_LATER:
      return "Sending again helps later: that is the program's to do; the answer says when, where the store knows.";
    case STILE_AGAIN_CALLER:
      return "Sending again helps only after the program has looked: it reads, prepares, goes to another server, or "
             "sends it together with the operation before it.";
    default: return "Sending again does not help: nobody does. The same answer would come back.";
  }
}

std::vector<std::string> promises_about(const StatusRow& row) {
  std::vector<std::string> ids;
  for (const Promise& one : promises())
    if (one.text.find("`" + std::string(row.name) + "`") != std::string::npos) ids.push_back(one.id);
  return ids;
}

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : " ") + word;
  return out;
}

}  // namespace

std::string folded(const std::string& text, std::size_t most, const std::string& indent) {
  std::string out, line;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t space = std::min(text.find(' ', at), text.size());
    std::string word = text.substr(at, space - at);
    if (!line.empty() && line.size() + 1 + word.size() > most) out += indent + std::exchange(line, {}) + "\n";
    line += (line.empty() ? "" : " ") + word;
    at = space + 1;
  }
  return line.empty() ? out : out + indent + line + "\n";
}

std::vector<const Check*> checks_called(std::string_view word) {
  std::string wanted = with_underscores(word);
  std::size_t star = wanted.find('*');
  std::vector<const Check*> out;
  for (const auto& check : all_checks()) {
    std::string name = name_of_check(*check);
    bool fits = star == std::string::npos
                    ? name == wanted || check->suite == wanted || check->name == wanted
                    : name.starts_with(wanted.substr(0, star)) && name.ends_with(wanted.substr(star + 1));
    if (fits) out.push_back(check.get());
  }
  return out;
}

std::string text_of(const Check& check) {
  std::string out = name_of_check(check) + ", level " + std::to_string(check.level) + " (" + level_about(check.level) +
                    "), of " + joined(check.ids) + "\n";
  out += folded(check.about, widest, "  ");
  if (std::string script = script_of(check); !script.empty())
    out += "\nThe dialogue (" + check.place + "; conformance/README.md says how to read it):\n" + script;
  else
    out += "\nIt is code, and has no script; a failure tells what was said.\n";
  out += "\nIt proves something of:\n";
  for (const std::string& id : check.ids)
    if (const Promise* one = promise(id)) out += folded(id + " " + one->text, widest, "  ");
  out += "\nIt alone:\n  " + command_of(check) + "\n";
  if (check.random)
    out += "  with --seed N what was drawn once, with --time 10m for longer" +
           std::string(check.level == 2 ? "; threads never meet twice alike" : "") + "\n";
  return out;
}

json::object json_of(const Check& check) {
  return {{"check", name_of_check(check)}, {"level", check.level}, {"ids", json::value_from(check.ids)},
          {"about", check.about},          {"place", check.place}, {"script", script_of(check)},
          {"command", command_of(check)}};
}

std::optional<Status> status_called(std::string_view word) {
  for (const StatusRow& row : statuses)
    if (row.name == word) return row.status;
  return std::nullopt;
}

std::string text_of(Status status) {
  const StatusRow& row = row_of(status);
  std::string out =
      std::string(row.name) + " (status " + std::to_string(static_cast<int>(status)) + "): " + row.meaning + "\n";
  out += "\nWhat a store says by it:\n" + folded(happened_text(row), widest, "  ");
  out += "\nWho sends again:\n" + folded(again_text(row), widest, "  ");
  if (auto ids = promises_about(row); !ids.empty())
    out += "\nPromises that speak of it:\n" + folded("stile-conformance explain " + joined(ids), widest, "  ");
  return out;
}

json::object json_of(Status status) {
  const StatusRow& row = row_of(status);
  const char* happened[] = {"no", "yes", "maybe"};
  return {{"status", row.name},       {"number", static_cast<int>(status)},
          {"meaning", row.meaning},   {"happened", happened[row.happened]},
          {"again", again_text(row)}, {"promises", json::value_from(promises_about(row))}};
}

std::string meant(const std::string& word) {
  std::vector<std::string> known;
  for (const Promise& one : promises()) known.push_back(one.id);
  for (const StatusRow& row : statuses) known.emplace_back(row.name);
  for (const auto& check : all_checks()) {
    known.push_back(name_of_check(*check));
    known.push_back(check->name);
    known.push_back(check->suite);
  }
  auto near = types::nearest(with_underscores(word), known);
  return near ? " did you mean " + *near + "?" : std::string();
}

}  // namespace stile::conformance

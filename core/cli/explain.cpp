// `stile explain`: what a contract id or a status means.
//
// SPDX-License-Identifier: Apache-2.0
#include <boost/json.hpp>
#include <charconv>
#include <memory>
#include <optional>
#include <vector>

#include "cli/command.hpp"
#include "cli/paint.hpp"
#include "contract.hpp"
#include "types/text.hpp"

namespace stile::cli {
namespace {

namespace json = boost::json;

/// A promise of the contract.
struct Promise {
  std::string id, text;
};

// The promises as the contract's own text has them: "- **A1** text", up to an empty line or the next one.
std::vector<Promise> promises() {
  std::vector<Promise> all;
  std::string_view rest = contract::CONTRACT;
  bool inside = false;
  while (!rest.empty()) {
    std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    constexpr std::string_view begin = "- **", middle = "** ";
    auto end = line.starts_with(begin) ? line.find(middle, begin.size()) : std::string_view::npos;
    if (end != std::string_view::npos) {
      all.push_back({std::string(line.substr(begin.size(), end - begin.size())), std::string(line.substr(end + 3))});
      inside = true;
    } else if (line.empty() || line[0] != ' ') {
      inside = false;
    } else if (inside) {
      all.back().text += " " + std::string(line.substr(line.find_first_not_of(' ')));
    }
  }
  return all;
}

struct StatusRow {
  Status status;
  std::string_view name;
  int happened, again;
  std::string_view meaning;
};
constexpr StatusRow statuses[] = {
#define STILE_CLI_STATUS(NAME, value, name, happened, again, text) {Status::name, #name, happened, again, text},
    STILE_STATUS_TABLE(STILE_CLI_STATUS)
#undef STILE_CLI_STATUS
};

constexpr const char* happened_words[] = {"no", "yes", "maybe"};
constexpr const char* again_words[] = {"no", "yes, a write under the same op_id", "later"};

// Whether it may be sent again. Where that is up to the caller, the contract's table says what comes first:
// "| `unprepared` | no | after prepare | ...".
std::string_view again_text(const StatusRow& row) {
  if (row.again != STILE_AGAIN_CALLER) return again_words[row.again];
  constexpr std::string_view between = " | ";
  std::string_view rest = contract::CONTRACT;
  auto after = [&rest](std::string_view mark) {
    auto at = rest.find(mark);
    if (at != std::string_view::npos) rest.remove_prefix(at + mark.size());
    return at != std::string_view::npos;
  };
  bool found = after("| `" + std::string(row.name) + "`" + std::string(between)) && after(between);
  return found ? rest.substr(0, rest.find(between)) : "the caller decides";
}

std::string wrapped(std::string_view text, std::size_t width) {
  std::string out;
  std::size_t column = 0;
  while (!text.empty()) {
    std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    if (column != 0 && column + 1 + width_of(word) > width) {
      out += '\n';
      column = 0;
    } else if (column != 0) {
      out += ' ';
      ++column;
    }
    out += word;
    column += width_of(word);
  }
  return out;
}

json::object status_json(const StatusRow& row) {
  return {{"status", row.name},          {"number", static_cast<int>(row.status)},
          {"exit", exit_of(row.status)}, {"happened", happened_words[row.happened]},
          {"again", again_text(row)},    {"meaning", row.meaning}};
}

json::object promise_json(const Promise& promise) { return {{"id", promise.id}, {"text", promise.text}}; }

void explain_status(const StatusRow& row, bool as_json) {
  int number = static_cast<int>(row.status);
  if (as_json) {
    print(json::serialize(status_json(row)));
    return;
  }
  Paint paint;
  print(paint(Colour::strong, row.name) + " (status " + std::to_string(number) + ", exit status " +
        std::to_string(exit_of(row.status)) + "): " + std::string(row.meaning) + "\n  did it happen?   " +
        happened_words[row.happened] + "\n  send it again?   " + std::string(again_text(row)));
}

void explain_promise(const Promise& promise, bool as_json) {
  if (as_json) {
    print(json::serialize(promise_json(promise)));
    return;
  }
  print(Paint()(Colour::strong, promise.id) + "\n" + wrapped(promise.text, 100));
}

std::string upper(std::string text) {
  for (char& c : text)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return text;
}

const StatusRow* find_status(const std::string& wanted) {
  for (const StatusRow& row : statuses)
    if (row.name == wanted || std::to_string(static_cast<int>(row.status)) == wanted) return &row;
  return nullptr;
}

/// The first sentence, or as much of it as a line holds.
std::string first_words(std::string text) {
  constexpr std::size_t most = 96;
  if (auto end = text.find(". "); end != std::string::npos) text.resize(end + 1);
  if (text.size() <= most) return text;
  text.resize(text.rfind(' ', most - 4));
  return text + " ...";
}

void list_all(const std::vector<Promise>& all, bool as_json) {
  if (as_json) {
    json::object told;
    json::array& listed = told["statuses"].emplace_array();
    for (const StatusRow& row : statuses) listed.push_back(status_json(row));
    json::array& promised = told["promises"].emplace_array();
    for (const Promise& promise : all) promised.push_back(promise_json(promise));
    print(json::serialize(told));
    return;
  }
  Paint paint;
  Table table;
  for (const StatusRow& row : statuses)
    table.add({{std::string(row.name), Colour::strong}, {std::string(row.meaning)}});
  for (const Promise& promise : all) {
    table.add({{promise.id, Colour::strong}, {first_words(promise.text)}});
  }
  print(table.text(paint));
}

void explain(const std::string& wanted, bool as_json) {
  auto all = promises();
  if (const StatusRow* row = find_status(wanted)) return explain_status(*row, as_json);
  std::vector<std::string> known;
  for (const Promise& promise : all) {
    if (promise.id == upper(wanted)) return explain_promise(promise, as_json);
    known.push_back(promise.id);
  }
  for (const StatusRow& row : statuses) known.emplace_back(row.name);
  std::string text = "there is no contract id or status \"" + types::printable(wanted) + "\"";
  if (auto meant = types::nearest(wanted, known)) text += ": did you mean " + *meant + "?";
  throw Usage(text + " (stile explain lists all)");
}

}  // namespace

void add_explain(CLI::App& program, Context& context) {
  struct Options {
    std::optional<std::string> wanted;
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = program.add_subcommand("explain", "Say what a contract id or a status means");
  command->footer("\nExamples:\n  stile explain A4\n  stile explain fenced\n  stile explain 11 --json");
  command->add_option("ID|STATUS", options->wanted, "such as A4, fenced or 1; none lists all");
  command->add_flag("--json", options->json, "print it as JSON");
  command->callback([options, &context] {
    if (options->wanted)
      explain(*options->wanted, options->json);
    else
      list_all(promises(), options->json);
    context.status = exit_ok;
  });
}

}  // namespace stile::cli

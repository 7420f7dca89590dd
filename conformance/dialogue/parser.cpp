// From the text of a case file to its cases.
//
// SPDX-License-Identifier: Apache-2.0
#include "dialogue/parser.hpp"

#include <algorithm>
#include <charconv>
#include <regex>

#include "codec/op.hpp"
#include "dialogue/cursor.hpp"
#include "dialogue/terms.hpp"

namespace stile::conformance {
namespace {

/// The members that words without a name stand for, in order.
std::vector<std::string_view> positional(std::string_view op) {
  if (op == "record" || op == "supply" || op == "rebase") return {"workflow", "key", "value"};
  if (op == "append") return {"workflow", "value"};
  if (op == "transact") return {"workflow", "key"};
  if (op == "extend" || op == "ack" || op == "snooze" || op == "nack" || op == "reject") return {"receipt"};
  if (op == "put") return {"key", "value"};
  if (op == "get" || op == "erase") return {"key"};
  if (op == "scan") return {"prefix"};
  if (op == "advance") return {"by"};
  for (std::string_view none : {"watch", "receive", "prepare", "info", "stats", "list", "trim", "render"})
    if (op == none) return {};
  return {"workflow"};
}

class Parser {
 public:
  Parser(const std::string& file, std::string_view text) : at_(file, text) {}

  std::vector<Case> parse();

 private:
  std::vector<std::string> comment_above();
  Case parse_case(std::vector<std::string> about);
  void parse_ids(Case& one, const Place& place);
  bool parse_header(Case& one);
  void parse_extra(Case& one, Extra::Kind kind);
  std::vector<Line> parse_block();
  Line parse_line();
  void parse_statement(Line& line, const std::string& word);
  void parse_keyword(Line& line, const std::string& word);
  void parse_batch(Line& line);
  void parse_repeat(Line& line);
  void parse_cost(Line& line);
  Request parse_request(const std::string& op);
  Expectation parse_expectation();
  std::string word(std::string_view what);

  Cursor at_;
};

std::string Parser::word(std::string_view what) {
  at_.skip_blanks();
  std::string word = at_.bare_word();
  if (word.empty()) at_.fail("expected " + std::string(what) + ", found " + at_.here());
  return word;
}

/// Skips to the next line that says something; the comment that stands right above it.
std::vector<std::string> Parser::comment_above() {
  std::vector<std::string> comment;
  for (;;) {
    while (at_.peek() == ' ' || at_.peek() == '\t' || at_.peek() == '\r') at_.take();
    if (at_.peek() == '\n') {
      at_.take();
      comment.clear();
    } else if (at_.peek() == '#') {
      std::size_t from = at_.offset() + 1;
      while (!at_.at_end() && at_.peek() != '\n') at_.take();
      std::string text(at_.slice(from));
      comment.push_back(text.starts_with(" ") ? text.substr(1) : text);
      if (!at_.at_end()) at_.take();
    } else {
      return comment;
    }
  }
}

/// Ids stand at the right end of a line of the comment, after at least two blanks.
void Parser::parse_ids(Case& one, const Place& place) {
  static const std::regex tail(R"(^(.*?)\s{2,}([A-Z][0-9]+(?:\s+[A-Z][0-9]+)*)\s*$)");
  static const std::regex id(R"([A-Z][0-9]+)");
  for (std::string& line : one.about) {
    std::smatch match;
    if (!std::regex_match(line, match, tail)) continue;
    std::string ids = match[2], text = match[1];
    for (std::sregex_iterator i(ids.begin(), ids.end(), id), end; i != end; ++i) one.ids.push_back(i->str());
    line = text;
  }
  if (one.ids.empty())
    throw SyntaxError(place, "the comment above a case ends a line with two blanks and the contract's ids");
}

std::vector<Case> Parser::parse() {
  std::vector<Case> cases;
  std::vector<std::string> about = comment_above();
  while (!at_.at_end()) {
    Place place = at_.place();
    if (word("`case`") != "case") throw SyntaxError(place, "expected `case SUITE.NAME`");
    cases.push_back(parse_case(std::move(about)));
    about = comment_above();
  }
  return cases;
}

Case Parser::parse_case(std::vector<std::string> about) {
  static const std::regex names("([a-z][a-z0-9_]*)\\.([a-z0-9][a-z0-9-]*)");
  Case one;
  at_.skip_blanks();
  one.place = at_.place();
  std::smatch match;
  std::string name = word("a name");
  if (!std::regex_match(name, match, names))
    throw SyntaxError(one.place, "a case is called SUITE.NAME, in lower case, NAME with dashes: `" + name + "`");
  one.suite = match[1];
  one.name = match[2];
  one.about = std::move(about);
  parse_ids(one, one.place);
  at_.end_line();
  while (parse_header(one)) {
  }
  for (;;) {
    // A comment belongs to the case below it, so looking for the next line must not take it.
    Cursor before = at_;
    at_.skip_lines();
    if (at_.at_end() || at_.looks_at("case ")) {
      at_ = before;
      break;
    }
    one.lines.push_back(parse_line());
  }
  if (one.lines.empty()) throw SyntaxError(one.place, "this case says nothing");
  return one;
}

void Parser::parse_extra(Case& one, Extra::Kind kind) {
  Extra extra;
  extra.kind = kind;
  at_.skip_blanks();
  extra.place = at_.place();
  extra.name = at_.name("a name");
  if (kind == Extra::Kind::space) {
    at_.skip_blanks();
    Scope none;
    Place place = at_.place();
    try {
      extra.suffix = codec::bytes_from_json(evaluate(parse_term(at_), none), "namespace");
    } catch (const codec::BadRequest& bad) {
      throw SyntaxError(place, bad.text);
    }
  }
  one.extras.push_back(std::move(extra));
}

bool Parser::parse_header(Case& one) {
  Cursor before = at_;
  at_.skip_lines();
  Place place = at_.place();
  std::string keyword = at_.bare_word();
  if (keyword == "needs") {
    for (at_.skip_blanks(); at_.peek() != '\n' && !at_.at_end(); at_.skip_blanks())
      one.needs.insert(word("a capability"));
  } else if (keyword == "limit") {
    std::string length = word("a duration");
    try {
      one.limit = Duration{codec::duration_from_text(length, "limit")};
    } catch (const codec::BadRequest& bad) {
      throw SyntaxError(place, bad.text);
    }
  } else if (keyword == "tries") {
    std::string count = word("a number");
    auto [end, error] = std::from_chars(count.data(), count.data() + count.size(), one.tries);
    if (error != std::errc{} || *end != '\0' || one.tries < 1 || one.tries > 20)
      throw SyntaxError(place, "tries wants a number from 1 to 20");
  } else if (keyword == "session") {
    parse_extra(one, Extra::Kind::session);
  } else if (keyword == "store") {
    parse_extra(one, Extra::Kind::store);
  } else if (keyword == "namespace") {
    parse_extra(one, Extra::Kind::space);
  } else {
    at_ = before;
    return false;
  }
  at_.end_line();
  return true;
}

/// Lines up to `end`.
std::vector<Line> Parser::parse_block() {
  std::vector<Line> lines;
  for (;;) {
    at_.skip_lines();
    Cursor before = at_;
    if (at_.bare_word() == "end") return lines;
    at_ = before;
    lines.push_back(parse_line());
  }
}

Line Parser::parse_line() {
  Line line;
  at_.skip_lines();
  std::size_t from = at_.offset();
  line.place = at_.place();
  at_.begin_statement();
  std::string first = word("an operation");
  if (first.size() > 1 && first.back() == ':') {
    line.session = first.substr(0, first.size() - 1);
    first = word("an operation");
  }
  parse_statement(line, first);
  if (line.source.empty()) line.source = std::string(at_.slice(from));
  while (!line.source.empty() && std::string_view(" \n\r\t").find(line.source.back()) != std::string_view::npos)
    line.source.pop_back();
  at_.end_line();
  return line;
}

void Parser::parse_statement(Line& line, const std::string& keyword) {
  using Kind = Line::Kind;
  if (keyword == "pages" || keyword == "start") {
    line.kind = keyword == "pages" ? Kind::pages : Kind::start;
    line.request = parse_request(word("an operation"));
    if (line.kind == Kind::pages) line.expect = parse_expectation();
  } else if (keyword == "finish") {
    line.kind = Kind::finish;
    line.expect = parse_expectation();
  } else if (keyword == "batch") {
    parse_batch(line);
  } else if (keyword == "repeat") {
    parse_repeat(line);
  } else if (keyword == "cost") {
    parse_cost(line);
  } else if (codec::op_kind(keyword) != 0) {
    line.request = parse_request(keyword);
    line.expect = parse_expectation();
  } else {
    parse_keyword(line, keyword);
  }
}

void Parser::parse_keyword(Line& line, const std::string& keyword) {
  using Kind = Line::Kind;
  at_.skip_blanks();
  if (keyword == "interrupt" || keyword == "reopen") {
    line.kind = keyword == "interrupt" ? Kind::interrupt : Kind::reopen;
  } else if (keyword == "wait") {
    line.kind = Kind::wait;
    line.terms.push_back(parse_term(at_));
  } else if (keyword == "let") {
    line.kind = Kind::let;
    at_.demand("$");
    line.variable = at_.name("the name of a variable");
    at_.skip_blanks();
    line.terms.push_back(parse_term(at_));
  } else if (keyword == "check") {
    line.kind = Kind::check;
    line.terms.push_back(parse_term(at_));
    at_.skip_blanks();
    if (!parse_test(at_, line.test)) at_.fail("expected one of = != < <= > >= ~, found " + at_.here());
    at_.skip_blanks();
    line.terms.push_back(parse_term(at_));
  } else {
    throw SyntaxError(line.place, "`" + keyword + "` is neither an operation nor a word of this language");
  }
}

void Parser::parse_batch(Line& line) {
  line.kind = Line::Kind::batch;
  std::size_t from = at_.offset();
  at_.end_line();
  for (;;) {
    at_.skip_lines();
    Line member;
    member.place = at_.place();
    at_.begin_statement();
    std::size_t start = at_.offset();
    std::string keyword = word("an operation or `end`");
    if (keyword == "end") break;
    bool chained = keyword == "after_ok";
    if (chained) keyword = word("an operation");
    if (codec::op_kind(keyword) == 0) throw SyntaxError(member.place, "a batch holds operations: `" + keyword + "`");
    member.request = parse_request(keyword);
    member.request->after_ok = chained;
    member.expect = parse_expectation();
    member.source = std::string(at_.slice(start));
    at_.end_line();
    line.lines.push_back(std::move(member));
  }
  line.source = "batch" + std::string(at_.slice(from));
}

void Parser::parse_repeat(Line& line) {
  line.kind = Line::Kind::repeat;
  at_.skip_blanks();
  if (at_.take_if("$")) {
    line.variable = at_.name("the name of a variable");
    at_.skip_blanks();
  }
  if (at_.take_if("until ")) {
    at_.skip_blanks();
    line.until = at_.name("the name of a session");
  } else {
    line.terms.push_back(parse_term(at_));
    at_.skip_blanks();
    if (at_.peek() != '\n') line.terms.push_back(parse_term(at_));
  }
  at_.end_line();
  line.lines = parse_block();
  line.source = "repeat ... end";
}

/// cost SMALL LARGE below FACTOR, then lines that each begin with build, grow, fresh or probe, then end.
void Parser::parse_cost(Line& line) {
  line.kind = Line::Kind::cost;
  for (int i = 0; i < 2; ++i) {
    at_.skip_blanks();
    line.terms.push_back(parse_term(at_));
  }
  if (word("`below`") != "below") at_.fail("expected `cost SMALL LARGE below FACTOR`");
  at_.skip_blanks();
  line.terms.push_back(parse_term(at_));
  at_.end_line();
  for (;;) {
    at_.skip_lines();
    Place place = at_.place();
    std::string keyword = word("build, grow, fresh, probe or end");
    if (keyword == "end") break;
    std::vector<Line>* into = keyword == "build"   ? &line.lines
                              : keyword == "grow"  ? &line.grow
                              : keyword == "fresh" ? &line.fresh
                              : keyword == "probe" ? &line.probe
                                                   : nullptr;
    if (!into) throw SyntaxError(place, "expected build, grow, fresh, probe or end");
    at_.skip_blanks();
    into->push_back(parse_line());
  }
  if (line.probe.empty()) throw SyntaxError(line.place, "a cost has at least one probe");
  line.source = "cost ... end";
}

Request Parser::parse_request(const std::string& op) {
  Request request;
  request.place = at_.place();
  request.op = op;
  if (codec::op_kind(op) == 0) throw SyntaxError(request.place, "there is no operation `" + op + "`");
  auto places = positional(op);
  std::size_t next = 0;
  for (;;) {
    if (at_.at_end_of_statement() || at_.looks_at("->")) return request;
    Cursor before = at_;
    std::string name = at_.bare_word();
    if (!name.empty() && at_.take_if("=")) {
      Term term = parse_term(at_);
      if (name == "deadline")
        request.deadline = std::move(term);
      else
        request.members.push_back({name, std::move(term)});
      continue;
    }
    at_ = before;
    if (next == places.size()) at_.fail("`" + op + "` takes no further value without a name: " + at_.here());
    request.members.push_back({std::string(places[next++]), parse_term(at_)});
  }
}

Expectation Parser::parse_expectation() {
  Expectation expect;
  if (at_.at_end_of_statement()) at_.fail("expected `-> STATUS`");
  at_.demand("->");
  do {
    Place place = (at_.skip_blanks(), at_.place());
    std::string name = word("a status");
    bool found = false;
    for (int i = 0; i < STILE_STATUS_COUNT && !found; ++i)
      if (name_of(static_cast<Status>(i)) == name) {
        expect.statuses.push_back(static_cast<Status>(i));
        found = true;
      }
    if (!found) throw SyntaxError(place, "there is no status `" + name + "`");
  } while (at_.take_if("|"));
  while (!at_.at_end_of_statement()) expect.members.push_back(parse_expected(at_));
  return expect;
}

/// Every session that a line names is opened by the case.
void check_sessions(const std::vector<Line>& lines, const Case& one) {
  for (const Line& line : lines) {
    auto named = [&](const Extra& extra) { return extra.name == line.session; };
    if (!line.session.empty() && std::none_of(one.extras.begin(), one.extras.end(), named))
      throw SyntaxError(line.place, "the case opens no session, store or namespace called `" + line.session + "`");
    check_sessions(line.lines, one);
  }
}

/// What a case asks of a store, seen in its lines: operations, and the capabilities that they need.
void collect(const std::vector<Line>& lines, Case& one) {
  for (const Line& line : lines) {
    collect(line.lines, one);
    collect(line.grow, one);
    collect(line.fresh, one);
    collect(line.probe, one);
    if (line.expect)
      for (const Expected& member : line.expect->members) {
        one.measures = one.measures || member.member == "took" || member.member == "late";
        one.alone = one.alone || member.member == "stored_bytes";
      }
    if (!line.request) continue;
    const Request& request = *line.request;
    one.operations.insert(request.op);
    auto has = [&](std::string_view name) {
      return std::any_of(request.members.begin(), request.members.end(),
                         [&](const auto& member) { return member.name == name; });
    };
    if ((request.op == "supply" || request.op == "append") && has("enqueue")) one.needs.insert("one_commit");
    if (request.op == "receive" && (has("acquire") || has("load"))) one.needs.insert("coupled_receive");
    if (request.op == "watch") one.needs.insert("push_records");
    if (request.op == "advance") one.needs.insert("manual_clock");
  }
}

}  // namespace

std::vector<Case> parse_cases(const std::string& file, std::string_view text) {
  std::vector<Case> cases = Parser(file, text).parse();
  for (Case& one : cases) {
    check_sessions(one.lines, one);
    collect(one.lines, one);
  }
  return cases;
}

}  // namespace stile::conformance

// Reading terms and shapes from a case file.
//
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>

#include "dialogue/terms.hpp"

namespace stile::conformance {
namespace {

int nibble(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

char take_escape(Cursor& at) {
  switch (at.take()) {
    case 'n': return '\n';
    case 't': return '\t';
    case 'r': return '\r';
    case '0': return '\0';
    case '\\': return '\\';
    case '"': return '"';
    case '$': return '$';
    case 'x': {
      int high = nibble(at.peek()), low = nibble(at.peek(1));
      if (high < 0 || low < 0) at.fail("\\x wants two hexadecimal digits");
      at.take();
      at.take();
      return static_cast<char>(high << 4 | low);
    }
    default: at.fail("an escape is one of \\n \\t \\r \\0 \\\\ \\\" \\$ \\xHH");
  }
}

Term::Piece take_insert(Cursor& at) {
  Term::Piece piece;
  piece.variable = at.name("the name of a variable");
  if (at.take_if(":")) {
    std::string width = at.bare_word();
    auto [end, error] = std::from_chars(width.data(), width.data() + width.size(), piece.width);
    if (error != std::errc{} || end != width.data() + width.size() || piece.width < 1 || piece.width > 100)
      at.fail("a width is a number from 1 to 100");
  }
  at.demand("}");
  return piece;
}

Term parse_quoted(Cursor& at) {
  Term term;
  term.kind = Term::Kind::text;
  term.place = at.place();
  at.demand("\"");
  std::string bytes;
  auto flush = [&] {
    if (!bytes.empty()) term.pieces.push_back({std::exchange(bytes, {}), {}, 0});
  };
  while (!at.take_if("\"")) {
    if (at.at_end() || at.peek() == '\n') throw SyntaxError(term.place, "this text has no closing quote");
    if (at.take_if("${")) {
      flush();
      term.pieces.push_back(take_insert(at));
    } else if (at.take_if("\\")) {
      bytes += take_escape(at);
    } else {
      bytes += at.take();
    }
  }
  flush();
  if (at.take_if("*")) {
    Place place = at.place();
    term.times = size_from_text(at.bare_word(), place);
  }
  return term;
}

Term parse_word(Cursor& at) {
  Term term;
  term.place = at.place();
  std::string word = at.bare_word();
  if (word.empty()) at.fail("expected a value, found " + at.here());
  if (at.take_if("(")) {
    term.kind = Term::Kind::call;
    term.name = word;
    for (at.skip_blanks(true); !at.take_if(")"); at.skip_blanks(true)) {
      term.items.push_back(parse_term(at));
      at.skip_blanks(true);
      at.take_if(",");
    }
    return term;
  }
  if (word == "true" || word == "false") {
    term.literal = word == "true";
    return term;
  }
  if (word == "null") return term;
  std::int64_t number = 0;
  auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error == std::errc{} && end == word.data() + word.size()) {
    term.literal = number;
    return term;
  }
  term.kind = Term::Kind::text;
  term.pieces.push_back({word, {}, 0});
  return term;
}

Term parse_variable(Cursor& at) {
  Term term;
  term.kind = Term::Kind::variable;
  term.place = at.place();
  at.demand("$");
  term.name = at.name("the name of a variable");
  while (at.peek() == '+' || (at.peek() == '-' && !at.looks_at("->"))) {
    int sign = at.take() == '+' ? 1 : -1;
    Term operand;
    operand.place = at.place();
    if (at.take_if("$")) {
      operand.kind = Term::Kind::variable;
      operand.name = at.name("the name of a variable");
    } else {
      operand = parse_word(at);
    }
    term.sums.push_back({sign, std::move(operand)});
  }
  return term;
}

Term parse_list(Cursor& at) {
  Term term;
  term.kind = Term::Kind::list;
  term.place = at.place();
  at.demand("[");
  for (at.skip_blanks(true); !at.take_if("]"); at.skip_blanks(true)) {
    term.items.push_back(parse_term(at));
    at.skip_blanks(true);
    at.take_if(",");
  }
  return term;
}

Term parse_object(Cursor& at) {
  Term term;
  term.kind = Term::Kind::object;
  term.place = at.place();
  at.demand("{");
  for (at.skip_blanks(true); !at.take_if("}"); at.skip_blanks(true)) {
    std::string name = at.name("the name of a member");
    at.demand("=");
    term.members.push_back({name, parse_term(at)});
    at.skip_blanks(true);
    at.take_if(",");
  }
  return term;
}

Shape parse_list_shape(Cursor& at, bool any_order) {
  Shape shape;
  shape.kind = Shape::Kind::list;
  shape.place = at.place();
  shape.any_order = any_order;
  at.demand("[");
  for (at.skip_blanks(true); !at.take_if("]"); at.skip_blanks(true)) {
    if (at.looks_at("...")) {
      Shape rest;
      rest.kind = Shape::Kind::rest;
      rest.place = at.place();
      at.demand("...");
      shape.items.push_back(std::move(rest));
    } else {
      shape.items.push_back(parse_shape(at));
    }
    at.skip_blanks(true);
    at.take_if(",");
  }
  return shape;
}

Shape parse_object_shape(Cursor& at) {
  Shape shape;
  shape.kind = Shape::Kind::object;
  shape.place = at.place();
  at.demand("{");
  for (at.skip_blanks(true); !at.take_if("}"); at.skip_blanks(true)) {
    shape.members.push_back(parse_expected(at));
    at.skip_blanks(true);
    at.take_if(",");
  }
  return shape;
}

}  // namespace

std::uint64_t size_from_text(const std::string& text, const Place& place) {
  std::uint64_t number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  std::string unit(end, text.data() + text.size());
  std::uint64_t factor = unit.empty() ? 1 : unit == "KiB" ? 1024 : unit == "MiB" ? 1024 * 1024 : 0;
  if (error != std::errc{} || factor == 0 || number > (std::uint64_t{1} << 40))
    throw SyntaxError(place, "a size is a number, with KiB or MiB behind it or nothing");
  return number * factor;
}

Term parse_term(Cursor& at) {
  switch (at.peek()) {
    case '"': return parse_quoted(at);
    case '$': return parse_variable(at);
    case '[': return parse_list(at);
    case '{': return parse_object(at);
    case '@': {
      Term term;
      term.kind = Term::Kind::op_id;
      term.place = at.place();
      at.take();
      term.name = at.bare_word();
      if (term.name.empty()) at.fail("expected a name after @");
      return term;
    }
    default: return parse_word(at);
  }
}

Shape parse_shape(Cursor& at) {
  if (at.take_if("any_order")) return parse_list_shape(at, true);
  if (at.peek() == '[') return parse_list_shape(at, false);
  if (at.peek() == '{') return parse_object_shape(at);
  Shape shape;
  shape.place = at.place();
  shape.term = parse_term(at);
  const Term& term = shape.term;
  if (term.kind == Term::Kind::variable && term.sums.empty()) {
    shape.kind = Shape::Kind::capture;
    shape.name = term.name;
  } else if (term.kind == Term::Kind::text && term.pieces.size() == 1 && term.pieces[0].bytes == "_" &&
             term.times == 1) {
    shape.kind = Shape::Kind::any;
  } else {
    shape.kind = Shape::Kind::term;
  }
  return shape;
}

bool parse_test(Cursor& at, Expected::Test& test) {
  using Test = Expected::Test;
  static constexpr std::pair<std::string_view, Test> tests[] = {
      {"!=", Test::not_equal}, {"<=", Test::at_most}, {">=", Test::at_least}, {"<", Test::less},
      {">", Test::more},       {"~", Test::about},    {"=", Test::equal},
  };
  for (auto [text, value] : tests) {
    if (!at.take_if(text)) continue;
    test = value;
    return true;
  }
  return false;
}

Expected parse_expected(Cursor& at) {
  Expected expected;
  expected.place = at.place();
  expected.absent = at.take_if("!");
  expected.member = at.name("the name of a member");
  if (expected.absent) return expected;
  Expected::Test test{};
  while (parse_test(at, test)) {
    Shape shape = parse_shape(at);
    bool simple = shape.kind == Shape::Kind::term || shape.kind == Shape::Kind::capture;
    if (test != Expected::Test::equal && !simple)
      throw SyntaxError(shape.place, "only = can judge a list or an object");
    expected.tests.push_back({test, std::move(shape)});
  }
  if (expected.tests.empty()) at.fail("expected one of = != < <= > >= ~ after `" + expected.member + "`");
  return expected;
}

}  // namespace stile::conformance

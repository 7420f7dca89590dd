// Reading a case file character by character, with the place always known.
//
// SPDX-License-Identifier: Apache-2.0
#include "dialogue/cursor.hpp"

namespace stile::conformance {
namespace {

bool bare(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("_.:/-%?;^").find(c) != std::string_view::npos;
}

}  // namespace

char Cursor::take() {
  if (at_end()) fail("the file ends here");
  char c = text_[at_++];
  if (c == '\n') {
    ++line_;
    line_start_ = at_;
  }
  return c;
}

bool Cursor::take_if(std::string_view what) {
  if (!looks_at(what)) return false;
  for (std::size_t i = 0; i < what.size(); ++i) take();
  return true;
}

void Cursor::demand(std::string_view what) {
  if (!take_if(what)) fail("expected `" + std::string(what) + "`, found " + here());
}

void Cursor::skip_blanks(bool inside_brackets) {
  for (;;) {
    char c = peek();
    if (c == ' ' || c == '\t' || c == '\r' || (inside_brackets && c == '\n')) {
      take();
    } else if (c == '#') {
      while (!at_end() && peek() != '\n') take();
    } else {
      return;
    }
  }
}

void Cursor::skip_lines() { skip_blanks(true); }

bool Cursor::at_end_of_statement() {
  skip_blanks();
  if (at_end()) return true;
  if (peek() != '\n') return false;
  Cursor ahead = *this;
  ahead.skip_lines();
  bool deeper = ahead.line_ > line_ && ahead.place().column >= statement_column_ + 4;
  if (!deeper && !ahead.looks_at("->")) return true;
  *this = ahead;
  return false;
}

void Cursor::end_line() {
  skip_blanks();
  if (at_end()) return;
  if (peek() != '\n') fail("expected the end of the line, found " + here());
  take();
}

std::string Cursor::bare_word() {
  std::string word;
  // An arrow is no part of a word: `release w->ok` is two.
  while (bare(peek()) && !looks_at("->")) word += take();
  return word;
}

std::string Cursor::name(std::string_view what) {
  std::string name;
  auto letter = [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; };
  if (letter(peek()))
    while (letter(peek()) || (peek() >= '0' && peek() <= '9')) name += take();
  if (name.empty()) fail("expected " + std::string(what) + ", found " + here());
  return name;
}

Place Cursor::place() const { return {file_, line_, static_cast<int>(at_ - line_start_) + 1}; }

std::string Cursor::here() const {
  if (at_end()) return "the end of the file";
  if (peek() == '\n') return "the end of the line";
  std::string_view rest = text_.substr(at_);
  rest = rest.substr(0, rest.find_first_of("\n\r"));
  return "`" + std::string(rest.substr(0, 24)) + "`";
}

}  // namespace stile::conformance

// Reading a case file character by character, with the place always known.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "dialogue/syntax.hpp"

namespace stile::conformance {

/// A position in the text of one file.
class Cursor {
 public:
  Cursor(std::string file, std::string_view text) : text_(text), file_(std::move(file)) {}

  bool at_end() const { return at_ == text_.size(); }
  /// The character here; a zero byte at the end.
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  bool looks_at(std::string_view what) const { return text_.substr(at_).starts_with(what); }
  char take();
  bool take_if(std::string_view what);
  /// Takes it or says what was expected.
  void demand(std::string_view what);

  /// Blanks and comments up to the end of the line; inside brackets lines do not count.
  void skip_blanks(bool inside_brackets = false);
  /// Blanks, comments and empty lines.
  void skip_lines();
  /// A statement begins here.
  void begin_statement() { statement_column_ = place().column; }
  /// True at the end of a statement: the end of the line, unless the next line that is not empty begins with "->" or is
  /// indented by four columns more than the statement.
  bool at_end_of_statement();
  /// Goes past the end of the line; says what is left over if there is something.
  void end_line();

  /// A word of bare characters; may be empty.
  std::string bare_word();
  /// A name: [a-z][a-z0-9_]*; says what was expected if there is none.
  std::string name(std::string_view what);

  Place place() const;
  std::size_t offset() const { return at_; }
  std::string_view slice(std::size_t from) const { return text_.substr(from, at_ - from); }
  [[noreturn]] void fail(const std::string& what) const { throw SyntaxError(place(), what); }
  /// What stands here, for an error.
  std::string here() const;

 private:
  std::string_view text_;
  std::string file_;
  std::size_t at_ = 0;
  int line_ = 1;
  std::size_t line_start_ = 0;
  int statement_column_ = 1;
};

}  // namespace stile::conformance

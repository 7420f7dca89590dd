// SPDX-License-Identifier: Apache-2.0
#include "csv.hpp"

namespace orders {
namespace {

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
  }

  std::vector<Row> rows() {
    std::vector<Row> rows;
    while (at_ < text_.size()) {
      Row row = next_row();
      bool blank = row.wrong.empty() && row.fields.size() == 1 && row.fields[0].empty();
      if (!blank) rows.push_back(std::move(row));
    }
    return rows;
  }

 private:
  bool at_line_end() const { return at_ < text_.size() && (text_[at_] == '\n' || text_[at_] == '\r'); }

  void skip_line_end() {
    if (at_ >= text_.size()) return;
    bool carriage = text_[at_] == '\r';
    ++at_;
    if (carriage && at_ < text_.size() && text_[at_] == '\n') ++at_;
    ++line_;
  }

  Row next_row() {
    Row row;
    row.line = line_;
    for (;;) {
      row.fields.emplace_back();
      bool quoted = at_ < text_.size() && text_[at_] == '"';
      if (quoted ? !quoted_field(row) : !plain_field(row)) {
        while (at_ < text_.size() && !at_line_end()) ++at_;
        break;
      }
      if (at_ >= text_.size() || text_[at_] != ',') break;
      ++at_;
    }
    skip_line_end();
    return row;
  }

  bool plain_field(Row& row) {
    while (at_ < text_.size() && text_[at_] != ',' && !at_line_end()) {
      if (text_[at_] == '"') {
        row.wrong = "a quote inside a field that does not begin with one";
        return false;
      }
      row.fields.back() += text_[at_++];
    }
    return true;
  }

  bool quoted_field(Row& row) {
    std::size_t opened = at_++, opened_line = line_;
    for (; at_ < text_.size(); ++at_) {
      if (text_[at_] == '\n') ++line_;
      if (text_[at_] != '"') {
        row.fields.back() += text_[at_];
      } else if (at_ + 1 < text_.size() && text_[at_ + 1] == '"') {
        row.fields.back() += text_[at_++];
      } else {
        ++at_;
        if (at_ >= text_.size() || text_[at_] == ',' || at_line_end()) return true;
        row.wrong = "text after a closing quote";
        return false;
      }
    }
    // Never closed: only its first line is given up, or one missing quote would swallow the rest of the file.
    row.wrong = "a quote is opened and never closed";
    at_ = opened, line_ = opened_line;
    return false;
  }

  std::string_view text_;
  std::size_t at_ = 0, line_ = 1;
};

}  // namespace

std::vector<Row> read_csv(std::string_view text) { return Reader(text).rows(); }

}  // namespace orders

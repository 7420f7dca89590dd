// Reading mutants.txt.
//
// SPDX-License-Identifier: Apache-2.0
#include "mutants/entries.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace stile::conformance::mutants {
namespace {

class Reader {
 public:
  explicit Reader(const std::string& path) : path_(path) {}

  void take(std::string_view line) {
    ++line_;
    if (line.starts_with('#')) return;
    if (line.find_first_not_of(' ') == std::string_view::npos) return end_entry();
    if (line.starts_with(' ')) return go_on(line);
    const std::size_t space = line.find(' ');
    const std::string word(line.substr(0, space));
    const std::string text(space == std::string_view::npos ? "" : line.substr(space + 1));
    if (word == "mutant") {
      end_entry();
      open_ = true;
      entry_.line = line_;
    }
    if (!open_) fail("an entry begins with: mutant NAME");
    if (word == "breaks") {
      std::istringstream ids(text);
      std::copy(std::istream_iterator<std::string>(ids), {}, std::back_inserter(entry_.breaks));
      last_ = nullptr;
      return;
    }
    last_ = place_of(word);
    if (!last_->empty()) fail(word + " is said twice");
    *last_ = text;
  }

  std::vector<Mutant> finish() {
    end_entry();
    return std::move(mutants_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw std::runtime_error(path_ + ":" + std::to_string(line_) + ": " + what);
  }

  std::string* place_of(const std::string& word) {
    if (word == "mutant") return &entry_.name;
    if (word == "slip") return &entry_.slip;
    if (word == "store") return &entry_.store;
    if (word == "level") return &entry_.level;
    if (word == "check") return &entry_.check;
    if (word != "file" && word != "in" && word != "was" && word != "now") fail("unknown word: " + word);
    if (complete_ || entry_.changes.empty()) {  // `now` was the last word of a change: another one of the same file
      const std::string file = complete_ ? entry_.changes.back().file : "";
      entry_.changes.push_back({word == "file" ? "" : file, "", "", ""});
      complete_ = false;
    }
    Change& change = entry_.changes.back();
    complete_ = word == "now";
    return word == "file" ? &change.file : word == "in" ? &change.in : word == "was" ? &change.was : &change.now;
  }

  void go_on(std::string_view line) {
    if (last_ == nullptr) fail("nothing above goes on with a line that begins with a blank");
    *last_ += (last_->empty() ? "" : "\n") + std::string(line.substr(line.find_first_not_of(' ')));
  }

  void end_entry() {
    if (!open_) return;
    if (entry_.name.empty() || entry_.breaks.empty() || entry_.slip.empty() || !complete_)
      fail("mutant " + entry_.name + " needs a name, breaks, slip, and file, was, now of each change");
    for (const Change& change : entry_.changes)
      if (change.file.empty() || change.was.empty()) fail("mutant " + entry_.name + ": file and was are never empty");
    if (!names_.insert(entry_.name).second) fail("there is another mutant called " + entry_.name);
    mutants_.push_back(std::exchange(entry_, Mutant{}));
    last_ = nullptr;
    open_ = complete_ = false;
  }

  const std::string& path_;
  int line_ = 0;
  bool open_ = false;
  bool complete_ = false;  // the change that was said last
  Mutant entry_;
  std::string* last_ = nullptr;  // what a line that begins with a blank goes on with
  std::set<std::string> names_;
  std::vector<Mutant> mutants_;
};

}  // namespace

std::vector<Mutant> read_mutants(std::string_view text, const std::string& path) {
  Reader reader(path);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    reader.take(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return reader.finish();
}

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(in), {});
  if (!in) throw std::runtime_error(path + ": cannot be read");
  return text;
}

}  // namespace stile::conformance::mutants

// A recorded history in memory: read from the lines that the history layer writes.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "judge/event.hpp"

namespace stile::conformance::judge {

/// A history that cannot be judged: what() names the file, the line and what is wrong with it.
struct BadHistory : std::runtime_error {
  using runtime_error::runtime_error;
};

/// Every id, key and value of a history, once.
class Names {
 public:
  Names() { intern({}); }
  Names(const Names&) = delete;
  Names& operator=(const Names&) = delete;
  Names(Names&&) = default;
  Names& operator=(Names&&) = default;

  Text intern(std::string_view bytes);
  /// Text::none where nobody said these bytes.
  Text find(std::string_view bytes) const;
  std::string_view operator[](Text text) const {
    return text == Text::unknown ? std::string_view("?") : texts_[static_cast<std::uint32_t>(text)];
  }
  std::size_t size() const { return texts_.size(); }

 private:
  std::string_view keep(std::string_view bytes);

  std::vector<std::string_view> texts_;
  std::unordered_map<std::string_view, Text> places_;
  std::deque<std::string> blocks_;
};

/// Everything that was recorded. Events stand in the order in which they were asked.
struct History {
  struct File {
    std::string name;
    std::string text;
  };
  std::deque<File> files;
  Names names;
  std::vector<std::string> clients;
  std::vector<Event> events;
  std::vector<Told> deliveries;
  std::vector<SeenRecord> records;
  std::vector<SeenDocument> documents;
  std::vector<Text> queues;
  std::vector<Watched> watched;
  std::vector<Listed> listed;
  std::vector<Figures> figures;
  std::vector<std::string> notes;  ///< what is odd and no error: a process that died in the middle of a line

  std::string_view line(Place at) const { return std::string_view(files[at.file].text).substr(at.offset, at.length); }
  std::span<const SeenRecord> seen(Range range) const { return {records.data() + range.begin, range.size()}; }
  std::span<const SeenDocument> pages(Range range) const { return {documents.data() + range.begin, range.size()}; }
  std::span<const Listed> workflows_on(Range range) const { return {listed.data() + range.begin, range.size()}; }
  std::span<const Watched> looked_after(Range range) const { return {watched.data() + range.begin, range.size()}; }
  std::span<const Told> handed_out(Range range) const { return {deliveries.data() + range.begin, range.size()}; }
};

/// More than the largest value or page takes (B9), every byte of it escaped.
inline constexpr std::size_t longest_line = std::size_t{256} << 20;

/// Reads files that processes wrote, together or each its own. A client is told by its name and the file it stands in.
/// The last line of a process may be cut off: that is a note. Throws BadHistory for anything else that is malformed: an
/// unknown operation, a member missing or of the wrong form, an answer without its question, a line said twice, one
/// that is too long.
History read_history(std::span<const std::string> paths, std::size_t most_of_line = longest_line);

/// The same from text that is in memory already; `name` stands for the file in messages.
History history_from(std::string text, std::string name = "history");

/// The position that an inbox key names (I1); -1 for any other key.
std::int64_t inbox_position(std::string_view key);

}  // namespace stile::conformance::judge

// Reads the lines of a history and joins each answer to its question.
//
// SPDX-License-Identifier: Apache-2.0
#include "judge/history.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <map>
#include <optional>
#include <set>

#include "judge/line.hpp"
#include "types/text.hpp"

namespace stile::conformance::judge {

Text Names::intern(std::string_view bytes) {
  auto found = places_.find(bytes);
  if (found != places_.end()) return found->second;
  std::string_view kept = keep(bytes);
  Text text = static_cast<Text>(texts_.size());
  texts_.push_back(kept);
  places_.emplace(kept, text);
  return text;
}

Text Names::find(std::string_view bytes) const {
  auto found = places_.find(bytes);
  return found == places_.end() ? Text::none : found->second;
}

std::string_view Names::keep(std::string_view bytes) {
  constexpr std::size_t block = std::size_t{1} << 20;
  if (blocks_.empty() || blocks_.back().capacity() - blocks_.back().size() < bytes.size())
    blocks_.emplace_back().reserve(std::max(block, bytes.size()));
  std::string& room = blocks_.back();  // never grows beyond what was reserved: views into it stay
  std::size_t begin = room.size();
  room.append(bytes);
  return std::string_view(room).substr(begin);
}

std::int64_t inbox_position(std::string_view key) {
  if (key.size() != 26 || !key.starts_with("inbox:")) return -1;
  std::int64_t position = 0;
  auto [end, error] = std::from_chars(key.data() + 6, key.data() + key.size(), position);
  return error == std::errc{} && end == key.data() + key.size() ? position : -1;
}

namespace {

constexpr std::string_view beginning = "{\"client\":";

/// The process of a client "17.1" is "17".
std::string_view process_of(std::string_view client) { return client.substr(0, client.find('.')); }

class Reader {
 public:
  Reader(History& to, std::size_t most_of_line) : to_(to), most_of_line_(most_of_line) {}

  void file(std::uint32_t number) {
    file_ = number;
    clients_.clear();
    cut_.clear();
    line_ = 0;
    std::string_view text = to_.files[number].text;
    for (std::size_t begin = 0; begin < text.size();) {
      ++line_;
      std::size_t end = std::min(text.find('\n', begin), text.size());
      if (end - begin > most_of_line_)
        fail(line_, "is longer than " + std::to_string(most_of_line_) + " bytes, which no line of a history is");
      Place at{number, static_cast<std::uint32_t>(end - begin), begin};
      if (end != begin) line(at, text.find_first_not_of('\n', end) == std::string_view::npos);
      begin = end + 1;
    }
    for (const auto& [process, cut] : cut_)
      to_.notes.push_back(to_.files[file_].name + ":" + std::to_string(cut.line) + ": the last line of " +
                          (process.empty() ? std::string("a process") : "process " + process) + " is cut off");
  }

 private:
  struct Open {
    std::uint32_t event;
    bool answered;
  };
  struct Client {
    std::uint32_t number;
    std::uint64_t call = 0;
    std::unordered_map<std::uint64_t, Open> open;  ///< of the latest call, by place
  };
  /// A line that ends before it should: its process must have written nothing after it.
  struct Cut {
    std::size_t line;
    std::string why;
  };

  [[noreturn]] void fail(std::size_t line, const std::string& what) const {
    throw BadHistory(to_.files[file_].name + ":" + std::to_string(line) + ": " + what);
  }

  boost::system::error_code parse(Place at, json::value& to) {
    std::string_view text = to_.line(at);
    boost::system::error_code error;
    memory_.emplace(buffer_, sizeof(buffer_));  // anew: one that is used again asks for twice as much every time
    parser_.reset(&*memory_);
    parser_.write(text.data(), text.size(), error);
    if (!error) to = parser_.release();
    return error;
  }

  void line(Place at, bool last) {
    {
      json::value whole;
      if (!parse(at, whole)) return take(whole, at);
    }
    // A process that was killed while it wrote left a piece; another one's line may stand right behind it.
    std::string_view text = to_.line(at);
    for (std::size_t begin = 0; begin < text.size();) {
      std::size_t end = std::min(text.find(beginning, begin + 1), text.size());
      piece({at.file, static_cast<std::uint32_t>(end - begin), at.offset + begin}, last || end < text.size());
      begin = end;
    }
  }

  /// At the end, or before another line's beginning, it may be cut off; what is otherwise wrong with it is an error.
  void piece(Place at, bool may_be_cut) {
    json::value whole;
    boost::system::error_code error = parse(at, whole);
    if (!error) return take(whole, at);
    std::string_view text = to_.line(at);
    bool begun = text.starts_with(beginning) || beginning.starts_with(text);
    if (error != json::error::incomplete || !may_be_cut || !begun) fail(line_, error.message());
    cut_.emplace(process_in(text), Cut{line_, error.message()});
  }

  /// Nothing where so little is there that it is not told.
  static std::string process_in(std::string_view piece) {
    if (piece.size() <= beginning.size() + 1) return {};
    piece.remove_prefix(beginning.size() + 1);
    std::size_t end = piece.find('"');
    return end == std::string_view::npos ? std::string() : std::string(process_of(piece.substr(0, end)));
  }

  void take(const json::value& value, Place at) {
    if (!value.is_object()) fail(line_, "is no object");
    take(value.get_object(), at);
  }

  void take(const json::object& object, Place at) {
    try {
      Heading heading = heading_of(object);
      if (auto cut = cut_.find(process_of(heading.client)); cut != cut_.end()) fail(cut->second.line, cut->second.why);
      auto [found, made] = clients_.try_emplace(heading.client);
      Client& client = found->second;
      if (made) {
        client.number = static_cast<std::uint32_t>(to_.clients.size());
        to_.clients.push_back(heading.client);
      }
      if (heading.asks)
        ask(client, heading, object, at);
      else
        tell(client, heading, object, at);
    } catch (const BadMember& bad) {
      fail(line_, bad.text);
    }
  }

  static std::string name_of_call(const Heading& heading) {
    return "call " + std::to_string(heading.call) + " place " + std::to_string(heading.place) + " of client " +
           heading.client;
  }

  void ask(Client& client, const Heading& heading, const json::object& object, Place at) {
    if (heading.call < client.call)
      throw BadMember{"call " + std::to_string(heading.call) + " comes after a later one"};
    if (heading.call > client.call) client.open.clear();
    if (client.open.contains(heading.place)) throw BadMember{name_of_call(heading) + " is asked twice"};
    client.call = heading.call;
    Event event;
    event.client = client.number;
    event.call = heading.call;
    event.place = heading.place;
    event.invoke = heading.moment;
    event.asked_at = at;
    take_question(object, event, to_);
    client.open[heading.place] = {static_cast<std::uint32_t>(to_.events.size()), false};
    to_.events.push_back(event);
  }

  void tell(Client& client, const Heading& heading, const json::object& object, Place at) {
    auto open = client.open.find(heading.place);
    if (heading.call != client.call || open == client.open.end())
      throw BadMember{name_of_call(heading) + " returns and was not invoked"};
    Open& question = open->second;
    if (question.answered) throw BadMember{name_of_call(heading) + " returns twice"};
    question.answered = true;
    Event& event = to_.events[question.event];
    if (heading.moment < event.invoke) throw BadMember{name_of_call(heading) + " returns before it was invoked"};
    take_answer(object, event, to_);
    event.returned = heading.moment;
    event.end = event.in_doubt() ? never : heading.moment;
    event.told_at = at;
  }

  History& to_;
  const std::size_t most_of_line_;
  std::uint32_t file_ = 0;
  std::size_t line_ = 0;
  std::unordered_map<std::string, Client> clients_;
  std::multimap<std::string, Cut, std::less<>> cut_;  ///< by process
  alignas(16) unsigned char buffer_[std::size_t{64} << 10];
  std::optional<json::monotonic_resource> memory_;
  json::parser parser_;
};

void finish(History& history) {
  std::stable_sort(history.events.begin(), history.events.end(),
                   [](const Event& a, const Event& b) { return a.invoke < b.invoke; });
}

/// As much of a file as is of use: not more of a line than a line may have, so that one without end takes no memory.
std::string bytes_of(const std::string& path, std::size_t most_of_line) {
  auto failed = [&](const char* what) {
    return BadHistory("the history " + types::printable(path) + what + std::strerror(errno));
  };
  int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) throw failed(" cannot be opened: ");
  std::string bytes;
  std::vector<char> block(std::size_t{64} << 10);
  std::size_t of_line = 0;
  ssize_t got = 0;
  while (of_line <= most_of_line) {
    got = read(file, block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    std::string_view more(block.data(), static_cast<std::size_t>(got));
    std::size_t end = more.rfind('\n');
    of_line = end == std::string_view::npos ? of_line + more.size() : more.size() - end - 1;
    bytes.append(more);
  }
  int error = errno;
  close(file);
  errno = error;
  if (got < 0) throw failed(" cannot be read: ");
  return bytes;
}

}  // namespace

History read_history(std::span<const std::string> paths, std::size_t most_of_line) {
  History history;
  Reader reader(history, most_of_line);
  std::set<std::string_view> said;
  for (const std::string& path : paths) {
    if (!said.insert(path).second) throw BadHistory(path + ": is named twice");
    history.files.push_back({path, bytes_of(path, most_of_line)});
    reader.file(static_cast<std::uint32_t>(history.files.size() - 1));
  }
  finish(history);
  return history;
}

History history_from(std::string text, std::string name) {
  History history;
  history.files.push_back({std::move(name), std::move(text)});
  Reader(history, longest_line).file(0);
  finish(history);
  return history;
}

}  // namespace stile::conformance::judge

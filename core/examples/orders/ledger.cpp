// SPDX-License-Identifier: Apache-2.0
#include "ledger.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <functional>
#include <optional>
#include <system_error>

#include "stile/types.hpp"

namespace orders {
namespace {

constexpr std::size_t books = 16;  // so that workers seldom wait for each other

std::string path_of(const std::string& folder, std::size_t book) {
  return folder + "/ledger-" + std::to_string(book) + ".log";
}

[[noreturn]] void fail(const std::string& what) { throw std::system_error(errno, std::generic_category(), what); }

/// "did KEY WHAT CENTS REFERENCE PID." with tabs between; a line cut short by a crash has no full stop at its end.
std::string line_of(const Act& act) {
  return std::string(act.repeat ? "repeat" : "did") + "\t" + act.key + "\t" + act.what + "\t" +
         std::to_string(act.cents) + "\t" + act.reference + "\t" + std::to_string(act.process) + ".\n";
}

std::optional<Act> read_line(std::string_view line) {
  if (!line.ends_with('.')) return std::nullopt;
  line.remove_suffix(1);
  std::vector<std::string_view> parts;
  for (std::size_t tab; (tab = line.find('\t')) != std::string_view::npos; line.remove_prefix(tab + 1))
    parts.push_back(line.substr(0, tab));
  parts.push_back(line);
  if (parts.size() != 6 || (parts[0] != "did" && parts[0] != "repeat")) return std::nullopt;
  Act act{parts[0] == "repeat", std::string(parts[1]), std::string(parts[2]), 0, std::string(parts[4]), 0};
  std::from_chars(parts[3].data(), parts[3].data() + parts[3].size(), act.cents);
  std::from_chars(parts[5].data(), parts[5].data() + parts[5].size(), act.process);
  return act;
}

/// Reads from `offset` on; moves it behind the last whole line. True when the rest is no whole line.
bool read_on(int file, off_t& offset, std::vector<Act>& acts) {
  std::string text;
  char buffer[65536];
  off_t at = offset;
  for (ssize_t got; (got = pread(file, buffer, sizeof buffer, at)) != 0; at += got) {
    if (got < 0) fail("reading the ledger");
    text.append(buffer, static_cast<std::size_t>(got));
  }
  std::size_t begin = 0;
  for (std::size_t end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1)
    if (auto act = read_line(std::string_view(text).substr(begin, end - begin))) acts.push_back(*std::move(act));
  offset += static_cast<off_t>(begin);
  return begin < text.size();
}

}  // namespace

/// One file; who writes it holds its lock, which a killed process lets go.
class Ledger::Book {
 public:
  explicit Book(const std::string& path) : file_(open(path.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0644)) {
    if (file_ < 0) fail(path);
  }
  ~Book() { close(file_); }
  Book(const Book&) = delete;
  Book& operator=(const Book&) = delete;

  std::string act(Act act) {
    std::lock_guard threads(mutex_);
    while (flock(file_, LOCK_EX) != 0)
      if (errno != EINTR) fail("locking the ledger");
    struct Unlock {
      int file;
      ~Unlock() { flock(file, LOCK_UN); }
    } unlock{file_};
    std::vector<Act> news;
    bool torn = read_on(file_, read_to_, news);
    for (const auto& other : news)
      if (!other.repeat) references_.emplace(other.key, other.reference);
    auto done = references_.find(act.key);
    act.repeat = done != references_.end();
    if (act.repeat) act.reference = done->second;
    append((torn ? "\n" : "") + line_of(act));
    return act.reference;
  }

 private:
  void append(const std::string& line) {
    for (std::size_t at = 0; at < line.size();) {
      ssize_t wrote = write(file_, line.data() + at, line.size() - at);
      if (wrote < 0 && errno != EINTR) fail("writing the ledger");
      if (wrote > 0) at += static_cast<std::size_t>(wrote);
    }
    if (fdatasync(file_) != 0) fail("syncing the ledger");
  }

  std::mutex mutex_;
  int file_;
  off_t read_to_ = 0;
  std::map<std::string, std::string> references_;
};

Ledger::Ledger(std::string folder) {
  for (std::size_t i = 0; i < books; ++i) books_.push_back(std::make_unique<Book>(path_of(folder, i)));
}
Ledger::~Ledger() = default;

std::string Ledger::act(const std::string& key, std::string_view what, std::int64_t cents) {
  std::string reference = std::string(what) + "-" + stile::Id::random().text().substr(0, 12);
  Book& book = *books_[std::hash<std::string>()(key) % books];
  return book.act({false, key, std::string(what), cents, std::move(reference), getpid()});
}

std::vector<Act> Ledger::read(const std::string& folder) {
  std::vector<Act> acts;
  for (std::size_t i = 0; i < books; ++i) {
    int file = open(path_of(folder, i).c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) continue;
    off_t offset = 0;
    read_on(file, offset, acts);
    close(file);
  }
  return acts;
}

}  // namespace orders

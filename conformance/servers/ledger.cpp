// The ledger outside the store.
//
// SPDX-License-Identifier: Apache-2.0
#include "servers/ledger.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

namespace stile::conformance::servers {
namespace {

std::string shown(std::string_view what, const std::vector<std::string>& names) {
  constexpr std::size_t most = 5;
  if (names.empty()) return {};
  std::string text = std::to_string(names.size()) + " " + std::string(what) + ":";
  for (std::size_t i = 0; i < std::min(most, names.size()); ++i) text += "\n    " + names[i];
  return text + (names.size() > most ? "\n    ...\n" : "\n");
}

}  // namespace

LedgerWriter::LedgerWriter(const std::string& path)
    : file_(open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600)) {
  if (file_ < 0) throw std::system_error(errno, std::generic_category(), path);
}

LedgerWriter::~LedgerWriter() { close(file_); }

void LedgerWriter::told(Told told, std::string_view kind, std::string_view name) {
  line(told == Told::ok ? "ok" : told == Told::no ? "no" : "maybe", kind, name);
}

void LedgerWriter::line(std::string_view what, std::string_view kind, std::string_view name) {
  std::string text;
  text.append(what).append(" ").append(kind).append(" ").append(name).append("\n");
  if (write(file_, text.data(), text.size()) != static_cast<ssize_t>(text.size()))
    throw std::system_error(errno, std::generic_category(), "the ledger");
}

std::map<std::string, Told> read_ledgers(const std::string& folder) {
  std::map<std::string, Told> all;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".ledger") continue;
    std::ifstream file(entry.path(), std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(file), {}};
    for (std::size_t at = 0, end; (end = text.find('\n', at)) != std::string::npos; at = end + 1) {
      const std::string line = text.substr(at, end - at);
      const std::size_t space = line.find(' ');
      const std::string what = line.substr(0, space);
      // A job may be acked by one caller, and again by the next that it was delivered to: any ok counts.
      Told& told = all[line.substr(space + 1)];
      if (what == "ok") told = Told::ok;
      if (what == "no" && told == Told::nothing) told = Told::no;
      if (what == "maybe" && told != Told::ok) told = Told::maybe;
    }
  }
  return all;
}

Judgement judge_ledger(const std::map<std::string, Told>& told, const Found& found) {
  Judgement judgement;
  auto ack_of = [&](const std::string& job) {
    auto at = told.find(std::string(kind::ack) + " " + job);
    return at == told.end() ? std::pair{false, Told::nothing} : std::pair{true, at->second};
  };
  auto drained = [&](const std::string& job) { return found.drained.count(job) != 0; };
  for (const auto& [name, answer] : told) {
    const std::size_t space = name.find(' ');
    const std::string_view of = std::string_view(name).substr(0, space);
    if (of == kind::ack) {
      if (answer == Told::ok && drained(name.substr(space + 1))) judgement.came_back.push_back(name);
      continue;
    }
    auto at = found.there.find(name);
    std::uint64_t times = at == found.there.end() ? 0 : at->second;
    if (of == kind::job) {
      const std::string job = name.substr(space + 1);
      times = drained(job) || ack_of(job).first;
      if (answer == Told::ok && times == 0) judgement.stranded.push_back(name);
    } else if (answer == Told::ok && times == 0) {
      judgement.lost.push_back(name);
    }
    if (answer == Told::no && times != 0) judgement.appeared.push_back(name);
    if (times > 1) judgement.twice.push_back(name);
    if (answer == Told::ok) ++judgement.acknowledged;
    if (answer == Told::no) ++judgement.refused;
    if (answer == Told::maybe || answer == Told::nothing) {
      ++judgement.in_doubt;
      judgement.in_doubt_there += times != 0;
    }
  }
  return judgement;
}

std::string Judgement::text() const {
  return shown("acknowledged and not there", lost) + shown("refused, and there", appeared) +
         shown("there more than once", twice) + shown("jobs acked and delivered again", came_back) +
         shown("jobs enqueued and never delivered", stranded);
}

}  // namespace stile::conformance::servers

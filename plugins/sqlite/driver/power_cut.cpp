// Reading the journal backwards.
//
// SPDX-License-Identifier: Apache-2.0
#include "power_cut.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>
#include <vector>

namespace stile::sqlite::driver {
namespace {

struct Entry : JournalEntry {
  std::string name, old;
};

std::vector<Entry> read_all(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string all{std::istreambuf_iterator<char>(file), {}};
  std::vector<Entry> entries;
  for (std::size_t at = 0; at + sizeof(JournalEntry) <= all.size();) {
    Entry entry;
    std::memcpy(static_cast<JournalEntry*>(&entry), all.data() + at, sizeof(JournalEntry));
    at += sizeof(JournalEntry);
    if (at + entry.name_size + entry.overwritten > all.size()) break;  // killed while it wrote this: not begun
    entry.name = all.substr(at, entry.name_size);
    at += entry.name_size;
    entry.old = all.substr(at, entry.overwritten);
    at += entry.overwritten;
    entries.push_back(std::move(entry));
  }
  if (entries.empty()) throw std::runtime_error("the shim kept no journal");
  return entries;
}

}  // namespace

std::uint64_t take_back_unsynced(const std::string& journal) {
  const std::vector<Entry> entries = read_all(journal);
  std::map<std::string, bool> synced;
  std::uint64_t taken = 0;
  for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) {
    if (entry->what == JournalEntry::sync) synced[entry->name] = true;
    if (entry->what == JournalEntry::sync || synced[entry->name]) continue;
    const int file = open(entry->name.c_str(), O_WRONLY | O_CLOEXEC);
    if (file < 0) continue;  // removed since
    struct stat now = {};
    fstat(file, &now);
    const auto size = static_cast<ssize_t>(entry->old.size());
    if (pwrite(file, entry->old.data(), entry->old.size(), static_cast<off_t>(entry->at)) != size ||
        ftruncate(file, static_cast<off_t>(entry->old_size)) != 0)
      throw std::runtime_error("cannot take back a write");
    close(file);
    const auto length = static_cast<std::uint64_t>(now.st_size);
    taken += entry->overwritten + (length > entry->old_size ? length - entry->old_size : 0);
  }
  return taken;
}

}  // namespace stile::sqlite::driver

// The ledger outside the store: what callers tried and were told, against what is there in the end.
//
// Every write has a name of its own, so the rules are plain: acknowledged = there, once; refused = not there; unknown,
// and what a killed caller had under way = there once, or not at all. A job that was acknowledged is delivered until
// its ack is acknowledged, and not after.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace stile::conformance::servers {

enum class Told : std::uint8_t { nothing, ok, no, maybe };

/// What is written: its kind is the first word of a line's name.
namespace kind {
inline constexpr std::string_view append = "append", record = "record", document = "document", job = "job", ack = "ack";
}

/// One process' file. Lines are whole, or the last one is cut off.
class LedgerWriter {
 public:
  explicit LedgerWriter(const std::string& path);
  ~LedgerWriter();
  LedgerWriter(const LedgerWriter&) = delete;
  LedgerWriter& operator=(const LedgerWriter&) = delete;
  /// Any thread.
  void tried(std::string_view kind, std::string_view name) { line("try", kind, name); }
  void told(Told told, std::string_view kind, std::string_view name);

 private:
  void line(std::string_view what, std::string_view kind, std::string_view name);
  int file_;
};

/// What was found in the store at the end, and what was delivered while it was drained.
struct Found {
  std::map<std::string, std::uint64_t> there;  ///< "append w value" -> how often
  std::set<std::string> drained;               ///< jobs
};

struct Judgement {
  std::uint64_t acknowledged = 0, refused = 0, in_doubt = 0;
  std::uint64_t in_doubt_there = 0;
  std::vector<std::string> lost, appeared, twice, came_back, stranded;  ///< contradictions, by name
  bool accepted() const {
    return lost.empty() && appeared.empty() && twice.empty() && came_back.empty() && stranded.empty();
  }
  std::string text() const;
};

/// All files of a folder that end in ".ledger".
std::map<std::string, Told> read_ledgers(const std::string& folder);
Judgement judge_ledger(const std::map<std::string, Told>& told, const Found& found);

}  // namespace stile::conformance::servers

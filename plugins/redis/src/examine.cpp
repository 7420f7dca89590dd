// For `stile doctor`: goes through all keys, all rows, all indexes of every partition, page by page (examine.lua).
//
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <set>

#include "encode.hpp"
#include "store.hpp"

namespace stile::redis {
namespace {

using Said = std::function<void(std::string_view what, bool mended)>;

class Examination {
 public:
  Examination(Store& store, Borrowed& at, std::uint32_t partition, bool mend, const Said& said)
      : store_(store), at_(at), partition_(partition), mend_(mend), said_(said) {}

  void run() {
    const std::string before = counts({}, "");
    const std::set<std::string> names = keys();
    const auto tallies = rows();
    for (const std::string& name : names) index(name);
    counts(tallies, before);
  }

 private:
  using Tallies = std::array<std::int64_t, 4>;

  /// One call of an operation of examine.lua; tells what it found. Mending is done again where the answer is lost: it
  /// makes the same of it.
  OwnedReply ask(std::string_view operation, std::initializer_list<std::string_view> arguments) {
    ScriptCall call = store_.call(examine_room, partition_);
    call.operations.begin(operation);
    for (const std::string_view argument : arguments) call.operations.add(argument);
    call.operations.flag(mend_);
    OwnedReply owned = run_one(at_, call, mend_ ? Does::write : Does::read);
    const Reply reply = Reply(owned.get())[0];
    if (reply[0].number() != STILE_OK)
      throw Failure(static_cast<std::int32_t>(reply[0].number()), std::string(reply[1].text()));
    const Reply found = reply[2];
    for (std::size_t i = 0; i + 1 < found.size(); i += 2) said_(found[i].text(), found[i + 1].number() != 0);
    return owned;
  }

  std::set<std::string> keys() {
    std::set<std::string> names;
    std::string cursor = "0";
    do {
      const OwnedReply owned = ask("examine_keys", {cursor});
      const Reply reply = Reply(owned.get())[0];
      cursor = reply[1].text();
      for (std::size_t i = 0; i < reply[3].size(); ++i) names.emplace(reply[3][i].text());
    } while (cursor != "0");
    return names;
  }

  Tallies rows() {
    Tallies out{};
    std::string after;
    do {
      const OwnedReply owned = ask("examine_rows", {after});
      const Reply reply = Reply(owned.get())[0];
      after = reply[1].text();
      for (std::size_t i = 0; i < out.size(); ++i) out[i] += reply[3 + i].number();
    } while (!after.empty());
    return out;
  }

  void index(std::string_view name) {
    std::string cursor = "0";
    do {
      const OwnedReply owned = ask("examine_index", {name, cursor});
      cursor = Reply(owned.get())[0][1].text();
    } while (cursor != "0");
  }

  std::string counts(const Tallies& tallies, std::string_view before) {
    std::array<std::string, 4> said;
    std::transform(tallies.begin(), tallies.end(), said.begin(), [](std::int64_t n) { return std::to_string(n); });
    const OwnedReply owned = ask("examine_counts", {said[0], said[1], said[2], said[3], before});
    return std::string(Reply(owned.get())[0][1].text());
  }

  Store& store_;
  Borrowed& at_;
  const std::uint32_t partition_;
  const bool mend_;
  const Said& said_;
};

}  // namespace

void Store::examine(const stile_call& call, bool mend, const Said& said) {
  Borrowed at(server_, call.deadline);
  if (!prepared(at)) throw Failure(STILE_UNPREPARED, "the store is not prepared: run prepare");
  for (std::uint32_t partition = 0; partition < layout_.partitions(); ++partition)
    Examination(*this, at, partition, mend, said).run();
}

}  // namespace stile::redis

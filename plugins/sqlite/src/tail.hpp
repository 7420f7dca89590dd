// The last records of a workflow, which ride in its row until there are too many of them.
//
// A record changes its workflow's row in any case. While it stands in there it costs no page but that one; a row of its
// own costs two more, one in stile_record and one in its index, wherever in the file that life ends.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "stile/sdk/engine/row.hpp"

namespace stile::sqlite {

namespace engine = sdk::engine;

inline bool is_inbox(std::string_view key) { return key.starts_with(engine::inbox_prefix); }

/// What stands in stile_workflow.tail: one byte that says what of this life stands elsewhere, then records in their
/// order (packed_records.hpp), all after those of stile_record. A workflow that has no life has none.
class Tail {
 public:
  /// A row of a table without rowid stands in its page up to 1,002 bytes (of 4,096); this leaves room for the rest of
  /// it.
  static constexpr std::size_t most = 640;

  bool records_elsewhere() const { return !bytes_.empty() && (bytes_[0] & records_bit) != 0; }
  bool messages_elsewhere() const { return !bytes_.empty() && (bytes_[0] & messages_bit) != 0; }
  void set_messages_elsewhere() { mark(messages_bit); }

  /// A life begins: nothing stands anywhere. The rest is for workflows that have one.
  void begin() { bytes_.assign(1, 0); }
  void clear() { bytes_.clear(); }

  bool has_room_for(const engine::Record& record) const;
  void add(const engine::Record& record);
  /// All records here, which go to stile_record as they are; empty when there are none.
  std::string_view records() const { return std::string_view(bytes_).substr(start); }
  /// They were written there.
  void spilled();
  /// Drops all but messages of the inbox whose position is above the one given; answers how many.
  std::uint64_t erase(std::int64_t inbox_after);

  /// Gives the record at an offset and moves on to the next; false at the end. Views are valid until the tail changes.
  bool read(std::size_t& at, engine::Record& record) const;
  static constexpr std::size_t start = 1;

  std::string_view bytes() const { return bytes_; }
  /// What was read from a row of that life, with so many records, the last of them at that position; false when they do
  /// not agree.
  [[nodiscard]] bool assign(std::string_view bytes, const engine::Row& row, std::int64_t life);

 private:
  static constexpr char records_bit = 1, messages_bit = 2;
  void mark(char bit);

  std::string bytes_;
};

}  // namespace stile::sqlite

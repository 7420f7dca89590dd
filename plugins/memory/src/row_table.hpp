// Entries by id: open addressing, so that a look costs a slot and the entry itself.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "entry.hpp"

namespace stile::memory {

/// Owns its entries; their addresses do not change.
class RowTable {
 public:
  RowTable() : slots_(16) {}
  ~RowTable() {
    for (const Slot& slot : slots_) delete slot.entry;
  }
  RowTable(const RowTable&) = delete;
  RowTable& operator=(const RowTable&) = delete;

  Entry* find(std::string_view id) const {
    const std::uint64_t hash = hash_of(id);
    for (std::size_t at = hash & mask();; at = (at + 1) & mask()) {
      const Slot& slot = slots_[at];
      if (slot.entry == nullptr) return nullptr;
      if (slot.hash == hash && slot.entry->id == id) return slot.entry;
    }
  }

  /// An entry will be looked for soon: its slot is brought near.
  void expect(const Entry& entry) const { __builtin_prefetch(&slots_[entry.hash & mask()]); }

  /// The id is not there yet.
  void insert(std::unique_ptr<Entry> entry) {
    if ((size_ + 1) * 4 > slots_.size() * 3) grow();
    entry->hash = hash_of(entry->id);
    put(slots_, {entry->hash, entry.get()});
    entry.release();
    ++size_;
  }

  /// Takes an entry out. Those after it move up, so that no look ends at a hole.
  std::unique_ptr<Entry> remove(const Entry& entry) {
    std::size_t at = entry.hash & mask();
    while (slots_[at].entry != &entry) at = (at + 1) & mask();
    std::unique_ptr<Entry> out(slots_[at].entry);
    --size_;
    std::size_t hole = at;
    for (at = (at + 1) & mask(); slots_[at].entry != nullptr; at = (at + 1) & mask()) {
      const std::size_t home = slots_[at].hash & mask();
      if (((at - home) & mask()) < ((at - hole) & mask())) continue;
      slots_[hole] = slots_[at];
      hole = at;
    }
    slots_[hole] = Slot{};
    return out;
  }

 private:
  struct Slot {
    std::uint64_t hash = 0;
    Entry* entry = nullptr;
  };

  static std::uint64_t hash_of(std::string_view id) { return std::hash<std::string_view>{}(id); }
  std::size_t mask() const { return slots_.size() - 1; }

  static void put(std::vector<Slot>& slots, const Slot& slot) {
    std::size_t at = slot.hash & (slots.size() - 1);
    while (slots[at].entry != nullptr) at = (at + 1) & (slots.size() - 1);
    slots[at] = slot;
  }

  void grow() {
    std::vector<Slot> bigger(slots_.size() * 2);
    for (const Slot& slot : slots_)
      if (slot.entry != nullptr) put(bigger, slot);
    slots_.swap(bigger);
  }

  std::vector<Slot> slots_;
  std::size_t size_ = 0;
};

}  // namespace stile::memory
